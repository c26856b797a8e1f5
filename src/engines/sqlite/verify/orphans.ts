// Owns the SQL that finds rows of the ledger which belong to no chain or record, so that no other check reads them. Each function names
// such a row, or returns null.

import type { LedgerSource } from "./source.ts";

/** A row whose number is outside the range that is read. */
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

/** A payload whose row number is not in use: not above `oldest`, or above `newest`. */
export function findStrayPayload(source: LedgerSource, oldest: number, newest: number): string | null {
  const [payload] = source.all(
    "SELECT entry FROM audit_payload WHERE entry <= ? OR entry > ? LIMIT 1",
    oldest,
    newest,
  ) as { entry: number }[];
  return payload === undefined ? null : `the payload of row ${payload.entry} belongs to no record`;
}

/** A checkpoint, anchor or verification of no chain, or a row that the server cannot have written. */
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
