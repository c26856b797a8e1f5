// Owns the SQL of what third parties have stated about checkpoints. Verifies nothing.

import { textOfNote } from "../../../audit/verify/note.ts";
import type {
  AttestableCheckpoint,
  Attestation,
  AttestationSource,
  AttestationStore,
  UnattestedCheckpoint,
} from "../../../calls/storage/attestation-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { isOfVersion2 } from "./tree-roots.ts";

/** Sizes of the checkpoints of version 2 of chain `c`, the newest first: see newestRoot. */
const rootSizes = (condition: string) =>
  `SELECT r.size FROM audit_checkpoint r WHERE r.chain = c.number AND ${isOfVersion2} ${condition}
   ORDER BY r.at DESC, r.size DESC LIMIT 1`;
const hasStatement = (size: string) =>
  `EXISTS (SELECT 1 FROM audit_attestation a WHERE a.chain = c.number AND a.size = ${size} AND a.kind = :kind AND a.source = :source)`;

export function createAttestationReader(database: Database) {
  const unattested = database.prepare<[AttestationSource], UnattestedCheckpoint>(
    `SELECT c.id AS chain, o.id AS project, p.size, p.at, p.note,
       (SELECT note FROM audit_checkpoint
        WHERE chain = c.number AND size = (${rootSizes(`AND ${hasStatement("r.size")}`)})) AS attested
     FROM audit_chain c LEFT JOIN project o ON o.serial = c.project
     JOIN audit_checkpoint p ON p.chain = c.number AND p.size = (${rootSizes("")})
     WHERE NOT ${hasStatement("p.size")} ORDER BY c.number`,
  );
  const ofCheckpoint = database.prepare<[string, number], Attestation>(
    `SELECT kind, source, content, at FROM audit_attestation
     WHERE chain = (SELECT number FROM audit_chain WHERE id = ?) AND size = ? ORDER BY at, kind, source`,
  );
  return {
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
