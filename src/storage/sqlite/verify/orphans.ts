// Owns the SQL that finds rows of the ledger which belong to nothing, and so would be read by nobody. Each function says which row it
// is, or null.

import type { LedgerSource } from "./source.ts";

/** A row that lies outside of the numbers that are read. */
export function findNumberOutOfRange(source: LedgerSource): string | null {
  for (const table of ["audit_entry", "audit_chain"]) {
    for (const range of ["number < 1", `number > ${Number.MAX_SAFE_INTEGER}`]) {
      const rows = source.all(`SELECT 1 FROM ${table} NOT INDEXED WHERE ${range} LIMIT 1`);
      if (rows.length > 0)
        return `${table} has a row whose number is outside the range of the ledger: ${range}`;
    }
  }
  return null;
}

/** A payload beside the rows that are in use, which are those above the one number, up to the other. */
export function findStrayPayload(source: LedgerSource, oldest: number, newest: number): string | null {
  const [payload] = source.all(
    "SELECT entry FROM audit_payload WHERE entry <= ? OR entry > ? LIMIT 1",
    oldest,
    newest,
  ) as { entry: number }[];
  return payload === undefined ? null : `the payload of row ${payload.entry} belongs to no record`;
}

/** A row beside the records that belongs to no chain, or is none that the server writes. */
export function findStrayNote(source: LedgerSource): string | null {
  for (const table of ["audit_checkpoint", "audit_anchor", "audit_verification"]) {
    const [row] = source.all(
      `SELECT chain FROM ${table} WHERE chain NOT IN (SELECT number FROM audit_chain NOT INDEXED) LIMIT 1`,
    ) as { chain: number }[];
    if (row !== undefined) return `a row of ${table} names the chain ${row.chain}, which does not exist`;
  }
  const [mark] = source.all(
    "SELECT chain FROM audit_verification WHERE length(hash) <> 64 OR hash GLOB '*[^0-9a-f]*' LIMIT 1",
  ) as { chain: number }[];
  return mark === undefined ? null : `the row of audit_verification of the chain ${mark.chain} has no hash`;
}
