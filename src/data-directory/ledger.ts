// Owns the decision whether database, signing key and checkpoints of a data directory belong together, before anything is signed. Makes a
// signing key for a new installation only, and never replaces a key without being told.

import { existsSync } from "node:fs";
import { followRotations } from "../audit/key-rotation.ts";
import { openNote, signerId } from "../audit/signed-note.ts";
import type { LedgerFiles } from "../storage/engine.ts";
import type { MissingRecords, StoredLedger } from "../storage/stored-ledger.ts";
import { quoteWord } from "../text/shell-word.ts";
import {
  createOwnKey,
  findSigningKey,
  openLedgerFiles,
  ownKeyPath,
  readVerifierKeys,
  type SigningKey,
} from "./ledger-files.ts";
import { type PublishedCheckpoint, readNewestCheckpoints } from "./ledger-notes.ts";
import { formerKeys, readRotations, rotationsPath, settleRotation } from "./ledger-rotation.ts";
import { type DatabasePlace, refuseFormerFiles, refuseLostDatabase } from "./lost-database.ts";

export interface OpenLedger {
  readonly files: LedgerFiles;
  /** Checkpoints beside the database that attest what it does not have; whoever goes on must refuse or record them. */
  readonly missing: readonly MissingRecords<PublishedCheckpoint>[];
}

/**
 * Creates database and signing key of a new installation; of an older one it opens both.
 * @param auditKey file of a signing key that is kept elsewhere; null: the one in the data directory.
 * @throws Error that names the choices when the database is missing, or the key, or the key is not the one that has signed this ledger.
 */
export async function openLedger(held: DatabasePlace, auditKey: string | null): Promise<OpenLedger> {
  const { root } = held.directory;
  return withLedger(held, async (ledger) => {
    settleRotation(root, (await ledger.findKey()).verifierKey);
    const found = findSigningKey(root, auditKey);
    const inUse = await findKeyInUse(ledger, root, found?.verifierKey ?? null);
    if (inUse !== null && !isTheKey(root, found, inUse)) {
      throw new Error(
        found === null ? missingKey(root, inUse) : otherKey(root, auditKey ?? ownKeyPath(root), inUse),
      );
    }
    const key = found ?? createOwnKey(root);
    const files = openLedgerFiles(root, key, formerKeys(root, key.verifierKey));
    await refuseUnattestedRemoval(ledger, files.verifierKeys);
    if ((await ledger.findKey()).verifierKey !== key.verifierKey) await ledger.setKey(key.verifierKey);
    return { files, missing: await findMissing(ledger, root, files.verifierKeys) };
  });
}

export interface LedgerState extends Pick<OpenLedger, "missing"> {
  /** The verifier key of the only key that may sign; null while nothing has been signed. */
  readonly keyInUse: string | null;
}

/** The same without a signing key. Finishes or undoes a change of the key that was cut short. */
export async function readLedgerState(held: DatabasePlace, found: string | null): Promise<LedgerState> {
  const { root } = held.directory;
  return withLedger(held, async (ledger) => {
    settleRotation(root, (await ledger.findKey()).verifierKey);
    const keyInUse = await findKeyInUse(ledger, root, found);
    if (keyInUse !== null && (await ledger.findKey()).verifierKey === null) await ledger.setKey(keyInUse);
    return { keyInUse, missing: await findMissing(ledger, root, readVerifierKeys(root)) };
  });
}

/** @throws Error when somebody else has removed something: the next checkpoint would attest it. */
async function refuseUnattestedRemoval(ledger: StoredLedger, verifierKeys: readonly string[]): Promise<void> {
  const [removal] = await ledger.findUncoveredRemovals(verifierKeys);
  if (removal === undefined) return;
  const { chain, seq, action } = removal;
  throw new Error(
    `Record ${seq} (${action}) of the chain ${chain} says that the server removed something, but no checkpoint attests it. The server signs one whenever it removes something, so somebody else appended this record. Keep the files, examine them with "memledger audit verify", and restore the last backup. Only where memledger 0.1.0 ran here last and was cut off, the record may be its own: start and stop 0.1.0 once more.`,
  );
}

async function withLedger<Result>(
  held: DatabasePlace,
  work: (ledger: StoredLedger) => Promise<Result>,
): Promise<Result> {
  const { engine } = held;
  await engine.requireOwnFiles();
  await refuseLostDatabase(held);
  await engine.requireIntactRemains();
  // The database comes first: when a first start is cut short, no key is left that belongs to no database.
  await engine.migrate(() => refuseFormerFiles(held));
  return engine.withLedger("write", work);
}

/** A successor is the key as well: an older copy of a database was written before the key was changed. */
export function isTheKey(root: string, found: SigningKey | null, inUse: string): boolean {
  if (found === null) return false;
  return followRotations([inUse], readRotations(rotationsPath(root))).keys.includes(found.verifierKey);
}

async function findMissing(
  ledger: StoredLedger,
  root: string,
  keys: readonly string[],
): Promise<OpenLedger["missing"]> {
  return ledger.findMissingRecords(readNewestCheckpoints(root, keys));
}

/** The verifier key of the only key that may sign; null while nothing has been signed. Changes nothing. */
export async function findKeyInUse(
  ledger: StoredLedger,
  root: string,
  found: string | null,
): Promise<string | null> {
  const { verifierKey, newestNote } = await ledger.findKey();
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
