// Owns the checks of a database that do not concern single records: the schema, and the integrity check of SQLite for the tables of the
// ledger. Never writes.

import { type Failure, UnusableInput } from "../../../audit/verify/verdict.ts";
import { formatVersion } from "../schema/migrate.ts";
import { findSchemaDifference, type SchemaObject, schemaQuery } from "../schema/schema-check.ts";
import type { LedgerSource } from "./source.ts";

/** The first format whose tables are those of the audit format. */
const oldestFormat = 2;

/** Call it before any table is read: a query of a forged view may never end. @throws UnusableInput when the format is not supported */
export function checkSchema(source: LedgerSource): Failure | null {
  const [header] = source.all("PRAGMA user_version") as { user_version: number }[];
  const format = header?.user_version ?? 0;
  if (format < oldestFormat) {
    throw new UnusableInput(
      "Its schema is older than the audit format. Start a server with this database once, then verify again.",
    );
  }
  if (format > formatVersion) {
    throw new UnusableInput(
      `It has format ${format}, but this version of memledger supports formats up to ${formatVersion}. Verify it with the version that wrote it.`,
    );
  }
  const message = findSchemaDifference(source.all(schemaQuery) as SchemaObject[], format);
  return message === null ? null : { seq: null, check: "schema", message };
}

/** Those of the ledger, and the table of the projects that own its chains. */
const tables = [
  "project",
  "audit_chain",
  "audit_entry",
  "audit_payload",
  "audit_checkpoint",
  "audit_anchor",
  "audit_verification",
];

/** Compares each index with its table, and the types of values with those of their columns. Takes a fifth of a verification. */
export function checkTables(source: LedgerSource): Failure | null {
  for (const table of tables) {
    const [row] = source.all(`PRAGMA integrity_check(${table})`) as { integrity_check: unknown }[];
    if (row?.integrity_check === "ok") continue;
    const message = `the table ${table} and its indexes do not match: ${row?.integrity_check}`;
    return { seq: null, check: "index", message };
  }
  return null;
}
