// Owns the format of the database and the way from older formats to this one. Never opens a database of a newer program.

import { type Database, SqliteError } from "../../../native/sqlite.ts";
import { ForeignDatabase } from "../../engine.ts";
import { defineWords } from "../memories/words.ts";
import initial from "./migrations/0001-initial.sql" with { type: "text" };
import ledger from "./migrations/0002-ledger.sql" with { type: "text" };
import words from "./migrations/0003-words.sql" with { type: "text" };
import revisions from "./migrations/0004-revisions.sql" with { type: "text" };
import { findSchemaDifference, type SchemaObject, schemaQuery } from "./schema-check.ts";

/**
 * In order; number n brings a database from format n - 1 to n. Published migrations never change. Whoever adds one makes schema.sql
 * anew: bun test/storage/sqlite/schema-text.ts
 */
export const migrations: readonly string[] = [initial, ledger, words, revisions];

export const formatVersion = migrations.length;

/** "mldg" in ASCII, in the header of every database of ours. */
export const applicationId = 0x6d6c6467;

/** @throws Error when the file is not ours, was changed by others or was written by a newer program; it is left untouched then. */
export function migrate(database: Database): void {
  const format = checkFormat(database);
  if (format === formatVersion) return;
  defineWords(database);
  database.transaction(() => {
    for (const migration of migrations.slice(format)) database.exec(migration);
    requireSchema(database, formatVersion);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${formatVersion}`);
  })();
}

/**
 * @returns the format of the database, 0 when it is empty.
 * @throws Error as migrate does.
 */
export function checkFormat(database: Database): number {
  // In one snapshot: a server may be bringing it to another format.
  return database.transaction(() => checkSnapshot(database))();
}

function checkSnapshot(database: Database): number {
  const { id, format, tables } = readHeader(database);
  if (id !== applicationId && (tables > 0 || format !== 0)) throw new ForeignDatabase();
  if (format > formatVersion) {
    throw new Error(
      `The database has format ${format}, but this version of memledger supports formats up to ${formatVersion}. Use the newer version that wrote it.`,
    );
  }
  if (format > 0) requireSchema(database, format);
  return format;
}

function requireSchema(database: Database, format: number): void {
  const found = database.prepare<[], SchemaObject>(schemaQuery).all();
  const difference = findSchemaDifference(found, format);
  if (difference === null) return;
  throw new Error(
    `The schema of the database was changed: ${difference}. A changed schema can show other records than those that were written. Keep the file, restore the last backup, and find out who can write to this folder. "memledger audit verify" checks both databases. If you made the change yourself, undo it with the sqlite3 shell.`,
  );
}

function readHeader(database: Database): { id: number; format: number; tables: number } {
  try {
    return {
      id: Number(database.pragma("application_id", { simple: true })),
      format: Number(database.pragma("user_version", { simple: true })),
      tables: Number(database.prepare("SELECT count(*) FROM main.sqlite_master").pluck().get()),
    };
  } catch (cause) {
    if (cause instanceof SqliteError && cause.code === "SQLITE_NOTADB") {
      throw new ForeignDatabase({ cause });
    }
    throw cause;
  }
}
