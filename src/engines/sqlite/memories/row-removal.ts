// Owns the SQL that deletes the rows of memories, with their words and vectors. Counts nothing: the caller does.

import type { Database } from "../../../platform/native/sqlite.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { createWordRemoval } from "../words/words.ts";

/** @returns a function that deletes the memories with these serials */
export function createRowRemoval(
  database: Database,
  state: WriterState,
): (serials: readonly number[]) => void {
  const removeWords = createWordRemoval(database, state);
  const statements = [
    "DELETE FROM memory_vector WHERE memory = ?",
    "DELETE FROM memory_vector_next WHERE memory = ?",
    "DELETE FROM memory WHERE serial = ?",
  ].map((sql) => database.prepare<[number]>(sql));
  return (serials) => {
    removeWords(serials);
    for (const serial of serials) for (const statement of statements) statement.run(serial);
  };
}
