// Opens SQLite databases with the prepared native library. Must never choose pragmas, schema or paths.

import BetterSqlite from "better-sqlite3";
import { explainLoadFailure } from "./addon.ts";
import type { RuntimeFiles } from "./runtime.ts";

/** `using` closes it. */
export type Database = BetterSqlite.Database & Disposable;
export type DatabaseOptions = Readonly<Omit<BetterSqlite.Options, "nativeBinding">>;

/** The class of all errors of SQLite; `code` is the name of the result code. */
export const SqliteError = BetterSqlite.SqliteError;

/** Opens or creates the database at `path`. @throws SqliteError, or an Error that says why the native library cannot be loaded */
export function openDatabase(path: string, runtime: RuntimeFiles, options: DatabaseOptions = {}): Database {
  try {
    const database = new BetterSqlite(path, { ...options, nativeBinding: runtime.sqliteAddon });
    return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
  } catch (error) {
    throw error instanceof SqliteError ? error : explainLoadFailure(runtime.sqliteAddon, error);
  }
}

/** Loads the sqlite-vec extension on this connection. */
export function loadVec(database: Database, runtime: RuntimeFiles): void {
  database.loadExtension(runtime.vecExtension);
}
