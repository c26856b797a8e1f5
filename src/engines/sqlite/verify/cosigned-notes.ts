// Owns reading what witnesses have signed from a database that is evidence. Verifies nothing, and never writes.

import { cosignedNote } from "../ledger/tree-roots.ts";
import { checkSchema } from "./database-checks.ts";
import { openEvidence } from "./source.ts";
import { hasAttestations } from "./version-2.ts";

/** As LedgerVerifier. */
export function readCosignedNotes(path: string): readonly string[] {
  const source = openEvidence(path);
  try {
    source.all("BEGIN");
    // A table of another schema may never end. The verification reports the schema.
    if (checkSchema(source) !== null || !hasAttestations(source)) return [];
    const rows = source.all(
      `SELECT ${cosignedNote} AS note FROM audit_checkpoint p
       WHERE EXISTS (SELECT 1 FROM audit_attestation a WHERE a.chain = p.chain AND a.size = p.size AND a.kind = 'cosignature')`,
    ) as { note: unknown }[];
    return rows.map(({ note }) => String(note));
  } finally {
    source.close();
  }
}
