// Owns reading and replacing a configuration file of another program. A file is replaced completely or not at all, keeps its mode, its
// owner and the link that leads to it, and never loses a change that somebody else made meanwhile. Must never know what is in it.

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { makeFolder, syncFolder } from "../../platform/files/durable.ts";
import { nearestFolder } from "../../platform/files/nearest-folder.ts";
import { RefusedFile, withRegularFile } from "../../platform/files/regular-file.ts";
import { backupsMax, configurationMaxBytes } from "./limits.ts";
import { BusyConfiguration, createNewFile, writeAs } from "./new-file.ts";
import { UnusableConfiguration } from "./text-edit.ts";

export interface ConfigurationFile {
  /** As the assistant names it; may be a link. */
  readonly path: string;
  /** Without a byte order mark; null: there is no file. */
  readonly text: string | null;
  /** Of the file that a link leads to; null: there is no file. */
  readonly bytes: Buffer | null;
  /** Whether the file begins with a byte order mark. */
  readonly hasMark: boolean;
}

const byteOrderMark = "\uFEFF";
const backupSuffix = ".memledger-backup";

/** @throws UnusableConfiguration when it is no regular file or not UTF-8; the error of the operating system */
export function readConfiguration(path: string): ConfigurationFile {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    // A path below a file, or without permission, must not look like a missing file.
    requireReachable(path);
    return { path, text: null, bytes: null, hasMark: false };
  }
  const bytes = readBytes(path);
  return { path, text: decode(bytes), bytes, hasMark: hasMark(bytes) };
}

/**
 * Replaces the file with `text`, or removes it when `text` is null. Missing folders are created. A file that had content is kept as a
 * backup first, when `keepsBackup`.
 * @param options.isPrivate takes the permissions of all other users away
 * @returns the path of the backup; null when there is none
 * @throws BusyConfiguration when the file is not as it was read; UnusableConfiguration when it is read-only
 */
export function replaceConfiguration(
  file: ConfigurationFile,
  text: string | null,
  { keepsBackup, isPrivate = false }: { readonly keepsBackup: boolean; readonly isPrivate?: boolean },
): string | null {
  requireReplaceable(file.path);
  const target = resolveLink(file.path);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) makeFolder(dirname(target));
  using created = createNewFile(target);
  const mark = file.hasMark ? byteOrderMark : "";
  writeAs(created.descriptor, mark + (text ?? ""), found, isPrivate);
  requireUnchanged(file, target);
  const backup =
    keepsBackup && file.bytes !== null ? keepBackup(file.path, file.bytes, found, isPrivate) : null;
  // Writing the backup takes some milliseconds.
  requireUnchanged(file, target);
  if (text === null) rmSync(target, { force: true });
  else created.replace();
  syncFolder(dirname(target));
  return backup;
}

/**
 * Replacing a file needs no permission on the file itself, but a read-only file is meant to stay as it is.
 * @throws UnusableConfiguration; the error of the operating system
 */
export function requireReplaceable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if ((found.mode & 0o222) === 0)
    throw new UnusableConfiguration("read-only", "Make the file writable and try again.");
  accessSync(path, constants.W_OK);
}

/** Whether other users may read the file. On Windows its folder decides, which belongs to the user. */
export function isOpenToOthers(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return process.platform !== "win32" && found !== undefined && (found.mode & 0o077) !== 0;
}

/**
 * A project may come from somebody else, with links to files of the user.
 * @throws UnusableConfiguration when links lead out of the folder
 */
export function requireInside(path: string, folder: string): void {
  const target = resolveLink(path);
  const way = relative(realpathSync(folder), target);
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return;
  throw new UnusableConfiguration(
    `a symbolic link leads out of the project, to ${target}`,
    "Replace the link by a file or a folder, or use --scope user.",
  );
}

/** The contents that were kept, the newest first; those that are no text are left out. */
export function readBackups(path: string): string[] {
  const texts: string[] = [];
  for (const name of backupNames(path)) {
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) break;
    try {
      texts.unshift(decode(readBytes(name)));
    } catch (error) {
      if (!(error instanceof UnusableConfiguration)) throw error;
    }
  }
  return texts;
}

function readBytes(path: string): Buffer {
  try {
    return withRegularFile(path, (descriptor, size) => {
      if (size > configurationMaxBytes)
        throw new RefusedFile(path, `has ${size} bytes; the maximum is ${configurationMaxBytes}`);
      return readFileSync(descriptor);
    });
  } catch (error) {
    if (error instanceof RefusedFile)
      throw new UnusableConfiguration(error.message.replace(`${path} `, "").replace(/\.$/, ""));
    throw error;
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnusableConfiguration("not UTF-8", "Save the file as UTF-8 and try again.");
  }
}

function hasMark(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).equals(Buffer.from(byteOrderMark));
}

/** @throws the error of the operating system, except that a folder on the way does not exist yet */
function requireReachable(path: string): void {
  try {
    lstatSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
}

/** Where a link leads, also when there is no file yet. */
function resolveLink(path: string): string {
  let target = path;
  for (let links = 0; links < 40 && lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    target = resolve(dirname(target), readlinkSync(target));
  }
  // Not of the file: Bun opens it, and does not find its name when another process replaces it meanwhile.
  const folder = nearestFolder(target);
  return existsSync(folder) ? join(realpathSync(folder), relative(folder, target)) : target;
}

function requireUnchanged(file: ConfigurationFile, target: string): void {
  const exists = statSync(target, { throwIfNoEntry: false }) !== undefined;
  const isSame = file.bytes === null ? !exists : exists && readBytes(target).equals(file.bytes);
  if (!isSame) throw new BusyConfiguration("Another program changed this file at the same time. Try again.");
}

/** The same content is kept once. */
function keepBackup(path: string, bytes: Buffer, found: Stats | undefined, isPrivate: boolean): string {
  for (const name of backupNames(path)) {
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) {
      writeBackup(name, bytes, found, isPrivate);
      return name;
    }
    if (statSync(name, { throwIfNoEntry: false })?.isFile() && readFileSync(name).equals(bytes)) return name;
  }
  throw new UnusableConfiguration(
    "too many backups",
    `Remove the files ${path}${backupSuffix}-* that you no longer need.`,
  );
}

/** Whole or not at all. */
function writeBackup(name: string, bytes: Buffer, found: Stats | undefined, isPrivate: boolean): void {
  const descriptor = openSync(name, "wx", 0o600);
  try {
    writeAs(descriptor, bytes, found, isPrivate);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** `mcp.json.memledger-backup`, `mcp.json.memledger-backup-2`, ... */
function* backupNames(path: string): Generator<string> {
  yield path + backupSuffix;
  for (let number = 2; number <= backupsMax; number++) yield `${path}${backupSuffix}-${number}`;
}
