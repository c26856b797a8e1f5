// Owns the check that the open database is still the file with its name. On Unix a file that was removed or replaced stays open: commits
// would succeed, and nobody could ever read what they wrote.

import { statSync } from "node:fs";
import { SqliteError } from "../../../platform/native/sqlite.ts";

/** @returns a function that throws SqliteError SQLITE_READONLY_DBMOVED once the file at `path` is another one or none */
export function watchFile(path: string): () => void {
  const inode = inodeOf(path);
  return () => {
    if (inodeOf(path) === inode) return;
    throw new SqliteError("the database file was removed or replaced", "SQLITE_READONLY_DBMOVED");
  };
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
