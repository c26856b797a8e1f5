// Owns which embedding model the vectors of the database belong to.

import type { Database } from "../../../native/sqlite.ts";
import { type ModelBinding, ModelMismatch } from "../../../storage/engine.ts";

/**
 * Stores the model at the first start. Without memories, another model replaces it.
 * @throws ModelMismatch when memories were embedded with another model
 */
export function bindModel(database: Database, model: ModelBinding): void {
  const bound = boundModel(database);
  if (bound?.sha256 === model.sha256) return;
  const memories = Number(database.prepare("SELECT COUNT(*) FROM memory_vector").pluck().get());
  if (bound !== null && memories > 0) throw new ModelMismatch(bound, model, memories);
  writeModel(database, model);
}

export function boundModel(database: Database): ModelBinding | null {
  const value = database
    .prepare("SELECT value FROM installation WHERE name = 'embedding_model'")
    .pluck()
    .get();
  return typeof value === "string" ? (JSON.parse(value) as ModelBinding) : null;
}

export function writeModel(database: Database, { id, sha256, dimensions }: ModelBinding): void {
  database
    .prepare("INSERT OR REPLACE INTO installation (name, value) VALUES ('embedding_model', ?)")
    .run(JSON.stringify({ id, sha256, dimensions }));
}
