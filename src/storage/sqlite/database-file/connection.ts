// Owns how connections to the database are opened: pragmas and extensions. The writer's is the only one that may write, and
// nothing is written to a file that is not ours.

import { chmodSync, existsSync } from "node:fs";
import type { RuntimeFiles } from "../../../native/runtime.ts";
import { type Database, type DatabaseOptions, loadVec, openDatabase } from "../../../native/sqlite.ts";
import { checkFormat, migrate } from "../schema/migrate.ts";
import { requireOwnFiles } from "./adjacent-files.ts";

export interface DatabaseFile {
  readonly path: string;
  readonly runtime: RuntimeFiles;
}

/**
 * Acknowledged writes survive power loss: with `synchronous = NORMAL` a torn WAL loses commits that were answered.
 * @throws Error that says what to do when the file is not ours or newer than the program; it is left untouched.
 */
export function openWriting({ path, runtime }: DatabaseFile): Database {
  const database = openChecked(path, runtime, { timeout: 1_000 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // macOS alone needs to be asked: its fsync stops at the cache of the drive.
  database.pragma("fullfsync = ON");
  database.pragma("foreign_keys = ON");
  // What was deleted is overwritten: an erasure must not leave its text in free pages.
  database.pragma("secure_delete = ON");
  database.pragma("temp_store = MEMORY");
  database.pragma("cache_size = -32768");
  loadVec(database, runtime);
  return database;
}

/**
 * Opens for writing, in the current format; creates the file, for its owner only, when there is none.
 * @param onUnused called before anything is written to a database without tables; rejects to leave it so.
 * @throws as openWriting does.
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
  loadVec(database, runtime);
  return database;
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
