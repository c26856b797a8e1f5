// Owns API keys, and the forms of the secrets of all keys and of tokens, in one place. Only the SHA-256 of a secret is stored.

import { createHash, randomBytes } from "node:crypto";
import type { KeyGateway } from "./key-gateway.ts";

export const permissions = [
  "memory.read",
  "memory.write",
  "audit.read",
  "audit.export",
  "audit.write",
  "gateway.use",
  "subject.erase",
  "key.issue",
  "memory.propose",
] as const;
export type Permission = (typeof permissions)[number];

/** Those of keys that are bound to subjects: all others are for operations of the whole project. Tokens have their places: append only. */
export const permissionsForSubjects: readonly Permission[] = [
  "memory.read",
  "memory.write",
  "gateway.use",
  "memory.propose",
];

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** The subject that its calls are for, or the beginning of the names of such subjects and a `*`; null: any, or the project itself. */
  readonly subject: string | null;
  /** What it says about requests to the gateway; null: nothing. */
  readonly gateway: KeyGateway | null;
  /** Tokens that it has issued in another epoch are revoked. */
  readonly tokenEpoch: number;
}

/**
 * The names of keys that are used without a secret: by programs of this machine, and by administrators in the console. Such a key has
 * one, but nobody keeps it.
 */
export const localKeyName = "local";
export const consoleKeyName = "console";
export const keyNamesWithoutSecret: readonly string[] = [localKeyName, consoleKeyName];

export function isLocalKey({ name }: Pick<Key, "name">): boolean {
  return name === localKeyName;
}

export function isUsedWithSecret({ name }: Pick<Key, "name">): boolean {
  return !keyNamesWithoutSecret.includes(name);
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 32 bytes in base 62
const secretPrefix = "ml_";
const administrationPrefix = "mla_";
export const tokenPrefix = "mlt_";
const anyPrefix = "ml[at]?_";
/** What follows the prefix of every secret of a key, as the source of a regular expression. */
export const secretCharacters = `[${alphabet}]{${secretLength}}`;
const keyForm = `mla?_${secretCharacters}`;
const tokenForm = `${tokenPrefix}[A-Za-z0-9_-]{100}`;
/** The form of a secret of a key of either kind or of a token, as the source of a regular expression. */
export const secretForm = `(?:${keyForm}|${tokenForm})`;
const wholeSecret = new RegExp(`^${secretPrefix}${secretCharacters}$`);
const wholeAdministrationSecret = new RegExp(`^${administrationPrefix}${secretCharacters}$`);
const wholeToken = new RegExp(`^${tokenForm}$`);
const anywhere = new RegExp(secretForm);
const everySecret = new RegExp(secretForm, "g");
const inCredential = new RegExp(`(?:^|[\\s,])${anyPrefix}`);
const partOfSecret = new RegExp(`\\b${anyPrefix}`);

/** A new secret: `ml_` and 32 random bytes in base 62. It is shown once and cannot be recovered. */
export function createSecret(): string {
  return secretPrefix + createSecretCharacters();
}

/** A new secret of an administration key: `mla_` and 32 random bytes in base 62. */
export function createAdministrationSecret(): string {
  return administrationPrefix + createSecretCharacters();
}

/** 32 random bytes in base 62. */
export function createSecretCharacters(): string {
  let rest = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let text = "";
  for (let index = 0; index < secretLength; index++) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** SHA-256 of a secret, 32 bytes, as the store keeps it. */
export function digestSecret(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

/** Whether the text has the form of a secret of an API key. */
export function isSecret(text: string): boolean {
  return wholeSecret.test(text);
}

/** Whether the text has the form of a secret of an administration key. */
export function isAdministrationSecret(text: string): boolean {
  return wholeAdministrationSecret.test(text);
}

/** Whether the text has the form of a token. */
export function isToken(text: string): boolean {
  return wholeToken.test(text);
}

/** Whether a text has a secret of a key or a token. An id never does. */
export function hasSecret(text: string): boolean {
  return anywhere.test(text);
}

/** The text without the secrets in it, for messages and records. */
export function hideSecrets(text: string): string {
  return text.replace(everySecret, "(secret)");
}

/** Whether the value of a header for credentials has one that begins as secrets do, such as a secret with a typing error. */
export function isOwnCredential(value: string): boolean {
  return inCredential.test(value) || hasSecret(value);
}

/** Whether a text that a person has typed may contain a secret or a part of one. An id never does. */
export function mayContainSecret(text: string): boolean {
  return partOfSecret.test(text);
}
