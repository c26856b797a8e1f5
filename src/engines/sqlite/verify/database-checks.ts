// Owns the checks of a database that do not concern single records: the schema, and the integrity check of SQLite for the tables of the
// ledger. Never writes.

import { type Failure, UnusableInput } from "../../../audit/verify/verdict.ts";
import { formatVersion } from "../schema/migrate.ts";
import { findSchemaDifference, type SchemaObject, schemaQuery } from "../schema/schema-check.ts";
import { isDamage, type LedgerSource } from "./source.ts";
import { hasAttestations, hasVersion2 } from "./version-2.ts";

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
const ledgerTables = [
  "project",
  "audit_chain",
  "audit_entry",
  "audit_payload",
  "audit_checkpoint",
  "audit_anchor",
  "audit_verification",
];
/** With them the records are compared (owners.ts). */
const ownedTables = ["api_key", "memory"];
/** From format 8 on. */
const version2Tables = ["audit_node", "audit_pseudonym", "pseudonym"];
/** From format 10 on. */
export const attestationTables: readonly string[] = ["audit_attestation", "audit_deposit"];

/** Compares each index with its table, and the types of values with those of their columns. Takes a fifth of a verification. */
export function checkTables(source: LedgerSource): Failure | null {
  const later = [
    ...(hasVersion2(source) ? version2Tables : []),
    ...(hasAttestations(source) ? attestationTables : []),
  ];
  for (const table of [...ledgerTables, ...later, ...ownedTables]) {
    const found = checkTable(source, table);
    if (found === "ok") continue;
    const message = `the table ${table} and its indexes do not match: ${found}`;
    return { seq: null, check: "index", message };
  }
  return null;
}

/** @throws UnusableInput when a table of the ledger cannot be read at all; without the other ones the records can be verified */
function checkTable(source: LedgerSource, table: string): string {
  try {
    const [row] = source.all(`PRAGMA integrity_check(${table})`) as { integrity_check: unknown }[];
    return String(row?.integrity_check);
  } catch (error) {
    if (!isDamage(error) || !ownedTables.includes(table)) throw error;
    return "they are damaged. Restore a backup";
  }
}
