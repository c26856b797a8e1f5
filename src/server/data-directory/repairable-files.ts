// Owns which files of a data directory are left over from processes that ended, or accessible to others, and what is done about each.
// Needs the lock of the directory, so that no process uses them. Must never name the database, the ledger's files or the configuration
// as left over.

import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../calls/storage/engine.ts";
import type { RuntimeFiles } from "../../platform/native/runtime.ts";
import { listModelCopies, modelCopiesFolder } from "../model/model-copies.ts";
import { isRunning } from "../start-marker.ts";
import type { DataDirectory } from "./data-directory.ts";

/** One thing to do. */
export interface FileRepair {
  readonly path: string;
  readonly action: "remove" | "restrict";
  /** Why, as a clause. */
  readonly reason: string;
}

interface Place {
  readonly directory: DataDirectory;
  readonly engine: Engine;
  readonly runtime: RuntimeFiles;
}

/**
 * Written by files/durable.ts, model-copies.ts and start-marker.ts before they are renamed; a process that was killed leaves them. Its
 * number is in the name. Hooks and reembed write without the lock, so the process may still run.
 */
const temporary = /\.(\d+)\.tmp$|^memledger\.starting-(\d+)$/;
/** Of a set of native libraries: native/runtime.ts. */
const runtimeName = /^[0-9a-f]{16}$/;
/** Of the files in the data directory itself, where files of the user may be, too. */
const ownName = /^(audit|memledger)\./;
/** An export of this name, its manifest or its unfinished part. */
const exportFile = /^([0-9a-f-]{32,36})\./;
const secretFiles = /^(audit\.key|memledger\.(db(-wal|-shm|-journal)?|toml))$/;

/** @param isDatabaseIntact false: the database is not asked, so nothing is decided by its content */
export async function findFileRepairs(place: Place, isDatabaseIntact: boolean): Promise<FileRepair[]> {
  const { directory } = place;
  return [
    ...findOpenFiles(directory.root),
    ...findTemporary(directory.root),
    ...findSocket(directory),
    ...findRuntimes(place),
    ...(isDatabaseIntact ? await findModels(place) : []),
    ...(isDatabaseIntact ? await findExports(place) : []),
  ];
}

export function repairFile({ path, action }: FileRepair): void {
  if (action === "remove") rmSync(path, { recursive: true, force: true });
  else chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
}

function findOpenFiles(root: string): FileRepair[] {
  if (process.platform === "win32") return [];
  const paths = [root, ...namesIn(root).flatMap((name) => (secretFiles.test(name) ? join(root, name) : []))];
  return paths
    .filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0)
    .map((path) => ({ path, action: "restrict", reason: "it is accessible to other users" }));
}

function findTemporary(root: string): FileRepair[] {
  const folders = ["checkpoints", "exports", "hooks", "models"].map((name) => join(root, name));
  const names = namesIn(root).filter((name) => ownName.test(name));
  return [root, ...folders].flatMap((folder) =>
    (folder === root ? names : namesIn(folder))
      .filter(isLeftOver)
      .map((name) => remove(join(folder, name), "a process that was ended left it")),
  );
}

function isLeftOver(name: string): boolean {
  const [, writer, starter] = temporary.exec(name) ?? [];
  const process = writer ?? starter;
  return process !== undefined && !isRunning(Number(process));
}

/** Nobody listens, because this process has the lock. */
function findSocket({ socket, startMarker }: DataDirectory): FileRepair[] {
  return (
    [socket, startMarker]
      .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      // A program that starts a server waits for the lock now.
      .filter((path) => path !== startMarker || !isMarkedByRunning(path))
      .map((path) => remove(path, "a process that was ended left it"))
  );
}

function isMarkedByRunning(marker: string): boolean {
  return isRunning(Number.parseInt(readFileSync(marker, "utf8"), 10));
}

/** From source, nothing is unpacked, and it is not known which set an executable uses. */
function findRuntimes({ directory, runtime }: Place): FileRepair[] {
  if (!runtime.sqliteAddon.startsWith(directory.runtime)) return [];
  return namesIn(directory.runtime)
    .filter((name) => runtimeName.test(name))
    .map((name) => join(directory.runtime, name))
    .filter((path) => !runtime.sqliteAddon.startsWith(join(path, "/")))
    .map((path) => remove(path, "it has the native libraries of another version"));
}

async function findModels({ directory: { root }, engine }: Place): Promise<FileRepair[]> {
  const kept = listModelCopies(root);
  if (kept.length === 0) return [];
  const { model, modelChange } = await engine.inspect();
  const used = [model?.sha256, modelChange?.to.sha256];
  return kept
    .filter((sha256) => !used.includes(sha256))
    .map((sha256) =>
      remove(join(modelCopiesFolder(root), sha256), "it is the copy of a model that is not used"),
    );
}

async function findExports({ directory: { root }, engine }: Place): Promise<FileRepair[]> {
  const folder = join(root, "exports");
  const found: FileRepair[] = [];
  for (const name of namesIn(folder)) {
    const id = exportFile.exec(name)?.[1];
    if (id === undefined || temporary.test(name)) continue;
    const known = await engine.findExport(folder, id);
    if (known === null) found.push(remove(join(folder, name), "the database has no such export"));
  }
  return found;
}

function remove(path: string, reason: string): FileRepair {
  return { path, action: "remove", reason };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}
