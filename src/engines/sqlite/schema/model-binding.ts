// Owns which embedding model the vectors of the database belong to, which ones it replaced, and which one replaces it next.

import { ModelMismatch } from "../../../calls/storage/engine.ts";
import type { ModelBinding, ModelChange } from "../../../calls/storage/model-change-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

/** Names of rows of the table installation. */
const names = {
  bound: "embedding_model",
  previous: "former_embedding_models",
  next: "next_embedding_model",
} as const;

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
  return createModelLookup(database)();
}

/** @returns boundModel, prepared once per connection. */
export function createModelLookup(database: Database): () => ModelBinding | null {
  const read = createRead(database);
  let text: string | null = null;
  let bound: ModelBinding | null = null;
  return () => {
    const found = read(names.bound);
    if (found !== text) bound = found === null ? null : (JSON.parse(found) as ModelBinding);
    text = found;
    return bound;
  };
}

export function writeModel(database: Database, { id, sha256, dimensions }: ModelBinding): void {
  write(database, names.bound, { id, sha256, dimensions });
}

/** SHA-256 of each model that was replaced. */
export function previousModels(database: Database): readonly string[] {
  const text = createRead(database)(names.previous);
  return text === null ? [] : (JSON.parse(text) as string[]);
}

/** The bound model is replaced by another one, which is no previous model from now on. */
export function replaceModel(database: Database, next: ModelBinding): void {
  const before = boundModel(database);
  const previous = new Set(previousModels(database));
  if (before !== null) previous.add(before.sha256);
  previous.delete(next.sha256);
  write(database, names.previous, [...previous]);
  writeModel(database, next);
}

/** A change of the model, and how far it is. */
export interface StoredChange extends ModelChange {
  /** Each memory up to this serial has a vector of the new model, or a row in memory_vector_outdated. */
  readonly through: number;
}

export function readChange(database: Database): StoredChange | null {
  const text = createRead(database)(names.next);
  return text === null ? null : (JSON.parse(text) as StoredChange);
}

export function writeChange(database: Database, change: StoredChange | null): void {
  if (change === null) database.prepare("DELETE FROM installation WHERE name = ?").run(names.next);
  else write(database, names.next, change);
}

function createRead(database: Database): (name: string) => string | null {
  const select = database.prepare<[string], string>("SELECT value FROM installation WHERE name = ?").pluck();
  return (name) => select.get(name) ?? null;
}

function write(database: Database, name: string, value: unknown): void {
  database
    .prepare("INSERT OR REPLACE INTO installation (name, value) VALUES (?, ?)")
    .run(name, JSON.stringify(value));
}
