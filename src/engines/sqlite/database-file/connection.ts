// Owns how connections to the database are opened: pragmas and extensions. Only the writer opens one for writing, and nothing is written
// to a file that is not a memledger database.

import { chmodSync, existsSync } from "node:fs";
import type { RuntimeFiles } from "../../../platform/native/runtime.ts";
import {
  type Database,
  type DatabaseOptions,
  loadVec,
  openDatabase,
} from "../../../platform/native/sqlite.ts";
import { checkFormat, migrate } from "../schema/migrate.ts";
import { requireOwnFiles } from "./adjacent-files.ts";

export interface DatabaseFile {
  readonly path: string;
  readonly runtime: RuntimeFiles;
}

/** How long a writing connection waits for the lock of another one. */
const lockWaitMs = 1_000;

/**
 * Pages of the database that a connection keeps, at most. A cache fills as the database grows, so the sum over all connections is part of
 * what a server needs. A reading connection drops its pages when another one has committed, so more of them would rarely be used again.
 */
const writingCacheKiB = 32 * 1024;
export const readingCacheKiB = 4 * 1024;

/**
 * Answered writes survive a power loss. With `synchronous = NORMAL` an incomplete write-ahead log would lose answered commits.
 * @param attempts how often a transaction is performed that meets a lock; all attempts together wait as long as one
 * @throws Error that says what to do when the file is not a memledger database or was written by a newer program; the file is not changed
 */
export function openWriting({ path, runtime }: DatabaseFile, attempts = 1): Database {
  const database = openChecked(path, runtime, { timeout: lockWaitMs / attempts });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // For macOS only: its fsync does not flush the cache of the drive.
  database.pragma("fullfsync = ON");
  database.pragma("foreign_keys = ON");
  // Deleted content is overwritten: free pages must not contain erased text.
  database.pragma("secure_delete = ON");
  database.pragma("temp_store = MEMORY");
  database.pragma(`cache_size = -${writingCacheKiB}`);
  loadVec(database, runtime);
  return database;
}

/**
 * Opens the database for writing and migrates it to the current format. If the file does not exist, creates it, accessible to its owner only.
 * @param onUnused called before anything is written to a database without tables; if it rejects, nothing is written
 * @throws as openWriting does
 */
export async function openCurrent(
  file: DatabaseFile,
  onUnused: () => Promise<void> = async () => undefined,
): Promise<Database> {
  const isNew = !existsSync(file.path);
  const database = openWriting(file);
  try {
    if (isNew) chmodSync(file.path, 0o600);
    if (checkFormat(database) === 0) await onUnused();
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function openReading({ path, runtime }: DatabaseFile): Database {
  const database = openChecked(path, runtime, { timeout: 5_000, readonly: true, fileMustExist: true });
  database.pragma("temp_store = MEMORY");
  database.pragma(`cache_size = -${readingCacheKiB}`);
  loadVec(database, runtime);
  return database;
}

/**
 * Copies the write-ahead log into the database and empties it.
 * @param waitMs how long it waits for readers that hold the log
 * @returns false when one of them held it for longer
 */
export function emptyLog(database: Database, waitMs = lockWaitMs): boolean {
  const timeoutMs = database.pragma("busy_timeout", { simple: true });
  // It is not repeated, as transactions are.
  database.pragma(`busy_timeout = ${waitMs}`);
  try {
    return database.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
  } finally {
    database.pragma(`busy_timeout = ${timeoutMs}`);
  }
}

function openChecked(path: string, runtime: RuntimeFiles, options: DatabaseOptions): Database {
  requireOwnFiles(path);
  const database = openDatabase(path, runtime, options);
  try {
    checkFormat(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
