// Reads facts about a database without a store: its contents in numbers, and whether it is intact. Must never write.

import { keyNamesWithoutSecret } from "../../../access/key.ts";
import type { Inspection } from "../../../calls/storage/engine.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { aliveJoin } from "../memories/memory-row.ts";
import { countMemories, toChange } from "../memories/model-change.ts";
import { checkFormat } from "../schema/migrate.ts";
import { boundModel, previousModels, readChange } from "../schema/model-binding.ts";
import { exchangeFormat } from "../schema/schema-check.ts";
import { type DatabaseFile, openReading } from "./connection.ts";

/** @throws Error that says what to do when the file is not a memledger database or was written by a newer program */
export function inspect(file: DatabaseFile): Inspection {
  using database = openReading(file);
  // A subject has its id in place of a name. Older formats have no column that tells.
  const projects = database
    .prepare<[], { id: string; name: string }>(
      "SELECT id, name FROM project WHERE deleted_at IS NULL AND name <> id ORDER BY serial",
    )
    .all();
  const format = checkFormat(database);
  return {
    format,
    model: boundModel(database),
    previousModels: previousModels(database),
    // Older formats had another value there, and the migration discards it.
    modelChange: format < exchangeFormat ? null : toChange(readChange(database)),
    memories: countMemories(database)(),
    superseded: format < supersedingFormat ? 0 : countSuperseded(database),
    keys: Number(database.prepare("SELECT COUNT(*) FROM api_key").pluck().get()),
    secretKeys: Number(
      database
        .prepare("SELECT COUNT(*) FROM api_key WHERE name NOT IN (SELECT value FROM json_each(?))")
        .pluck()
        .get(JSON.stringify(keyNamesWithoutSecret)),
    ),
    installation: findInstallation(database),
    projects,
  };
}

/** Older formats have no such column. */
const supersedingFormat = 7;

function countSuperseded(database: Database): number {
  const sql = `SELECT COUNT(*) FROM memory m ${aliveJoin} WHERE m.is_active = 0 AND m.superseded_by IS NOT NULL`;
  return Number(database.prepare(sql).pluck().get());
}

function findInstallation(database: Database): string | null {
  const id = database.prepare("SELECT id FROM audit_chain WHERE project IS NULL").pluck().get();
  return typeof id === "string" ? id : null;
}

/** The faults that SQLite finds in the file; empty when it is intact. Reads the whole file. */
export function findDamage(file: DatabaseFile): readonly string[] {
  using database = openReading(file);
  const found = database.prepare("PRAGMA quick_check(10)").pluck().all().map(String);
  return found.filter((line) => line !== "ok");
}
