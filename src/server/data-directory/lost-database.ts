// Owns what happens when the database of a ledger is missing or is an older copy: the error that says what to do, and moving the previous
// files to a separate folder. Must never delete a file.

import { globSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { sizeOfCheckpoint } from "../../audit/checkpoint.ts";
import type { Engine } from "../../calls/storage/engine.ts";
import type { MissingRecords, PublishedState } from "../../calls/storage/stored-ledger.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import { exportFolder, notesFolder, readVerifierKeys } from "../ledger/ledger-files.ts";
import { moveFiles, readNewestCheckpoints } from "../ledger/ledger-notes.ts";
import type { DataDirectory } from "./data-directory.ts";

/** A data directory and the engine of its database. */
export interface DatabasePlace {
  readonly directory: DataDirectory;
  readonly engine: Engine;
}

/** Whether there is no database, or one without content. */
export async function isDatabaseMissing({ engine }: Pick<DatabasePlace, "engine">): Promise<boolean> {
  return (await engine.findState()) !== "present";
}

/** @throws Error that says what to do when the database is missing but other files of its ledger exist */
export async function refuseLostDatabase(place: DatabasePlace): Promise<void> {
  if (await isDatabaseMissing(place)) await refusePreviousFiles(place);
}

/** The same check for a database that has a header but no tables. */
export async function refusePreviousFiles({ directory: { root }, engine }: DatabasePlace): Promise<void> {
  const traces = await findTraces(root, engine);
  if (traces === null) return;
  const state = (await engine.findState()) === "missing" ? "is missing" : "is empty";
  throw new Error(
    `The database ${engine.location} ${state}, but ${traces}. Restore the database from a backup. To start with a new database instead: ${commandLine(root, "--new-installation")} (this moves the remaining files to a separate folder).`,
  );
}

/** Whether the last server was killed: its socket, or files beside the database, still exist. The caller must have the lock. */
export async function wasKilled({ directory: { socket }, engine }: DatabasePlace): Promise<boolean> {
  return exists(socket) || (await engine.wasKilled());
}

/** Explains a file that is not a memledger database. If files of a ledger are beside it, it is the damaged database of that ledger. */
export async function explainForeignDatabase({
  directory: { root },
  engine,
}: DatabasePlace): Promise<string> {
  const traces = await findTraces(root, engine);
  return traces === null
    ? `${engine.location} is not a memledger database. Choose another data directory with --data-dir.`
    : `The database ${engine.location} is damaged: its header is not that of a memledger database, but ${traces}. Copy the data directory to another place, then restore the database from the last backup.`;
}

/** @throws Error when a database exists: a new installation would replace it */
export async function refuseExistingDatabase({ directory, engine }: DatabasePlace): Promise<void> {
  if (await isDatabaseMissing({ engine })) return;
  await engine.requireIntactLog();
  if (await engine.isUnused()) return;
  throw new Error(
    `${directory.root} contains a database, so --new-installation is refused. Remove that option, or choose an empty directory with --data-dir.`,
  );
}

/** Moves the files of the previous installation to a folder below the data directory. @returns the folder; null when there are none */
export async function movePreviousFiles(
  { directory: { root }, engine }: DatabasePlace,
  now: number,
): Promise<string | null> {
  if ((await findTraces(root, engine)) === null) return null;
  const folder = join(root, `former-${fileTime(now)}`);
  moveFiles(root, [...engine.files, ...previousNames], folder);
  return folder;
}

/** Moves checkpoint files that do not match the database to a folder beside them. @returns the folder */
export function moveNotes(root: string, files: readonly string[], now: number): string {
  const folder = join(notesFolder(root), `superseded-${fileTime(now)}`);
  moveFiles(notesFolder(root), files, folder);
  return folder;
}

/** @throws Error that says what to do when the database lacks records that checkpoints cover */
export function refuseOlderDatabase(
  { directory: { root }, engine }: DatabasePlace,
  missing: readonly MissingRecords<PublishedState>[],
): void {
  const [first] = missing;
  if (first === undefined) return;
  const { checkpoint, size } = first;
  const { chain } = checkpoint;
  const found =
    first.newest === null
      ? "the database does not contain this chain"
      : first.newest < size
        ? `the newest record in the database is ${first.newest}`
        : `record ${size} in the database is a different one`;
  throw new Error(
    `The database ${engine.location} does not match its checkpoints: ${describe(checkpoint, size)}, but ${found}${andMore(missing.length - 1)}. The database is an older copy, or records of chain ${chain} were removed. Restore the newest database. If you restored a backup on purpose, accept the loss: ${commandLine(root, "--restored-backup")} (this is recorded in the ledger, and these checkpoints are moved to a separate folder).`,
  );
}

/** In this order: the files that findTraces recognises are moved last, so that an interrupted move is detected. */
const previousNames = ["exports", "audit.key", "audit.rotations", "checkpoints", "audit.pub"];

/** Describes the files which show that a ledger was written here; null if there are none. A key alone may be intended for the first start. */
async function findTraces(root: string, engine: Engine): Promise<string | null> {
  const checkpoints = readNewestCheckpoints(root, null);
  const [largest] = checkpoints.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  if (largest !== undefined)
    return `there are checkpoints of its records: ${describe(largest, sizeOf(largest))}${andMore(checkpoints.length - 1)}`;
  const left = await engine.findTraces();
  if (left !== null) return left;
  if (readVerifierKeys(root).length > 0) return "audit.pub exists, so a ledger was written here";
  return globSync("*", { cwd: exportFolder(root) }).length > 0 ? "there are exports of a ledger" : null;
}

/** Of a checkpoint of version 2 at least so many: a chain that a previous version has begun may have lost records to retention before. */
function sizeOf(checkpoint: PublishedState): number {
  return sizeOfCheckpoint(checkpoint, 0);
}

/** Only a checkpoint of version 1 has a time. */
function describe(checkpoint: PublishedState, size: number): string {
  const at = "at" in checkpoint ? ` at ${toTimestamp(checkpoint.at)}` : "";
  return `chain ${checkpoint.chain} had ${counted(size, "record")}${at}`;
}

function andMore(count: number): string {
  if (count <= 0) return "";
  return ` (and the same for ${counted(count, "more chain")})`;
}

function commandLine(root: string, option: string): string {
  return `memledger serve ${option} --data-dir ${quoteWord(root)}`;
}

/** A timestamp without colons, which some file systems do not allow. */
function fileTime(now: number): string {
  return toTimestamp(now).replaceAll(":", "-");
}

/** Also true for a symbolic link without a target. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
