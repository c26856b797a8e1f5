// Owns the check whether database, signing key and checkpoints of a data directory belong together, before anything is signed. Creates
// a signing key only for a new installation, and never replaces a key by itself.

import { existsSync } from "node:fs";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { openNote } from "../../audit/signed-note.ts";
import { signerId } from "../../audit/verify/note.ts";
import { followRotations } from "../../audit/verify/rotations.ts";
import type { LedgerFiles } from "../../calls/storage/engine.ts";
import type { MissingRecords, StoredLedger } from "../../calls/storage/stored-ledger.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import {
  type DatabasePlace,
  refuseLostDatabase,
  refusePreviousFiles,
} from "../data-directory/lost-database.ts";
import {
  createOwnKey,
  findSigningKey,
  openLedgerFiles,
  ownKeyPath,
  readVerifierKeys,
  type SigningKey,
} from "./ledger-files.ts";
import { type PublishedCheckpoint, readNewestCheckpoints } from "./ledger-notes.ts";
import { previousKeys, readRotations, rotationsPath, settleRotation } from "./ledger-rotation.ts";

export interface OpenLedger {
  readonly files: LedgerFiles;
  /** Checkpoints beside the database that cover records which it does not contain. The caller must refuse to continue, or record them. */
  readonly missing: readonly MissingRecords<PublishedCheckpoint>[];
}

/**
 * Opens database and signing key, and creates both for a new installation.
 * @param auditKey path of the signing key; null: the key in the data directory
 * @throws Error that says what to do when the database or the key is missing, or the key is not the key of this ledger
 */
export async function openLedger(place: DatabasePlace, auditKey: string | null): Promise<OpenLedger> {
  const { root } = place.directory;
  return withLedger(place, async (ledger) => {
    settleRotation(root, (await ledger.findKey()).verifierKey);
    const found = findSigningKey(root, auditKey);
    const inUse = await findKeyInUse(ledger, root, found?.verifierKey ?? null);
    if (inUse !== null && !isTheKey(root, found, inUse)) {
      throw new Error(
        found === null ? missingKey(root, inUse) : otherKey(root, auditKey ?? ownKeyPath(root), inUse),
      );
    }
    const key = found ?? createOwnKey(root);
    const files = openLedgerFiles(root, key, previousKeys(root, key.verifierKey));
    await refuseUncoveredRemoval(ledger, files.verifierKeys);
    if ((await ledger.findKey()).verifierKey !== key.verifierKey) await ledger.setKey(key.verifierKey);
    return { files, missing: await findMissing(ledger, root, files.verifierKeys) };
  });
}

interface LedgerState extends Pick<OpenLedger, "missing"> {
  /** The verifier key of the signing key; null while nothing has been signed. */
  readonly keyInUse: string | null;
}

/** The same without a signing key. Completes or undoes an interrupted change of the key. */
export async function readLedgerState(place: DatabasePlace, found: string | null): Promise<LedgerState> {
  const { root } = place.directory;
  return withLedger(place, async (ledger) => {
    settleRotation(root, (await ledger.findKey()).verifierKey);
    const keyInUse = await findKeyInUse(ledger, root, found);
    if (keyInUse !== null && (await ledger.findKey()).verifierKey === null) await ledger.setKey(keyInUse);
    return { keyInUse, missing: await findMissing(ledger, root, readVerifierKeys(root)) };
  });
}

/** @throws Error when no checkpoint covers a removal, so that it was not made by this server: the next checkpoint would cover it */
async function refuseUncoveredRemoval(ledger: StoredLedger, verifierKeys: readonly string[]): Promise<void> {
  const [removal] = await ledger.findUncoveredRemovals(verifierKeys);
  if (removal === undefined) return;
  const { chain, seq, action } = removal;
  throw new Error(
    `Record ${seq} (${action}) of chain ${chain} reports that the server removed records, but no checkpoint covers it. The server signs a checkpoint for each removal, so this record was not written by the server. Do not change or delete the files. Check them with "memledger audit verify" and restore the last backup. Exception: if memledger 0.1.0 was the last version that ran here and it was killed, it may have written the record: start and stop version 0.1.0 once.`,
  );
}

async function withLedger<Result>(
  place: DatabasePlace,
  work: (ledger: StoredLedger) => Promise<Result>,
): Promise<Result> {
  const { engine } = place;
  await engine.requireOwnFiles();
  await refuseLostDatabase(place);
  await engine.requireIntactLog();
  // The database is created first: an interrupted first start must not leave a key without a database.
  await engine.migrate(() => refusePreviousFiles(place));
  return engine.withLedger("write", work);
}

/** A later key of this ledger is accepted: an older copy of the database may contain a previous key. */
export function isTheKey(root: string, found: SigningKey | null, inUse: string): boolean {
  if (found === null) return false;
  const rotations = readRotations(rotationsPath(root));
  return followRotations([inUse], rotations, runtimeCryptography).keys.includes(found.verifierKey);
}

async function findMissing(
  ledger: StoredLedger,
  root: string,
  keys: readonly string[],
): Promise<OpenLedger["missing"]> {
  return ledger.findMissingRecords(readNewestCheckpoints(root, keys));
}

/** The verifier key of the signing key; null while nothing has been signed. Changes nothing. */
export async function findKeyInUse(
  ledger: StoredLedger,
  root: string,
  found: string | null,
): Promise<string | null> {
  const { verifierKey, newestNote } = await ledger.findKey();
  if (verifierKey !== null) return verifierKey;
  // Old versions did not store the key: the newest signature identifies it.
  const published = readVerifierKeys(root);
  if (newestNote === null) return published[0] ?? null;
  const known = found === null ? published : [found, ...published];
  return known.find((key) => openNote(newestNote, key) !== null) ?? signerId(newestNote);
}

function missingKey(root: string, inUse: string): string {
  return `The audit key ${ownKeyPath(root)} is missing. This ledger is signed with it (verifier key ${inUse}). Restore it from a backup, or set its path with --audit-key FILE or MEMLEDGER_AUDIT_KEY. If the key is lost, create a new one: ${rotateCommand(root, "--former-key-lost")}`;
}

function otherKey(root: string, path: string, inUse: string): string {
  const own = ownKeyPath(root);
  const previous = path !== own && existsSync(own) ? quoteWord(own) : "PREVIOUS-KEY-FILE";
  return `The audit key ${path} is not the key that signs this ledger (verifier key ${inUse}). Restore the right key from a backup, or set its path with --audit-key FILE or MEMLEDGER_AUDIT_KEY. To change the key of the ledger to this one: ${rotateCommand(root, `--audit-key ${previous} --new-key ${quoteWord(path)}`)}. If the previous key is lost: ${rotateCommand(root, `--former-key-lost --new-key ${quoteWord(path)}`)}`;
}

function rotateCommand(root: string, options: string): string {
  return `memledger audit rotate-key ${options} --data-dir ${quoteWord(root)}`;
}
