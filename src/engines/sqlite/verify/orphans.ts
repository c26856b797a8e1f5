// Owns the SQL that finds rows of the ledger which belong to no chain or record, so that no other check reads them. Each function names
// such a row, or returns null.

import { findStrayPlace } from "../../../audit/verify/tree-verification.ts";
import { attestationTables } from "./database-checks.ts";
import type { ChainFrame } from "./ledger.ts";
import type { LedgerSource } from "./source.ts";
import { hasAttestations, hasVersion2 } from "./version-2.ts";

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

/** A checkpoint, a statement about one, an anchor or a verification of no chain, or a row that the server cannot have written. */
export function findStrayNote(source: LedgerSource): string | null {
  const tables = ["audit_checkpoint", "audit_anchor", "audit_verification"];
  for (const table of hasAttestations(source) ? [...tables, ...attestationTables] : tables) {
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

/** A row of audit_pseudonym that names no record. Those of records are compared with them. */
export function findStrayPseudonym(source: LedgerSource): string | null {
  if (!hasVersion2(source)) return null;
  const [row] = source.all(
    "SELECT entry FROM audit_pseudonym WHERE entry NOT IN (SELECT number FROM audit_entry NOT INDEXED) LIMIT 1",
  ) as { entry: number }[];
  return row === undefined ? null : `a row of audit_pseudonym names row ${row.entry}, which is not a record`;
}

/** A node of no tree, or at a place where the tree has no stored node. */
export function findStrayNode(source: LedgerSource, frames: readonly ChainFrame[]): string | null {
  if (!hasVersion2(source)) return null;
  const withTree = new Set(frames.flatMap(({ number, tree }) => (tree === null ? [] : [number])));
  const chains = source.all("SELECT DISTINCT chain FROM audit_node") as { chain: number }[];
  const other = chains.find(({ chain }) => !withTree.has(chain));
  if (other !== undefined) return `a row of audit_node names the chain ${other.chain}, which has no tree`;
  for (const { chain, tree } of frames) {
    const place = tree === null ? null : findStrayPlace(tree);
    if (place !== null)
      return `audit_node has the node ${place.position} of level ${place.level} of the chain ${chain}, which must not be stored`;
  }
  return null;
}
