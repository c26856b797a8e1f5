// Owns the proofs that calls ask for: that a record is in the tree of its chain, and that a tree continues an earlier one. Never writes.

import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { consistencyPath, createTreeHasher, TreeDifference } from "../../../audit/tree.ts";
import { type ConsistencyProof, type InclusionProof, requireTree } from "../../../audit/tree-proof.ts";
import type { ChainOwner } from "../../../calls/storage/ledger-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toBase64 } from "../../../platform/text/byte-text.ts";
import { createChainSpan } from "../ledger/audit-reader.ts";
import { createChainTrees } from "../ledger/chain-tree.ts";
import { cosignedNote, isOfVersion2, newestRoot, newestStamp } from "../ledger/tree-roots.ts";
import { createInclusionProofs } from "./inclusion-proofs.ts";

const hasher = createTreeHasher(runtimeCryptography);

const logOf = (note: string) => requireTree(note).log;

/**
 * Of the newest checkpoints that cover a record and of which a third party has stated something: one with both a cosignature and a time stamp, of
 * which there are fewer, or else the largest with a cosignature, because an authority stamps everything.
 */
const newestAttested = `SELECT p.size, ${cosignedNote} AS note, ${newestStamp} AS timestamp
  FROM audit_checkpoint p WHERE p.chain = :chain AND ${isOfVersion2} AND p.size = (
    SELECT size FROM (SELECT size, kind FROM audit_attestation WHERE chain = :chain AND size >= :seq ORDER BY size DESC LIMIT 100)
    GROUP BY size ORDER BY COUNT(DISTINCT kind) DESC, MAX(kind = 'cosignature') DESC, size DESC LIMIT 1)`;

export function createTreeProofs(database: Database) {
  const span = createChainSpan(database);
  const trees = createChainTrees(database);
  const inclusionIn = createInclusionProofs(database);
  const findNewest = database.prepare<[number], Pick<InclusionProof, "size" | "note">>(newestRoot);
  const findAttested = database.prepare<
    [{ readonly chain: number; readonly seq: number }],
    Omit<InclusionProof, "inclusion">
  >(newestAttested);

  return {
    /** As AuditReader.proveInclusion. */
    inclusion: database.transaction((project: ChainOwner, seq: number): InclusionProof | null => {
      const chain = span(project);
      const newest = chain === null ? undefined : findNewest.get(chain.number);
      if (chain === null || newest === undefined || newest.size < seq) return null;
      const attested = findAttested.get({ chain: chain.number, seq });
      // After an accepted loss of records, the log of the newest one is another.
      const isOfLog = attested !== undefined && logOf(attested.note) === logOf(newest.note);
      const checkpoint = isOfLog ? attested : { ...newest, timestamp: null };
      return {
        ...checkpoint,
        inclusion: inclusionIn(chain.number, requireTree(checkpoint.note).leaves)(seq),
      };
    }),

    /** As AuditReader.proveConsistency. */
    consistency: database.transaction((project: ChainOwner, from: number, to: number): ConsistencyProof => {
      const chain = span(project);
      if (chain === null) return { treeSize: 0, path: null };
      const treeSize = chain.last - trees.statementOf(chain.number).through + 1;
      if (to > treeSize) return { treeSize, path: null };
      const reader = trees.reader(chain.number);
      try {
        return { treeSize, path: consistencyPath(from, to, reader, hasher).map(toBase64) };
      } catch (error) {
        if (!(error instanceof TreeDifference) || from >= reader.removed) throw error;
        return { treeSize, path: null };
      }
    }),
  };
}
