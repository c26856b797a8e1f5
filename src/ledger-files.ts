// Owns the files of the ledger beside the database: the signing key, the verifier key for others, the notes. Never shows the
// private key, and never replaces one that is there.

import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSigner, createSigningKey, isVerifierKey } from "./audit/note.ts";
import { makeFolder, writeWhole } from "./durable.ts";

export interface LedgerFiles {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly signingKey: string;
  /** Of this key and of those that signed before it. */
  readonly verifierKeys: readonly string[];
  /** Folder of `<chain>.notes`, to which every checkpoint is appended. */
  readonly notes: string;
  readonly exports: string;
}

/**
 * Creates the signing key with the first start, unless `auditKey` names one that is kept elsewhere.
 * @throws Error that says what to do when the key cannot be read.
 */
export function openLedgerFiles(root: string, auditKey: string | null): LedgerFiles {
  const files = { notes: join(root, "checkpoints"), exports: exportFolder(root) };
  for (const folder of Object.values(files)) makeFolder(folder);
  const signingKey = auditKey === null ? ownKey(join(root, "audit.key")) : givenKey(auditKey);
  const verifierKeys = keepVerifierKey(join(root, "audit.pub"), createSigner(signingKey).verifierKey);
  return { signingKey, verifierKeys, ...files };
}

/** Puts a new key before those of older notes, and touches a file no more that is right already: the disk may be full. */
function keepVerifierKey(path: string, key: string): readonly string[] {
  const known = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(isVerifierKey) : [];
  if (known.includes(key)) return known;
  const keys = [key, ...known];
  writeWhole(path, `${keys.join("\n")}\n`);
  return keys;
}

/** Where the files of exports lie in a data directory. */
export function exportFolder(root: string): string {
  return join(root, "exports");
}

function ownKey(path: string): string {
  // One process at a time holds the directory, so nobody else makes it meanwhile.
  if (!existsSync(path)) writeWhole(path, createSigningKey());
  if (process.platform !== "win32") chmodSync(path, 0o600);
  return givenKey(path);
}

function givenKey(path: string): string {
  try {
    const pem = readFileSync(path, "utf8");
    createSigner(pem);
    return pem;
  } catch (cause) {
    throw new Error(
      `The audit key ${path} is not a readable Ed25519 private key in PEM. Restore it from a backup, or name another with --audit-key.`,
      { cause },
    );
  }
}
