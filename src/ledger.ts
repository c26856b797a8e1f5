// Owns the decision whether database, signing key and checkpoints of a data directory belong together, before anything is signed. Makes a
// signing key for a new installation only, and never replaces a key without being told.

import { openNote, signerId } from "./audit/note.ts";
import type { DataDirectory } from "./data-directory.ts";
import {
  createOwnKey,
  findSigningKey,
  type LedgerFiles,
  openLedgerFiles,
  ownKeyPath,
  readVerifierKeys,
} from "./ledger-files.ts";
import { type PublishedCheckpoint, readNewestCheckpoints } from "./ledger-notes.ts";
import { refuseFormerFiles, refuseLostDatabase } from "./lost-database.ts";
import type { RuntimeFiles } from "./native/runtime.ts";
import type { Database } from "./native/sqlite.ts";
import { readAuditKey, writeAuditKey } from "./sqlite/audit-key.ts";
import { openCurrent } from "./sqlite/connection.ts";
import { findMissingRecords, type Missing } from "./sqlite/missing-records.ts";

export interface HeldDirectory {
  readonly directory: DataDirectory;
  readonly runtime: RuntimeFiles;
}

export interface OpenLedger {
  readonly files: LedgerFiles;
  /** Checkpoints beside the database that attest what it does not have; whoever goes on must refuse or record them. */
  readonly missing: readonly Missing<PublishedCheckpoint>[];
}

/**
 * Creates database and signing key of a new installation; of an older one it opens both.
 * @param auditKey file of a signing key that is kept elsewhere; null: the one in the data directory.
 * @throws Error that names the choices when the database is missing, or the key, or the key is not the one that has signed this ledger.
 */
export function openLedger({ directory, runtime }: HeldDirectory, auditKey: string | null): OpenLedger {
  const { root, database: path } = directory;
  // The database comes first: when a first start is cut short, no key is left that belongs to no database.
  refuseLostDatabase(directory);
  const database = openCurrent({ path, runtime }, () => refuseFormerFiles(directory));
  try {
    const found = findSigningKey(root, auditKey);
    const inUse = findKeyInUse(database, root, found?.verifierKey ?? null);
    if (inUse !== null && found?.verifierKey !== inUse) {
      throw new Error(
        found === null ? missingKey(root, inUse) : otherKey(auditKey ?? ownKeyPath(root), inUse),
      );
    }
    const key = found ?? createOwnKey(root);
    const files = openLedgerFiles(root, key);
    if (readAuditKey(database).verifierKey === null) writeAuditKey(database, key.verifierKey);
    const published = readNewestCheckpoints(root, files.verifierKeys);
    return { files, missing: findMissingRecords(database, published) };
  } finally {
    database.close();
  }
}

/** The verifier key of the only key that may sign; null while nothing has been signed. */
function findKeyInUse(database: Database, root: string, found: string | null): string | null {
  const { verifierKey, newestNote } = readAuditKey(database);
  if (verifierKey !== null) return verifierKey;
  // Programs before this one did not write it down: the newest signature tells.
  const published = readVerifierKeys(root);
  if (newestNote === null) return published[0] ?? null;
  const known = found === null ? published : [found, ...published];
  return known.find((key) => openNote(newestNote, key) !== null) ?? signerId(newestNote);
}

function missingKey(root: string, inUse: string): string {
  return `The audit key ${ownKeyPath(root)} is missing, and this ledger has been signed with it (verifier key ${inUse}). Restore it from a backup, or name the file where it is kept with --audit-key FILE.`;
}

function otherKey(path: string, inUse: string): string {
  return `The audit key ${path} is not the one that has signed this ledger (verifier key ${inUse}). Restore that one from a backup, or name its file with --audit-key FILE.`;
}
