// Owns the question whether a write-ahead log that is left beside a database belongs to it. SQLite applies such a log without asking:
// beside a file that was restored from a backup it mixes two databases. Must never write, and never copy the log into the file.

import { statSync } from "node:fs";
import { type Database, SqliteError } from "../../../native/sqlite.ts";
import { type DatabaseFile, openReading } from "./connection.ts";
import { isDamage } from "./disk-failure.ts";

/** A server that ends in order removes its log, so one that has content is left by a server that was killed. */
export function hasLeftoverLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * What is wrong with the database as it is with its log; empty when both belong together. Reads all of the file.
 * The connection is read-only: the last one that can write would copy the log into the file when it closes.
 */
export function findMixture(file: DatabaseFile): readonly string[] {
  try {
    const database = openReading(file);
    try {
      return [...damagedPages(database), ...incompleteChains(database)];
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof SqliteError && isDamage(error)) return [error.message];
    throw error;
  }
}

/** The check of the whole file also finds pages that no table uses: the log names the size of the file that it belongs to. */
function damagedPages(database: Database): readonly string[] {
  const found = database.prepare("PRAGMA quick_check(3)").pluck().all().map(String);
  return found.filter((line) => line !== "ok");
}

/** Both files may be in order page by page while records between the two are missing. */
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
    .map((chain) => `records of the chain ${chain} are missing between others`);
}
