// Opens SQLite databases with the native library of this runtime. Must never decide on pragmas, schema or paths.

import BetterSqlite from "better-sqlite3";
import { explainLoadFailure } from "./addon.ts";
import type { RuntimeFiles } from "./runtime.ts";

export type Database = BetterSqlite.Database;
export type DatabaseOptions = Readonly<Omit<BetterSqlite.Options, "nativeBinding">>;

/** The error class of everything SQLite refuses; `code` is the name of its result code. */
export const SqliteError = BetterSqlite.SqliteError;

/** Opens or creates the database at `path`. Throws SqliteError, or an Error that says why the native library cannot be loaded. */
export function openDatabase(path: string, runtime: RuntimeFiles, options: DatabaseOptions = {}): Database {
  try {
    return new BetterSqlite(path, { ...options, nativeBinding: runtime.sqliteAddon });
  } catch (error) {
    throw error instanceof SqliteError ? error : explainLoadFailure(runtime.sqliteAddon, error);
  }
}

/** Makes sqlite-vec's functions and `vec0` tables available on this connection. */
export function loadVec(database: Database, runtime: RuntimeFiles): void {
  database.loadExtension(runtime.vecExtension);
}
