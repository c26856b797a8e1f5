// Owns the decision whether database, signing key and checkpoints of a data directory belong together, before anything is signed. Makes a
// signing key for a new installation only, and never replaces a key without being told.

import { existsSync } from "node:fs";
import { followRotations } from "../audit/key-rotation.ts";
import { openNote, signerId } from "../audit/signed-note.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import type { Database } from "../native/sqlite.ts";
import { requireOwnFiles } from "../storage/sqlite/database-file/adjacent-files.ts";
import { openCurrent } from "../storage/sqlite/database-file/connection.ts";
import { readAuditKey, writeAuditKey } from "../storage/sqlite/ledger/audit-key.ts";
import { findMissingRecords, type Missing } from "../storage/sqlite/ledger/missing-records.ts";
import { findUnattestedRemovals } from "../storage/sqlite/ledger/unattested-removals.ts";
import { quoteWord } from "../text/shell-word.ts";
import type { DataDirectory } from "./data-directory.ts";
import {
  createOwnKey,
  findSigningKey,
  type LedgerFiles,
  openLedgerFiles,
  ownKeyPath,
  readVerifierKeys,
  type SigningKey,
} from "./ledger-files.ts";
import { type PublishedCheckpoint, readNewestCheckpoints } from "./ledger-notes.ts";
import { formerKeys, readRotations, rotationsPath, settleRotation } from "./ledger-rotation.ts";
import { refuseForeignLog, refuseFormerFiles, refuseLostDatabase } from "./lost-database.ts";

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
export function openLedger(held: HeldDirectory, auditKey: string | null): OpenLedger {
  const { root } = held.directory;
  return withDatabase(held, (database) => {
    settleRotation(root, readAuditKey(database).verifierKey);
    const found = findSigningKey(root, auditKey);
    const inUse = findKeyInUse(database, root, found?.verifierKey ?? null);
    if (inUse !== null && !isTheKey(root, found, inUse)) {
      throw new Error(
        found === null ? missingKey(root, inUse) : otherKey(root, auditKey ?? ownKeyPath(root), inUse),
      );
    }
    const key = found ?? createOwnKey(root);
    const files = openLedgerFiles(root, key, formerKeys(root, key.verifierKey));
    refuseUnattestedRemoval(database, files.verifierKeys);
    if (readAuditKey(database).verifierKey !== key.verifierKey) writeAuditKey(database, key.verifierKey);
    return { files, missing: findMissing(database, root, files.verifierKeys) };
  });
}

export interface LedgerState extends Pick<OpenLedger, "missing"> {
  /** The verifier key of the only key that may sign; null while nothing has been signed. */
  readonly keyInUse: string | null;
}

/** The same without a signing key. Finishes or undoes a change of the key that was cut short. */
export function readLedgerState(held: HeldDirectory, found: string | null): LedgerState {
  const { root } = held.directory;
  return withDatabase(held, (database) => {
    settleRotation(root, readAuditKey(database).verifierKey);
    const keyInUse = findKeyInUse(database, root, found);
    if (keyInUse !== null && readAuditKey(database).verifierKey === null) writeAuditKey(database, keyInUse);
    return { keyInUse, missing: findMissing(database, root, readVerifierKeys(root)) };
  });
}

/** @throws Error when somebody else has removed something: the next checkpoint would attest it. */
function refuseUnattestedRemoval(database: Database, verifierKeys: readonly string[]): void {
  const [removal] = findUnattestedRemovals(database, verifierKeys);
  if (removal === undefined) return;
  const { chain, seq, action } = removal;
  throw new Error(
    `Record ${seq} (${action}) of the chain ${chain} says that the server removed something, but no checkpoint attests it. The server signs one whenever it removes something, so somebody else appended this record. Keep the files, examine them with "memledger audit verify", and restore the last backup. Only where memledger 0.1.0 ran here last and was cut off, the record may be its own: start and stop 0.1.0 once more.`,
  );
}

function withDatabase<Result>(
  { directory, runtime }: HeldDirectory,
  work: (database: Database) => Result,
): Result {
  // The database comes first: when a first start is cut short, no key is left that belongs to no database.
  requireOwnFiles(directory.database);
  refuseLostDatabase(directory);
  refuseForeignLog(directory, runtime);
  const database = openCurrent({ path: directory.database, runtime }, () => refuseFormerFiles(directory));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** A successor is the key as well: an older copy of a database was written before the key was changed. */
export function isTheKey(root: string, found: SigningKey | null, inUse: string): boolean {
  if (found === null) return false;
  return followRotations([inUse], readRotations(rotationsPath(root))).keys.includes(found.verifierKey);
}

function findMissing(database: Database, root: string, keys: readonly string[]): OpenLedger["missing"] {
  return findMissingRecords(database, readNewestCheckpoints(root, keys));
}

/** The verifier key of the only key that may sign; null while nothing has been signed. Changes nothing. */
export function findKeyInUse(database: Database, root: string, found: string | null): string | null {
  const { verifierKey, newestNote } = readAuditKey(database);
  if (verifierKey !== null) return verifierKey;
  // Programs before this one did not write it down: the newest signature tells.
  const published = readVerifierKeys(root);
  if (newestNote === null) return published[0] ?? null;
  const known = found === null ? published : [found, ...published];
  return known.find((key) => openNote(newestNote, key) !== null) ?? signerId(newestNote);
}

function missingKey(root: string, inUse: string): string {
  return `The audit key ${ownKeyPath(root)} is missing, and this ledger has been signed with it (verifier key ${inUse}). Restore it from a backup, or name the file where it is kept with --audit-key FILE or MEMLEDGER_AUDIT_KEY. If nobody has it any more, make a new one: ${rotateLine(root, "--former-key-lost")}`;
}

function otherKey(root: string, path: string, inUse: string): string {
  const own = ownKeyPath(root);
  const former = path !== own && existsSync(own) ? quoteWord(own) : "FILE-OF-THE-FORMER-KEY";
  return `The audit key ${path} is not the one that has signed this ledger (verifier key ${inUse}). Restore that one from a backup, or name its file with --audit-key FILE or MEMLEDGER_AUDIT_KEY. To change the key to this one: ${rotateLine(root, `--audit-key ${former} --new-key ${quoteWord(path)}`)}. If nobody has the former key any more: ${rotateLine(root, `--former-key-lost --new-key ${quoteWord(path)}`)}`;
}

function rotateLine(root: string, options: string): string {
  return `memledger audit rotate-key ${options} --data-dir ${quoteWord(root)}`;
}
