// Answers questions about a database from outside its store: what it holds and whether it is intact. Must never write.

import { checkFormat } from "../schema/migrate.ts";
import { boundModel, type ModelBinding } from "../schema/model-binding.ts";
import { type DatabaseFile, openReading } from "./connection.ts";

export interface Inspection {
  /** Number of the database's format; see migrate.ts. */
  readonly format: number;
  /** Null before the first start of a server. */
  readonly model: ModelBinding | null;
  /** Revoked and expired ones included. */
  readonly keys: number;
  /** By age. */
  readonly projects: readonly Readonly<{ id: string; name: string }>[];
}

/** @throws Error that says what to do when the file is not ours or newer than the program. */
export function inspect(file: DatabaseFile): Inspection {
  const database = openReading(file);
  try {
    const projects = database
      .prepare<[], { id: string; name: string }>(
        "SELECT id, name FROM project WHERE deleted_at IS NULL ORDER BY serial",
      )
      .all();
    return {
      format: checkFormat(database),
      model: boundModel(database),
      keys: Number(database.prepare("SELECT COUNT(*) FROM api_key").pluck().get()),
      projects,
    };
  } finally {
    database.close();
  }
}

/** What SQLite finds wrong with the file; empty when it is intact. Reads all of it. */
export function findDamage(file: DatabaseFile): readonly string[] {
  const database = openReading(file);
  try {
    const found = database.prepare("PRAGMA quick_check(10)").pluck().all().map(String);
    return found.filter((line) => line !== "ok");
  } finally {
    database.close();
  }
}
