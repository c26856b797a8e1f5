// Owns the keys of a project that are used without a secret: which one is used, and its creation. Such a key is like any other for
// permissions, plans, limits and records, and can be revoked. Must never choose a key that has another name.

import { createSecret, digestSecret, type Key, type Permission } from "../../../access/key.ts";
import type { Project } from "../../../access/project.ts";
import type { Refusal } from "../../../platform/errors.ts";
import type { Transaction } from "../../storage/store.ts";

interface KeyWithoutSecret {
  /** Of consoleKeyName and localKeyName. */
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The refusal if no key with this name is valid any more. */
  readonly ended: (project: Project) => Refusal;
}

/** The newest valid one: an operator can create another key with this name. Null: there was never one. @throws the refusal if none is valid */
export async function findKeyWithoutSecret(
  { access }: Transaction,
  project: Project,
  { name, ended }: KeyWithoutSecret,
  now: number,
): Promise<Key | null> {
  const keys = (await access.listKeys(project)).filter((key) => key.name === name);
  const key = keys.filter((each) => isValid(each, now)).at(-1);
  if (key !== undefined) return key;
  if (keys.length === 0) return null;
  throw ended(project);
}

export function insertKeyWithoutSecret(
  { access }: Transaction,
  project: Project,
  { name, permissions }: KeyWithoutSecret,
  now: number,
): Promise<Key> {
  const secretDigest = digestSecret(createSecret());
  const key = { name, secretDigest, permissions, expiresAt: null, subject: null, gateway: null };
  return access.insertKey(project, key, now);
}

/** Neither revoked nor expired. */
export function isValid({ revokedAt, expiresAt }: Key, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}
