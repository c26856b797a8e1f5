// Owns reading what third parties have stated about checkpoints from a database that is evidence. Verifies nothing, and never writes.

import type { StampedNote } from "../../../calls/storage/ledger-verifier.ts";
import { cosignedNote, newestStamp } from "../ledger/tree-roots.ts";
import { checkSchema } from "./database-checks.ts";
import { openEvidence } from "./source.ts";
import { hasAttestations } from "./version-2.ts";

/** As LedgerVerifier. */
export function readCosignedNotes(path: string): readonly string[] {
  const rows = readRows(
    path,
    `SELECT ${cosignedNote} AS note FROM audit_checkpoint p
     WHERE EXISTS (SELECT 1 FROM audit_attestation a WHERE a.chain = p.chain AND a.size = p.size AND a.kind = 'cosignature')`,
  ) as { note: unknown }[];
  return rows.map(({ note }) => String(note));
}

/** As LedgerVerifier. */
export function readStampedNotes(path: string): readonly StampedNote[] {
  const rows = readRows(
    path,
    `SELECT p.size, p.note, ${newestStamp} AS timestamp FROM audit_chain c JOIN audit_checkpoint p ON p.chain = c.number
       AND p.size = (SELECT MAX(a.size) FROM audit_attestation a WHERE a.chain = c.number AND a.kind = 'timestamp')
     ORDER BY c.number`,
  ) as { size: unknown; note: unknown; timestamp: unknown }[];
  return rows.map(({ size, note, timestamp }) => ({
    size: Number(size),
    note: String(note),
    timestamp: String(timestamp),
  }));
}

/** None of another schema, or of one without the table. */
function readRows(path: string, sql: string): unknown[] {
  const source = openEvidence(path);
  try {
    source.all("BEGIN");
    // A table of another schema may never end. The verification reports the schema.
    if (checkSchema(source) !== null || !hasAttestations(source)) return [];
    return source.all(sql);
  } finally {
    source.close();
  }
}
