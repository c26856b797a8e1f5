// Finds what a database has wrong beside its ledger: vectors and words that do not fit the memories. Must never write to the database;
// what it compares is in temporary tables, in memory.

import type { DatabaseFaults } from "../../../calls/storage/repairs.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { aliveJoin, searchedText } from "../memories/memory-row.ts";
import { boundModel } from "../schema/model-binding.ts";
import { defineWords } from "../words/words.ts";

export const orphanVectors = {
  current: "memory_vector WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.serial = memory_vector.memory)",
  next: "memory_vector_next WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.serial = memory_vector_next.memory)",
} as const;

/** Memories without a vector of so many bytes. */
export const withoutVector = `FROM memory m ${aliveJoin} WHERE NOT EXISTS
  (SELECT 1 FROM memory_vector v WHERE v.memory = m.serial AND length(v.embedding) = :bytes)`;

export function findFaults(file: DatabaseFile): DatabaseFaults {
  using database = openReading(file);
  return database.transaction(() => ({
    orphanVectors:
      count(database, `SELECT COUNT(*) FROM ${orphanVectors.current}`) +
      count(database, `SELECT COUNT(*) FROM ${orphanVectors.next}`),
    missingVectors: countMissing(database),
    wrongWords: countWrongWords(database),
  }))();
}

/** Bytes of a vector of the model in use; null before the first start of a server, when there is no memory. */
export function vectorBytes(database: Database): number | null {
  const bound = boundModel(database);
  return bound === null ? null : bound.dimensions * Float32Array.BYTES_PER_ELEMENT;
}

function countMissing(database: Database): number {
  const bytes = vectorBytes(database);
  if (bytes === null) return 0;
  return Number(database.prepare(`SELECT COUNT(*) ${withoutVector}`).pluck().get({ bytes }));
}

/** Makes the same index again from the memories, and compares the words of each row. */
function countWrongWords(database: Database): number {
  defineWords(database);
  const { sql } = database
    .prepare<[], { sql: string }>("SELECT sql FROM main.sqlite_master WHERE name = 'memory_word'")
    .get() ?? { sql: "" };
  database.exec(sql.replace("CREATE VIRTUAL TABLE memory_word", "CREATE VIRTUAL TABLE temp.expected_word"));
  database.exec(`
    INSERT INTO temp.expected_word (rowid, words) SELECT (project << 40) + content_revision, words(${searchedText}) FROM main.memory m;
    CREATE VIRTUAL TABLE temp.found_instance USING fts5vocab('main', 'memory_word', 'instance');
    CREATE VIRTUAL TABLE temp.expected_instance USING fts5vocab('temp', 'expected_word', 'instance');
  `);
  return count(
    database,
    `SELECT COUNT(DISTINCT doc) FROM (
       SELECT * FROM (SELECT term, doc FROM temp.found_instance EXCEPT SELECT term, doc FROM temp.expected_instance)
       UNION ALL
       SELECT * FROM (SELECT term, doc FROM temp.expected_instance EXCEPT SELECT term, doc FROM temp.found_instance))`,
  );
}

function count(database: Database, sql: string): number {
  return Number(database.prepare(sql).pluck().get());
}
