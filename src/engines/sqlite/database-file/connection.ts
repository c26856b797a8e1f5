// Owns how connections to the database are opened: pragmas and extensions. Only the writer opens one for writing, and nothing is written
// to a file that is not a memledger database.

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
 * Answered writes survive a power loss. With `synchronous = NORMAL` an incomplete write-ahead log would lose answered commits.
 * @throws Error that says what to do when the file is not a memledger database or was written by a newer program; the file is not changed
 */
export function openWriting({ path, runtime }: DatabaseFile): Database {
  const database = openChecked(path, runtime, { timeout: 1_000 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  // For macOS only: its fsync does not flush the cache of the drive.
  database.pragma("fullfsync = ON");
  database.pragma("foreign_keys = ON");
  // Deleted content is overwritten: free pages must not contain erased text.
  database.pragma("secure_delete = ON");
  database.pragma("temp_store = MEMORY");
  database.pragma("cache_size = -32768");
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
