// Owns who has access to a database that was restored, and how all keys are revoked at once. Works with every older format, because the
// database is not migrated yet.

import { keyNamesWithoutSecret } from "../../access/key.ts";
import type { RestoredAccess } from "../../calls/storage/engine.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { type DatabaseFile, openReading, openWriting } from "./database-file/connection.ts";

export function listAccess(file: DatabaseFile, now: number): RestoredAccess {
  using database = openReading(file);
  return {
    keys: database
      .prepare<[number], RestoredAccess["keys"][number]>(
        `SELECT k.id, k.name, p.name AS project FROM api_key k JOIN project p ON p.serial = k.project
         WHERE k.revoked_at IS NULL AND COALESCE(k.expires_at > ?, 1) AND p.deleted_at IS NULL ORDER BY k.created_at, k.id`,
      )
      .all(now),
    administrationKeys: hasAdministrationKeys(database)
      ? database
          .prepare<[number], RestoredAccess["administrationKeys"][number]>(
            "SELECT id, name FROM administration_key WHERE revoked_at IS NULL AND COALESCE(expires_at > ?, 1) ORDER BY id",
          )
          .all(now)
      : [],
    // A subject has its id in place of a name. Older formats have no column that tells.
    projects: database
      .prepare<[], RestoredAccess["projects"][number]>(
        "SELECT id, name FROM project WHERE deleted_at IS NULL AND name <> id ORDER BY serial",
      )
      .all(),
  };
}

/** Those of older formats have none. */
function hasAdministrationKeys(database: Database): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'administration_key'").get() !== undefined
  );
}

/** Administration keys, too. Keys without a secret remain: nobody can have kept one. @returns how many were revoked */
export function revokeAllKeys(file: DatabaseFile, now: number): number {
  const database = openWriting(file);
  try {
    const { changes } = database
      .prepare(
        "UPDATE api_key SET revoked_at = ? WHERE revoked_at IS NULL AND name NOT IN (SELECT value FROM json_each(?))",
      )
      .run(now, JSON.stringify(keyNamesWithoutSecret));
    if (!hasAdministrationKeys(database)) return changes;
    return (
      changes +
      database.prepare("UPDATE administration_key SET revoked_at = ? WHERE revoked_at IS NULL").run(now)
        .changes
    );
  } finally {
    database.pragma("journal_mode = DELETE");
    database.close();
  }
}
