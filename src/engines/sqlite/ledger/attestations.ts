// Owns the SQL of what third parties have stated about checkpoints. Verifies nothing.

import { textOfNote } from "../../../audit/verify/note.ts";
import type {
  AttestableCheckpoint,
  Attestation,
  AttestationSource,
  AttestationStore,
  NewestAttestation,
  UnattestedCheckpoint,
} from "../../../calls/storage/attestation-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { isOfVersion2 } from "./tree-roots.ts";

/**
 * A source has attested the largest checkpoint last, except after an accepted loss: then its log is another one, of which the witness knows
 * the size itself.
 */
const unattestedRows = `SELECT c.id AS chain, o.id AS project, p.size, p.at, p.note,
    (SELECT note FROM audit_checkpoint WHERE chain = c.number AND size = a.size) AS attested, a.at AS attestedAt,
    (SELECT at FROM audit_checkpoint
      WHERE chain = c.number AND size > COALESCE(a.size, -1) AND ${isOfVersion2} ORDER BY size LIMIT 1) AS oldestAt
  FROM audit_chain c LEFT JOIN project o ON o.serial = c.project
  LEFT JOIN audit_attestation a ON a.chain = c.number AND a.kind = :kind AND a.source = :source AND a.size = (
    SELECT MAX(size) FROM audit_attestation WHERE chain = c.number AND kind = :kind AND source = :source)
  JOIN audit_checkpoint p ON p.chain = c.number AND p.size = (
    SELECT size FROM audit_checkpoint WHERE chain = c.number AND ${isOfVersion2} ORDER BY at DESC, size DESC LIMIT 1)
  WHERE NOT EXISTS (SELECT 1 FROM audit_attestation
    WHERE chain = c.number AND size = p.size AND kind = :kind AND source = :source) ORDER BY c.number`;

/** Of each chain the last statement is near its end, so little is read. */
const newestRows = `SELECT o.id AS project, a.size, a.at FROM audit_chain c LEFT JOIN project o ON o.serial = c.project
  JOIN audit_attestation a ON (a.chain, a.size, a.kind, a.source) = (
    SELECT chain, size, kind, source FROM audit_attestation
    WHERE chain = c.number AND kind = :kind AND source = :source
    ORDER BY size DESC LIMIT 1) ORDER BY a.at DESC LIMIT 1`;

export function createAttestationReader(database: Database) {
  const newest = database.prepare<[AttestationSource], NewestAttestation>(newestRows);
  const unattested = database.prepare<[AttestationSource], UnattestedCheckpoint>(unattestedRows);
  const ofCheckpoint = database.prepare<[string, number], Attestation>(
    `SELECT kind, source, content, at FROM audit_attestation
     WHERE chain = (SELECT number FROM audit_chain WHERE id = ?) AND size = ? ORDER BY at, kind, source`,
  );
  const roots = database.prepare<[], AttestableCheckpoint>(
    `SELECT c.id AS chain, o.id AS project, p.size, p.at, p.note FROM audit_checkpoint p
     JOIN audit_chain c ON c.number = p.chain LEFT JOIN project o ON o.serial = c.project WHERE ${isOfVersion2}`,
  );
  return {
    stampedAs(hash: string): AttestableCheckpoint | null {
      for (const root of roots.iterate())
        if (Bun.CryptoHasher.hash("sha256", textOfNote(root.note), "hex") === hash) return root;
      return null;
    },
    newestBy: ({ kind, source }: AttestationSource) => newest.get({ kind, source }) ?? null,
    unattested: ({ kind, source }: AttestationSource) => unattested.all({ kind, source }),
    of: ({ chain, size }: Parameters<AttestationStore["of"]>[0]) => ofCheckpoint.all(chain, size),
  };
}

export interface NewAttestation {
  readonly checkpoint: AttestableCheckpoint;
  readonly attestation: Attestation;
}

/** @returns a function that stores a statement in a transaction of its own: AttestationStore.add */
export function createAttestationLog(database: Database): (added: NewAttestation) => boolean {
  const insert = database.prepare(
    `INSERT OR REPLACE INTO audit_attestation (chain, size, kind, source, content, at)
     SELECT p.chain, p.size, :kind, :source, :content, :at FROM audit_checkpoint p JOIN audit_chain c ON c.number = p.chain
     WHERE c.id = :chain AND p.size = :size AND substr(p.note, 1, instr(p.note, char(10, 10))) = :text`,
  );
  return ({ checkpoint: { chain, size, note }, attestation }) =>
    insert.run({ ...attestation, chain, size, text: textOfNote(note) }).changes > 0;
}
