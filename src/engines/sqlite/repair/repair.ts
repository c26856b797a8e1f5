// Repairs what faults.ts finds, from the memories. Must never touch a table of the ledger, nor a memory.

import type { RepairOptions } from "../../../calls/storage/repairs.ts";
import { type DatabaseFile, emptyLog, openWriting } from "../database-file/connection.ts";
import { searchedText } from "../memories/memory-row.ts";
import { defineWords } from "../words/words.ts";
import { orphanVectors, vectorBytes, withoutVector } from "./faults.ts";

/** Needs the lock, and an intact file. Everything is one transaction, so an interrupted repair has changed nothing. */
export async function repair(
  file: DatabaseFile,
  hasWrongWords: boolean,
  { embed }: RepairOptions,
): Promise<void> {
  using database = openWriting(file);
  defineWords(database);
  const bytes = vectorBytes(database);
  const missing =
    bytes === null
      ? []
      : database
          .prepare<[{ bytes: number }], { serial: number; content: string }>(
            `SELECT m.serial, ${searchedText} AS content ${withoutVector}`,
          )
          .all({ bytes });
  const vectors: (readonly [number, Float32Array])[] = [];
  for (const { serial, content } of missing) vectors.push([serial, await embed(content)]);
  const insert = database.prepare(
    "INSERT OR REPLACE INTO memory_vector (memory, embedding) VALUES (?, vec_f32(?))",
  );
  database.transaction(() => {
    database.exec(`DELETE FROM ${orphanVectors.current}; DELETE FROM ${orphanVectors.next};`);
    for (const [serial, vector] of vectors) insert.run(serial, new Uint8Array(vector.buffer));
    if (!hasWrongWords) return;
    // The words of a row can only be removed by the text that added them, so the index is made again.
    database.exec(`
      INSERT INTO memory_word (memory_word) VALUES ('delete-all');
      INSERT INTO memory_word (rowid, words)
        SELECT (project << 40) + content_revision, words(${searchedText}) FROM memory m ORDER BY 1;
      INSERT INTO memory_word (memory_word) VALUES ('optimize');
    `);
  })();
  emptyLog(database);
}
