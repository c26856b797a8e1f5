// Answers questions about a database from outside its store: what it holds and whether it is intact. Must never write.

import type { Inspection } from "../../engine.ts";
import { checkFormat } from "../schema/migrate.ts";
import { boundModel } from "../schema/model-binding.ts";
import { type DatabaseFile, openReading } from "./connection.ts";

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
