// Owns the change of the embedding model: new vectors are stored beside the old ones and replace them in one transaction at the end.
// After an interrupted run the old model is still in use, and the next run resumes it.

import type { Database } from "../../../native/sqlite.ts";
import type { ModelBinding, ReembedOptions } from "../../../storage/engine.ts";
import { type DatabaseFile, openCurrent } from "../database-file/connection.ts";
import { boundModel, writeModel } from "../schema/model-binding.ts";

const batchRows = 64;

/** The tables exchange their names: dropping one would write all of its pages. schema.sql has what this makes of them. */
export const exchangeTables = `ALTER TABLE memory_vector RENAME TO memory_vector_former;
ALTER TABLE memory_vector_next RENAME TO memory_vector;
ALTER TABLE memory_vector_former RENAME TO memory_vector_next;`;

/** Needs the lock of the data directory. @returns how many memories hold vectors of the new model now. */
export async function reembed(
  file: DatabaseFile,
  { model, embed, onUnused, onProgress }: ReembedOptions,
): Promise<number> {
  const database = await openCurrent(file, onUnused);
  try {
    const total = count(database, "memory");
    if (boundModel(database)?.sha256 === model.sha256) return total;
    prepareNext(database, model);
    const missing = database.prepare<[], { serial: number; content: string }>(
      `SELECT serial, content FROM memory
       WHERE NOT EXISTS (SELECT 1 FROM memory_vector_next n WHERE n.memory = memory.serial) LIMIT ${batchRows}`,
    );
    const insert = database.prepare(
      "INSERT INTO memory_vector_next (memory, embedding) VALUES (?, vec_f32(?))",
    );
    const insertAll = database.transaction((rows: readonly (readonly [number, Float32Array])[]) => {
      for (const [serial, vector] of rows) insert.run(serial, new Uint8Array(vector.buffer));
    });
    for (let batch = missing.all(); batch.length > 0; batch = missing.all()) {
      const rows = batch.map(async ({ serial, content }) => [serial, await embed(content)] as const);
      insertAll(await Promise.all(rows));
      onProgress(count(database, "memory_vector_next"), total);
    }
    replaceVectors(database, model);
    return total;
  } finally {
    database.close();
  }
}

/** Drops the vectors of an interrupted change of the model: memories can change from now on, so it cannot be resumed. */
export function forgetNext(database: Database): void {
  database.exec("DELETE FROM memory_vector_next");
  database.prepare("DELETE FROM installation WHERE name = 'next_embedding_model'").run();
}

function prepareNext(database: Database, model: ModelBinding): void {
  const next = database.prepare("SELECT value FROM installation WHERE name = 'next_embedding_model'").pluck();
  if (next.get() === model.sha256) return;
  database.transaction(() => {
    forgetNext(database);
    database
      .prepare("INSERT INTO installation (name, value) VALUES ('next_embedding_model', ?)")
      .run(model.sha256);
  })();
}

function replaceVectors(database: Database, model: ModelBinding): void {
  database.transaction(() => {
    database.exec(exchangeTables);
    forgetNext(database);
    writeModel(database, model);
  })();
}

function count(database: Database, table: "memory" | "memory_vector_next"): number {
  return Number(database.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get());
}
