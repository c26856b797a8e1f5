// Owns API keys: the form of their secrets, in one place, and creation. Only the SHA-256 of a secret is stored.

import { createHash, randomBytes } from "node:crypto";

export const permissions = [
  "memory.read",
  "memory.write",
  "audit.read",
  "audit.export",
  "audit.write",
] as const;
export type Permission = (typeof permissions)[number];

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** The name of the keys that programs of this machine use without a secret. Such a key has one, but nobody keeps it. */
export const localKeyName = "local";

export function isLocalKey({ name }: Pick<Key, "name">): boolean {
  return name === localKeyName;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 32 bytes in base 62
const secretPrefix = "ml_";
/** The form of a secret, as the source of a regular expression. */
export const secretForm = `${secretPrefix}[${alphabet}]{${secretLength}}`;
const wholeSecret = new RegExp(`^${secretForm}$`);
const partOfSecret = new RegExp(`\\b${secretPrefix}`);

/** A new secret: `ml_` and 32 random bytes in base 62. It is shown once and cannot be recovered. */
export function createSecret(): string {
  let rest = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let text = "";
  for (let index = 0; index < secretLength; index++) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return secretPrefix + text;
}

/** SHA-256 of a secret, 32 bytes, as the store keeps it. */
export function digestSecret(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

/** Whether the text has the form of a secret. */
export function isSecret(text: string): boolean {
  return wholeSecret.test(text);
}

/** Whether a text that a person has typed may contain a secret or a part of one. An id never does. */
export function mayContainSecret(text: string): boolean {
  return partOfSecret.test(text);
}
