// Owns the files of the ledger beside the database: the signing key, the public keys, the notes. Must never show the private key, and
// never replace an existing one.

import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSigner, createSigningKey, isVerifierKey } from "../../audit/signed-note.ts";
import type { LedgerFiles } from "../../calls/storage/engine.ts";
import { makeFolder, writeWhole } from "../../platform/files/durable.ts";
import { readRegularText, requireUsable } from "../../platform/files/regular-file.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";

export interface SigningKey {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly pem: string;
  readonly verifierKey: string;
  /** As LedgerFiles.isKeyNew. */
  readonly isNew?: boolean;
}

/** Creates the folders of the ledger, and writes the verifier keys of the signing key and of the `former` keys to audit.pub, newest first. */
export function openLedgerFiles(
  root: string,
  { pem, verifierKey, isNew = false }: SigningKey,
  previous: readonly string[] = [],
): LedgerFiles {
  const files = { notes: notesFolder(root), exports: exportFolder(root) };
  for (const folder of Object.values(files)) makeFolder(folder);
  const verifierKeys = keepVerifierKeys(root, [verifierKey, ...previous]);
  return { signingKey: pem, verifierKeys, isKeyNew: isNew, ...files };
}

/** Path of the signing key, unless --audit-key is set. */
export function ownKeyPath(root: string): string {
  return join(root, "audit.key");
}

/**
 * The key in the file `auditKey`. When `auditKey` is null: the key in the data directory, or null when there is none.
 * @throws Error that says what to do when the key cannot be read
 */
export function findSigningKey(root: string, auditKey: string | null): SigningKey | null {
  if (auditKey !== null) return readSigningKey(auditKey);
  const path = ownKeyPath(root);
  requireUsable(path, "file");
  if (!existsSync(path)) return null;
  if (process.platform !== "win32") chmodSync(path, 0o600);
  return readSigningKey(path);
}

/** Creates the signing key of a new installation. The data directory is locked, so no other process creates one at the same time. */
export function createOwnKey(root: string): SigningKey {
  const pem = createSigningKey();
  writeWhole(ownKeyPath(root), pem);
  return { pem, verifierKey: createSigner(pem).verifierKey, isNew: true };
}

/** The verifier keys in `audit.pub`, newest first; empty when there is no such file. */
export function readVerifierKeys(root: string): readonly string[] {
  const path = verifierKeysPath(root);
  return existsSync(path)
    ? readRegularText(path, evidenceFileMaxBytes).split("\n").filter(isVerifierKey)
    : [];
}

/** The folder of the files `<chain>.notes` in a data directory. */
export function notesFolder(root: string): string {
  return join(root, "checkpoints");
}

/** The folder of export files in a data directory. */
export function exportFolder(root: string): string {
  return join(root, "exports");
}

function verifierKeysPath(root: string): string {
  return join(root, "audit.pub");
}

/** Inserts new keys before older ones. Does not rewrite a file that already contains them, because the disk may be full. */
function keepVerifierKeys(root: string, wanted: readonly string[]): readonly string[] {
  const known = readVerifierKeys(root);
  if (wanted.every((key) => known.includes(key))) return known;
  const keys = [...new Set([...wanted, ...known])];
  writeWhole(verifierKeysPath(root), `${keys.join("\n")}\n`);
  return keys;
}

/**
 * Does not change permissions, unlike findSigningKey. `remedy` is the last sentence of the message when the key cannot be read.
 * @throws Error that says what to do when the key cannot be read
 */
export function readSigningKey(
  path: string,
  remedy = "Restore it from a backup, or set --audit-key to another file.",
): SigningKey {
  requireUsable(path, "file");
  try {
    const pem = readFileSync(path, "utf8");
    return { pem, verifierKey: createSigner(pem).verifierKey };
  } catch (cause) {
    const found = explainSystemError(cause);
    if (found !== null) {
      throw new Error(`The audit key ${path} cannot be read: ${found.cause}. ${remedy}`, { cause });
    }
    throw new Error(`The audit key ${path} is not a valid Ed25519 private key in PEM format. ${remedy}`, {
      cause,
    });
  }
}
