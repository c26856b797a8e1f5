// Owns the check that a write-ahead log which a killed server left belongs to the database. SQLite applies every log that it finds: if
// the database file was restored from a backup, the result is a mixture of two databases. Must never write, and never copy the log
// into the database file.

import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Database, SqliteError } from "../../../platform/native/sqlite.ts";
import { type DatabaseFile, openReading } from "./connection.ts";
import { isDamage } from "./disk-failure.ts";

/** A server that stops in order removes its log, so a log with content was left by a server that was killed. */
export function hasLeftoverLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Does nothing without a log of a killed server. Reads the whole database.
 * @throws Error that says what to do when the database and the log do not belong together
 */
export function requireOwnLog(file: DatabaseFile): void {
  if (!existsSync(file.path) || !hasLeftoverLog(file.path)) return;
  const found = findMixture(file);
  if (found.length === 0) return;
  const name = basename(file.path);
  throw new Error(
    `The database ${file.path} and the write-ahead log ${name}-wal beside it do not belong together, or are damaged: ${found.join("; ")}. Nothing was changed. First copy ${dirname(file.path)} to another place. If you put a backup of ${name} there, move ${name}-wal and ${name}-shm out of the directory, and start again. Otherwise restore the last backup into an empty directory.`,
  );
}

/**
 * The faults of the database with its log applied; empty when both belong together. Reads the whole file.
 * The connection is read-only: the last connection that can write copies the log into the file when it closes.
 */
function findMixture(file: DatabaseFile): readonly string[] {
  try {
    using database = openReading(file);
    return [...damagedPages(database), ...incompleteChains(database)];
  } catch (error) {
    if (error instanceof SqliteError && isDamage(error)) return [error.message];
    throw error;
  }
}

/** quick_check also finds pages that no table uses. The log states the size of its database, so a log of another database adds such pages. */
function damagedPages(database: Database): readonly string[] {
  const found = database.prepare("PRAGMA quick_check(3)").pluck().all().map(String);
  return found.filter((line) => line !== "ok");
}

/** All pages can be valid although records between the state of the file and that of the log are missing. */
function incompleteChains(database: Database): readonly string[] {
  const format = Number(database.pragma("user_version", { simple: true }));
  if (format < 2) return [];
  return database
    .prepare<[], string>(
      `SELECT c.id FROM audit_entry e JOIN audit_chain c ON c.number = e.chain
       WHERE e.seq > COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = e.chain), 0)
       GROUP BY e.chain HAVING MAX(e.seq) - MIN(e.seq) + 1 <> COUNT(*) LIMIT 3`,
    )
    .pluck()
    .all()
    .map((chain) => `the chain ${chain} has a gap: records are missing`);
}
