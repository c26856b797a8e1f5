// Owns restoring a backup: it is unpacked and verified beside the data directory, which it becomes only when every check has passed.
// Must never change a data directory that contains anything.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isUnfinished, removeUnfinished, temporaryPath } from "../../calls/operations/backups/unfinished.ts";
import type { RestoredAccess } from "../../calls/storage/engine.ts";
import { makeFolder, syncFolder } from "../../platform/files/durable.ts";
import { explainedAs } from "../../platform/files/system-error.ts";
import { locate } from "../data-directory/data-directory.ts";
import { DirectoryInUse } from "../data-directory/directory-in-use.ts";
import { createDirectoryLocker } from "../data-directory/directory-lock.ts";
import { requireOwnership } from "../data-directory/ownership.ts";
import { type UnpackOptions, unpackBackup } from "./archive-reader.ts";
import { requireIntact, type UnpackedBackup, withEngine } from "./verify-backup.ts";

interface UnpackPlace extends UnpackOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Unpacks a backup to a new folder in `parent`, checks every file and the pages of the database, and passes it to `work`. The folder is
 * removed afterwards, unless `work` has moved it.
 * @throws UnusableBackup; Error that says what to do; errors of the file system
 */
export async function withUnpacked<Result>(
  path: string,
  parent: string,
  { now, ...options }: UnpackPlace,
  work: (unpacked: UnpackedBackup) => Promise<Result>,
): Promise<Result> {
  // Before anything is created: a path that does not exist is the most frequent mistake.
  statSync(path);
  const folder = temporaryPath(parent, "restore");
  try {
    removeUnfinished(parent, now);
    mkdirSync(folder, { mode: 0o700 });
    const manifest = await unpackBackup(path, folder, options);
    await requireIntact(path, folder, manifest);
    options.signal?.throwIfAborted();
    return await work({ folder, manifest });
  } catch (error) {
    throw explainedAs(`The backup cannot be unpacked in ${parent}`, error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a restore does with the access that was possible when the backup was made. */
export interface EndedAccess extends RestoredAccess {
  /** Null: they remain in force. */
  readonly revokedKeys: number | null;
  /** Number of sessions of the console and of sign-in links. Tokens have ended, too: nobody knows how many there are. */
  readonly endedSessions: number;
}

/**
 * Ends the sessions of the console, the sign-in links and the tokens of an unpacked backup: a person whose session was revoked after the
 * backup must not be signed in again. Keys are revoked only on request, because clients need them.
 */
export async function endAccess(
  { folder }: UnpackedBackup,
  { revokesKeys, now }: { readonly revokesKeys: boolean; readonly now: number },
): Promise<EndedAccess> {
  return withEngine(folder, async (engine) => {
    const revokedKeys = revokesKeys ? await engine.revokeKeys(now) : null;
    const endedSessions = await engine.endSessions();
    return { ...(await engine.listAccess(now)), revokedKeys, endedSessions };
  });
}

/** @throws DirectoryInUse; Error that says what to do when the directory contains anything */
export async function requireEmptyDirectory(dataDir: string): Promise<void> {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory())
    throw new Error(`${dataDir} is a file, not a directory. Choose another directory with --data-dir.`);
  const entries = entriesOf(dataDir);
  if (entries.length === 0) return;
  if (existsSync(locate(dataDir).lock)) {
    const lock = await createDirectoryLocker(dataDir)();
    if (lock === null) throw new DirectoryInUse(dataDir);
    lock.release();
  }
  throw new Error(
    `${dataDir} is not empty: it contains ${entries.slice(0, 3).join(", ")}. A backup is restored only into an empty or a new directory. Choose another one with --data-dir, or move these files to another place first.`,
  );
}

/**
 * The folder in which a backup for this data directory is unpacked. It is on the same file system.
 * @throws Error that says what to do when the directory belongs to another user
 */
export function unpackingFolder(dataDir: string): string {
  if (existsSync(dataDir)) requireOwnership(dataDir);
  makeFolder(dirname(dataDir));
  return mustStay(dataDir) ? dataDir : dirname(dataDir);
}

/** Moves an unpacked backup into place. Power may be lost at any time: then the directory is as before, or complete, or not startable. */
export function placeUnpacked({ folder }: UnpackedBackup, dataDir: string): void {
  if (!mustStay(dataDir)) {
    // Not replaced: a directory that has been filled meanwhile is not removed.
    if (existsSync(dataDir)) rmdirSync(dataDir);
    syncFolder(folder);
    renameSync(folder, dataDir);
    syncFolder(dirname(dataDir));
    return;
  }
  // The database is moved last: without it a server refuses to start beside the other files.
  const database = basename(locate(folder).database);
  const others = readdirSync(folder).filter((name) => name !== database);
  for (const name of [...others, database]) {
    renameSync(join(folder, name), join(dataDir, name));
    syncFolder(dataDir);
  }
}

/** Whether the directory cannot be replaced by another one: it is mounted, or its parent is not writable for this user. */
function mustStay(dataDir: string): boolean {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return found.dev !== statSync(dirname(dataDir)).dev || !isWritable(dirname(dataDir));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Without the folder that a new file system contains, and those of other restores. */
function entriesOf(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) => name !== "lost+found" && !isUnfinished(name));
}
