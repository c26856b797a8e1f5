// Owns the format of the database and the migrations from older formats. Never opens a database that a newer program wrote.

import { ForeignDatabase } from "../../../calls/storage/engine.ts";
import { type Database, SqliteError } from "../../../platform/native/sqlite.ts";
import { defineWords } from "../words/words.ts";
import initial from "./migrations/0001-initial.sql" with { type: "text" };
import ledger from "./migrations/0002-ledger.sql" with { type: "text" };
import words from "./migrations/0003-words.sql" with { type: "text" };
import revisions from "./migrations/0004-revisions.sql" with { type: "text" };
import tags from "./migrations/0005-tags.sql" with { type: "text" };
import modelChange from "./migrations/0006-model-change.sql" with { type: "text" };
import consoleTables from "./migrations/0007-console.sql" with { type: "text" };
import ledger2 from "./migrations/0008-ledger-2.sql" with { type: "text" };
import subjects from "./migrations/0009-subjects.sql" with { type: "text" };
import attestations from "./migrations/0010-attestations.sql" with { type: "text" };
import { findSchemaDifference, type SchemaObject, schemaQuery } from "./schema-check.ts";

/**
 * In order: number n migrates a database from format n - 1 to n. Published migrations never change. After a new one, generate
 * schema.sql again: bun test/engines/sqlite/schema-text.ts
 */
export const migrations: readonly string[] = [
  initial,
  ledger,
  words,
  revisions,
  tags,
  modelChange,
  consoleTables,
  ledger2,
  subjects,
  attestations,
];

export const formatVersion = migrations.length;

/** "mldg" in ASCII, in the header of every memledger database. */
export const applicationId = 0x6d6c6467;

/** @throws Error when the file is not a memledger database, its schema was changed, or a newer program wrote it; nothing is written then */
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
 * @returns the format of the database; 0 when it has no tables
 * @throws Error as migrate does
 */
export function checkFormat(database: Database): number {
  // In one snapshot: a server may be migrating the database at the same time.
  return database.transaction(() => checkSnapshot(database))();
}

function checkSnapshot(database: Database): number {
  const { id, format, tables } = readHeader(database);
  const isUnused = tables === 0 && format === 0;
  // Tables and format are written in one transaction, so tables without a format are those of another program.
  if (!isUnused && (id !== applicationId || format <= 0)) throw new ForeignDatabase();
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
