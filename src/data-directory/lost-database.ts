// Owns what happens when files of a ledger are there and its database is not, or is an older copy: the error that names the choices,
// and setting the former files aside. Never deletes one.

import { existsSync, globSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../audit/checkpoint.ts";
import { toTimestamp } from "../clock.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import { type DatabaseFile, openWriting } from "../storage/sqlite/database-file/connection.ts";
import { findMixture, hasLeftoverLog } from "../storage/sqlite/database-file/leftover-wal.ts";
import type { Missing } from "../storage/sqlite/ledger/missing-records.ts";
import { checkFormat } from "../storage/sqlite/schema/migrate.ts";
import { counted } from "../text/plural.ts";
import { quoteWord } from "../text/shell-word.ts";
import { type DataDirectory, locate } from "./data-directory.ts";
import { exportFolder, notesFolder, readVerifierKeys } from "./ledger-files.ts";
import { readNewestCheckpoints, setAside } from "./ledger-notes.ts";

/** Whether there is no database file, or one without content. */
export function isDatabaseMissing({ database }: DataDirectory): boolean {
  return sizeOf(database) === 0;
}

/** @throws Error that names the choices when the database is missing although other files of its ledger are there. */
export function refuseLostDatabase(directory: DataDirectory): void {
  if (isDatabaseMissing(directory)) refuseFormerFiles(directory);
}

/** The same for a database that has a header but no tables. */
export function refuseFormerFiles({ root, database }: DataDirectory): void {
  const traces = findTraces(root);
  if (traces === null) return;
  const state = existsSync(database) ? "is empty" : "is missing";
  throw new Error(
    `The database ${database} ${state}, but ${traces}. Restore the database from a backup. To begin a new installation instead: ${commandLine(root, "--new-installation")} (this moves the former files to a folder of their own).`,
  );
}

/** Whether the last server was killed: it has left its socket or its write-ahead log. Needs the lock of the directory. */
export function wasKilled({ database, socket }: DataDirectory): boolean {
  return isThere(socket) || hasLeftoverLog(database);
}

/**
 * To be called before the database is opened for writing; does nothing unless the last server was killed. Reads all of the file.
 * @throws Error that says what to do when the database and the write-ahead log beside it do not belong together.
 */
export function refuseForeignLog({ root, database }: DataDirectory, runtime: RuntimeFiles): void {
  if (!existsSync(database) || !hasLeftoverLog(database)) return;
  const found = findMixture({ path: database, runtime });
  if (found.length === 0) return;
  throw new Error(
    `The database ${database} and the write-ahead log memledger.db-wal beside it do not belong together, or are damaged: ${found.join("; ")}. Nothing was changed. First copy ${root} to another place. If you put a backup of memledger.db there, move memledger.db-wal and memledger.db-shm out of the directory, and start again. Otherwise restore the last backup into an empty directory.`,
  );
}

/** What a database file means that is not ours: beside the files of a ledger it is that ledger's, and damaged. */
export function explainForeignDatabase({ root, database }: DataDirectory): string {
  const traces = findTraces(root);
  return traces === null
    ? `${database} is not a memledger database. Choose another data directory with --data-dir.`
    : `The database ${database} is damaged: its first bytes are not those of a memledger database, but ${traces}. Keep a copy of the data directory, and restore the database from the last backup.`;
}

/** @throws Error when there is a database, which a new installation would have to replace. */
export function refuseExistingDatabase(directory: DataDirectory, runtime: RuntimeFiles): void {
  if (isDatabaseMissing(directory)) return;
  refuseForeignLog(directory, runtime);
  if (isWithoutTables({ path: directory.database, runtime })) return;
  throw new Error(
    `${directory.root} holds a database, so --new-installation is refused. Leave that option out, or choose an empty directory with --data-dir.`,
  );
}

/** Moves what is left of the former installation to a folder below `root`. @returns the folder; null when there was nothing. */
export function setFormerAside(root: string, now: number): string | null {
  if (findTraces(root) === null) return null;
  const folder = join(root, `former-${fileTime(now)}`);
  setAside(root, formerNames, folder);
  return folder;
}

/** Moves the checkpoint files that contradict the database to a folder beside them. @returns the folder. */
export function setNotesAside(root: string, files: readonly string[], now: number): string {
  const folder = join(notesFolder(root), `superseded-${fileTime(now)}`);
  setAside(notesFolder(root), files, folder);
  return folder;
}

/** @throws Error that names the choices for a database that lacks records which checkpoints attest. */
export function refuseOlderDatabase(
  { root, database }: DataDirectory,
  missing: readonly Missing<Checkpoint>[],
): void {
  const [first] = missing;
  if (first === undefined) return;
  const { chain, size } = first.checkpoint;
  const held =
    first.newest === null
      ? "the database does not have this chain"
      : first.newest < size
        ? `the database has ${first.newest}`
        : `the database has another record ${size}`;
  throw new Error(
    `The database ${database} does not have what checkpoints beside it attest: ${describe(first.checkpoint)}, but ${held}${andMore(missing.length - 1)}. It is an older copy, or records of chain ${chain} were removed. Put the newest database back. If you restored a backup on purpose, accept the loss: ${commandLine(root, "--restored-backup")} (this is recorded in the ledger, and these checkpoints are moved to a folder of their own).`,
  );
}

/** In this order: what shows that there was an installation goes last, so that a move that was cut short is noticed. */
const formerNames = [
  ...["memledger.db", "memledger.db-shm", "memledger.db-journal", "memledger.db-wal"],
  ...["exports", "audit.key", "audit.rotations", "checkpoints", "audit.pub"],
];

/** What shows that a ledger was written here; null when nothing does. A key alone may have been put there for the first start. */
function findTraces(root: string): string | null {
  const checkpoints = readNewestCheckpoints(root, null);
  const [newest] = checkpoints.toSorted((one, other) => other.at - one.at);
  if (newest !== undefined)
    return `checkpoints beside it attest records: ${describe(newest)}${andMore(checkpoints.length - 1)}`;
  const { database } = locate(root);
  // A first start that was cut short leaves a log too, but never without the file that it belongs to.
  if (!existsSync(database) && sizeOf(`${database}-wal`) > 0)
    return "its write-ahead log memledger.db-wal is there";
  if (readVerifierKeys(root).length > 0) return "audit.pub shows that a ledger was written here";
  return globSync("*", { cwd: exportFolder(root) }).length > 0 ? "there are exports of a ledger" : null;
}

function describe({ chain, size, at }: Checkpoint): string {
  return `chain ${chain} had ${counted(size, "record")} at ${toTimestamp(at)}`;
}

function andMore(count: number): string {
  if (count <= 0) return "";
  return ` (and the same for ${counted(count, "more chain")})`;
}

function commandLine(root: string, option: string): string {
  return `memledger serve ${option} --data-dir ${quoteWord(root)}`;
}

/** Without colons, which some file systems refuse. */
function fileTime(now: number): string {
  return toTimestamp(now).replaceAll(":", "-");
}

function isWithoutTables(file: DatabaseFile): boolean {
  const database = openWriting(file);
  try {
    return checkFormat(database) === 0;
  } finally {
    database.close();
  }
}

/** Also for a link whose target is gone. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
