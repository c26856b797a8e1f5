// Owns the sessions of people who are signed in to the console, and the links by which administrators sign in: what they are, the form
// of their secrets, and when a session has ended. Only the SHA-256 of a secret is stored. Must never change data.

import { Refusal } from "../platform/errors.ts";
import type { Administrator } from "./administrator.ts";
import { keyFault, unauthenticated } from "./authorise.ts";
import type { Caller } from "./caller.ts";
import { createSecretCharacters, secretCharacters } from "./key.ts";

/** A person who is signed in. */
export interface Session {
  readonly id: string;
  /** The key that the person signed in with; null: an administrator. */
  readonly keyId: string | null;
  /** Who asked for the link that the administrator signed in with; null: the session of a key. */
  readonly administrator: Administrator | null;
  /** Where the person signed in; null: not known. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Accurate to the minute; null: never. */
  readonly lastUsedAt: number | null;
}

/** A session with the key that it belongs to. */
export interface KnownSession {
  readonly session: Session;
  /** Null: an administrator. */
  readonly caller: Caller | null;
}

/** A link that makes the person who opens it an administrator, once. */
export interface SignInLink {
  readonly id: string;
  /** Who asked for it. */
  readonly administrator: Administrator;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Null: it was not used. */
  readonly usedAt: number | null;
}

const sessionPrefix = "mls_";
const linkPrefix = "mlk_";
const sessionForm = new RegExp(`^${sessionPrefix}${secretCharacters}$`);
const linkForm = new RegExp(`^${linkPrefix}${secretCharacters}$`);

/** A new secret of a session: `mls_` and 32 random bytes in base 62. */
export function createSessionSecret(): string {
  return sessionPrefix + createSecretCharacters();
}

/** A new secret of a sign-in link: `mlk_` and 32 random bytes in base 62. */
export function createLinkSecret(): string {
  return linkPrefix + createSecretCharacters();
}

export function isSessionSecret(text: string): boolean {
  return sessionForm.test(text);
}

export function isLinkSecret(text: string): boolean {
  return linkForm.test(text);
}

/** Why the session has ended; null: it has not. A session of a key ends with its key. */
export function sessionFault({ session, caller }: KnownSession, now: number): Refusal | null {
  if (session.expiresAt <= now)
    return unauthenticated("The session has expired. Sign in to the console again.");
  const fault = caller === null ? null : keyFault(caller, now);
  return fault === null ? null : new Refusal(1401, `The session has ended. ${fault.message}`);
}

/** Why the link cannot be used; null: it can. */
export function linkFault({ usedAt, expiresAt }: SignInLink, now: number): Refusal | null {
  const remedy = 'Run "memledger console" on the machine of the server for a new one.';
  if (usedAt !== null) {
    const advice = 'If that was not you, run "memledger console sessions" to see who has signed in.';
    return unauthenticated(
      `The sign-in link was used already, and each one is valid once. ${remedy} ${advice}`,
    );
  }
  return expiresAt <= now ? unauthenticated(`The sign-in link has expired. ${remedy}`) : null;
}
