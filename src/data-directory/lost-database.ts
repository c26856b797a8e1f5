// Owns what happens when files of a ledger are there and its database is not, or is an older copy: the error that names the choices,
// and setting the former files aside. Never deletes one.

import { globSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Checkpoint } from "../audit/checkpoint.ts";
import { toTimestamp } from "../clock.ts";
import type { Engine } from "../storage/engine.ts";
import type { MissingRecords } from "../storage/stored-ledger.ts";
import { counted } from "../text/plural.ts";
import { quoteWord } from "../text/shell-word.ts";
import type { DataDirectory } from "./data-directory.ts";
import { exportFolder, notesFolder, readVerifierKeys } from "./ledger-files.ts";
import { readNewestCheckpoints, setAside } from "./ledger-notes.ts";

/** A data directory and the engine of its database. */
export interface DatabasePlace {
  readonly directory: DataDirectory;
  readonly engine: Engine;
}

/** Whether there is no database, or one without content. */
export async function isDatabaseMissing({ engine }: Pick<DatabasePlace, "engine">): Promise<boolean> {
  return (await engine.findState()) !== "present";
}

/** @throws Error that names the choices when the database is missing although other files of its ledger are there. */
export async function refuseLostDatabase(place: DatabasePlace): Promise<void> {
  if (await isDatabaseMissing(place)) await refuseFormerFiles(place);
}

/** The same for a database that has a header but no tables. */
export async function refuseFormerFiles({ directory: { root }, engine }: DatabasePlace): Promise<void> {
  const traces = await findTraces(root, engine);
  if (traces === null) return;
  const state = (await engine.findState()) === "missing" ? "is missing" : "is empty";
  throw new Error(
    `The database ${engine.location} ${state}, but ${traces}. Restore the database from a backup. To begin a new installation instead: ${commandLine(root, "--new-installation")} (this moves the former files to a folder of their own).`,
  );
}

/** Whether the last server was killed: it has left its socket, or something beside the database. Needs the lock of the directory. */
export async function wasKilled({ directory: { socket }, engine }: DatabasePlace): Promise<boolean> {
  return isThere(socket) || (await engine.wasKilled());
}

/** What a database file means that is not ours: beside the files of a ledger it is that ledger's, and damaged. */
export async function explainForeignDatabase({
  directory: { root },
  engine,
}: DatabasePlace): Promise<string> {
  const traces = await findTraces(root, engine);
  return traces === null
    ? `${engine.location} is not a memledger database. Choose another data directory with --data-dir.`
    : `The database ${engine.location} is damaged: its first bytes are not those of a memledger database, but ${traces}. Keep a copy of the data directory, and restore the database from the last backup.`;
}

/** @throws Error when there is a database, which a new installation would have to replace. */
export async function refuseExistingDatabase({ directory, engine }: DatabasePlace): Promise<void> {
  if (await isDatabaseMissing({ engine })) return;
  await engine.requireIntactRemains();
  if (await engine.isUnused()) return;
  throw new Error(
    `${directory.root} holds a database, so --new-installation is refused. Leave that option out, or choose an empty directory with --data-dir.`,
  );
}

/** Moves what is left of the former installation to a folder below its root. @returns the folder; null when there was nothing. */
export async function setFormerAside(
  { directory: { root }, engine }: DatabasePlace,
  now: number,
): Promise<string | null> {
  if ((await findTraces(root, engine)) === null) return null;
  const folder = join(root, `former-${fileTime(now)}`);
  setAside(root, [...engine.files, ...formerNames], folder);
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
  { directory: { root }, engine }: DatabasePlace,
  missing: readonly MissingRecords<Checkpoint>[],
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
    `The database ${engine.location} does not have what checkpoints beside it attest: ${describe(first.checkpoint)}, but ${held}${andMore(missing.length - 1)}. It is an older copy, or records of chain ${chain} were removed. Put the newest database back. If you restored a backup on purpose, accept the loss: ${commandLine(root, "--restored-backup")} (this is recorded in the ledger, and these checkpoints are moved to a folder of their own).`,
  );
}

/** In this order: what shows that there was an installation goes last, so that a move that was cut short is noticed. */
const formerNames = ["exports", "audit.key", "audit.rotations", "checkpoints", "audit.pub"];

/** What shows that a ledger was written here; null when nothing does. A key alone may have been put there for the first start. */
async function findTraces(root: string, engine: Engine): Promise<string | null> {
  const checkpoints = readNewestCheckpoints(root, null);
  const [newest] = checkpoints.toSorted((one, other) => other.at - one.at);
  if (newest !== undefined)
    return `checkpoints beside it attest records: ${describe(newest)}${andMore(checkpoints.length - 1)}`;
  const left = await engine.findTraces();
  if (left !== null) return left;
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

/** Also for a link whose target is gone. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
