// Owns the files of the ledger beside the database: the signing key, the verifier keys for others, the notes. Never shows the
// private key, and never replaces one that is there.

import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSigner, createSigningKey, isVerifierKey } from "../audit/signed-note.ts";
import { makeFolder, writeWhole } from "../files/durable.ts";
import { readRegularText } from "../files/regular-file.ts";
import { explainSystemError } from "../files/system-error.ts";
import { evidenceFileMaxBytes } from "../limits.ts";
import type { LedgerFiles } from "../storage/engine.ts";

export interface SigningKey {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly pem: string;
  readonly verifierKey: string;
}

/** Makes the folders of the ledger, and writes down its verifier keys: those of the key that signs and of `former` ones, newest first. */
export function openLedgerFiles(
  root: string,
  { pem, verifierKey }: SigningKey,
  former: readonly string[] = [],
): LedgerFiles {
  const files = { notes: notesFolder(root), exports: exportFolder(root) };
  for (const folder of Object.values(files)) makeFolder(folder);
  return { signingKey: pem, verifierKeys: keepVerifierKeys(root, [verifierKey, ...former]), ...files };
}

/** Where the signing key is, unless --audit-key names another file. */
export function ownKeyPath(root: string): string {
  return join(root, "audit.key");
}

/**
 * The key in the file `auditKey`; without that file the key in the data directory, or null when there is none.
 * @throws Error that says what to do when the key cannot be read.
 */
export function findSigningKey(root: string, auditKey: string | null): SigningKey | null {
  if (auditKey !== null) return readSigningKey(auditKey);
  const path = ownKeyPath(root);
  if (!existsSync(path)) return null;
  if (process.platform !== "win32") chmodSync(path, 0o600);
  return readSigningKey(path);
}

/** Makes the signing key of a new installation. One process at a time holds the directory, so nobody else makes it meanwhile. */
export function createOwnKey(root: string): SigningKey {
  const pem = createSigningKey();
  writeWhole(ownKeyPath(root), pem);
  return { pem, verifierKey: createSigner(pem).verifierKey };
}

/** The verifier keys in `audit.pub`, newest first; empty when there is no such file. */
export function readVerifierKeys(root: string): readonly string[] {
  const path = verifierKeysPath(root);
  return existsSync(path)
    ? readRegularText(path, evidenceFileMaxBytes).split("\n").filter(isVerifierKey)
    : [];
}

/** Where the files `<chain>.notes` are in a data directory. */
export function notesFolder(root: string): string {
  return join(root, "checkpoints");
}

/** Where the files of exports are in a data directory. */
export function exportFolder(root: string): string {
  return join(root, "exports");
}

function verifierKeysPath(root: string): string {
  return join(root, "audit.pub");
}

/** Puts a new key before those of older notes, and does not write a file that is right already: the disk may be full. */
function keepVerifierKeys(root: string, wanted: readonly string[]): readonly string[] {
  const known = readVerifierKeys(root);
  if (wanted.every((key) => known.includes(key))) return known;
  const keys = [...new Set([...wanted, ...known])];
  writeWhole(verifierKeysPath(root), `${keys.join("\n")}\n`);
  return keys;
}

/** Changes nothing, unlike findSigningKey. @throws Error that says what to do when the key cannot be read. */
export function readSigningKey(path: string): SigningKey {
  try {
    const pem = readFileSync(path, "utf8");
    return { pem, verifierKey: createSigner(pem).verifierKey };
  } catch (cause) {
    const found = explainSystemError(cause);
    if (found !== null) {
      throw new Error(
        `The audit key ${path} cannot be read: ${found.cause}. Restore it from a backup, or name another with --audit-key.`,
        { cause },
      );
    }
    throw new Error(
      `The audit key ${path} is not a readable Ed25519 private key in PEM. Restore it from a backup, or name another with --audit-key.`,
      { cause },
    );
  }
}
