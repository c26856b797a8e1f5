// Owns the format of the database and the way from older formats to this one. Never opens a database of a newer program.

import { type Database, SqliteError } from "../native/sqlite.ts";
import initial from "./migrations/0001-initial.sql" with { type: "text" };
import ledger from "./migrations/0002-ledger.sql" with { type: "text" };
import words from "./migrations/0003-words.sql" with { type: "text" };
import { defineWords } from "./words.ts";

/** In order; number n brings a database from format n - 1 to n. Published migrations never change. */
const migrations: readonly string[] = [initial, ledger, words];

export const formatVersion = migrations.length;

/** "mldg" in ASCII, in the header of every database of ours. */
export const applicationId = 0x6d6c6467;

/** @throws Error when the file is not ours or was written by a newer program; it is left untouched then. */
export function migrate(database: Database): void {
  const format = checkFormat(database);
  if (format === formatVersion) return;
  defineWords(database);
  database.transaction(() => {
    for (const migration of migrations.slice(format)) database.exec(migration);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${formatVersion}`);
  })();
}

/**
 * @returns the format of the database, 0 when it is empty.
 * @throws Error as migrate does.
 */
export function checkFormat(database: Database): number {
  const { id, format, tables } = readHeader(database);
  if (id !== applicationId && (tables > 0 || format !== 0)) throw new Error(foreignMessage);
  if (format > formatVersion) {
    throw new Error(
      `The database has format ${format}, but this program knows formats up to ${formatVersion}. Start the newer memledger that wrote it.`,
    );
  }
  return format;
}

const foreignMessage =
  "The database file is not a memledger database. Choose another data directory with --data-dir.";

function readHeader(database: Database): { id: number; format: number; tables: number } {
  try {
    return {
      id: Number(database.pragma("application_id", { simple: true })),
      format: Number(database.pragma("user_version", { simple: true })),
      tables: Number(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get()),
    };
  } catch (cause) {
    if (cause instanceof SqliteError && cause.code === "SQLITE_NOTADB") {
      throw new Error(foreignMessage, { cause });
    }
    throw cause;
  }
}
