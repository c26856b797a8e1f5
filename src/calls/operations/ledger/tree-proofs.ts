// Owns the proofs by which others verify one record, and one checkpoint after another, with nothing but the public key (RFC 6962). Must never
// show anything of another record but hashes.

import { type Static, Type } from "@sinclair/typebox";
import type { StoredRecord } from "../../../audit/record.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import type { RecordLocation } from "../../../audit/trace/traced.ts";
import { createTreeHasher } from "../../../audit/tree.ts";
import { type InclusionProof, leafIndex, requireTree } from "../../../audit/tree-proof.ts";
import { signerId } from "../../../audit/verify/note.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import { Count, Fields } from "../../../platform/schema/schema.ts";
import { fromHex, toBase64 } from "../../../platform/text/byte-text.ts";
import { confirmed, type Precomputed } from "../../contract/applied.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { AuditTransaction } from "../../storage/ledger-store.ts";
import { requireHashes } from "./checkpoint-operations.ts";
import { findRecord, recordInput } from "./read.ts";

/** What a proof says of the record. */
type ProvenEntry = Pick<StoredRecord, "seq" | "entry" | "hash">;

const hashes = (description: string) => Type.Array(Type.String(), { description });
const treeSize = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

const recordProof = Fields(
  {
    entry: Type.String({ description: "The entry of the record, as it was hashed." }),
    hash: Type.String({ description: "Hash of the entry: the data of its leaf." }),
    leaf_hash: Type.String({ description: "Hash of the leaf, in Base64." }),
    leaf_index: Count("Number of leaves before it."),
    tree_size: Count("Number of leaves that the checkpoint covers."),
    inclusion: hashes("Hashes beside the way from the leaf to the root, from the leaf up, in Base64."),
    checkpoint: Type.String({ description: "The checkpoint as a signed note; its third line is the root." }),
    signed_by: Type.String({
      description: "Name and id of the signing key: the beginning of its verifier key.",
    }),
  },
  { title: "RecordProof" },
);

export const proveRecord = projectOperation({
  name: "audit.proof",
  summary: "Prove an audit record",
  description:
    "Returns the proof that one record is in the ledger: the path from its entry to the root of a checkpoint (RFC 6962, section 2.1.1): the newest one with a cosignature or a time stamp, or else the newest one. Signs a checkpoint if none covers the record. Of other records, it has only hashes. Business and custom plans only.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  answersWithRecords: true,
  input: recordInput,
  output: recordProof,
  refusals: [2204, 2207],
  example: {
    input: { audit_id: "019a2b3c5f1e7a608192a3b4c5d6e7f8" },
    data: {
      entry: '{"action":"memory.search", ... ,"v":2}',
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      leaf_hash: "mx87k3Ne1rE/nSoCpS3vFz0Vq2pZWf1sNjQAtvtkf1k=",
      leaf_index: 2,
      tree_size: 4,
      inclusion: [
        "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
        "LCa0a2j/xo/5m0U8HTBBNEItcGSDv6D5ipRehzUtq5Y=",
      ],
      checkpoint:
        "memledger/019a2b3c5f1e7a608192a3b4c5d6e7f8/2\n4\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n— memledger ...\n",
      signed_by: "memledger+4e81dd32",
    },
  },

  async prepare(
    { audit_id },
    preparation,
  ): Promise<ProvenEntry | Precomputed<Static<typeof recordProof>, ProvenEntry | null>> {
    const { plan, caller, store, signal } = preparation;
    requireHashes(plan, caller.project);
    const { seq, entry, hash } = await findRecord(audit_id, preparation);
    const proof = await store.audit.proveInclusion(caller.project, seq, signal);
    if (proof === null) return { seq, entry, hash };
    return { precomputed: { data: toView({ seq, entry, hash }, proof) }, prepared: null };
  },

  /** No checkpoint covers the record yet. */
  async apply({ audit }, _input, proven, { caller: { project }, now }) {
    if (proven === null) return confirmed;
    return { data: toView(proven, await signProof(audit, project.id, proven.seq, now)) };
  },
});

/** Signs a checkpoint that covers the record. @throws Refusal 1503 when the tree is not complete */
export async function signProof(
  audit: Pick<AuditTransaction, "signCheckpoint" | "proveInclusion">,
  project: RecordLocation["project"],
  seq: number,
  now: number,
): Promise<InclusionProof> {
  const { checkpoint, note } = await audit.signCheckpoint(project, now);
  requireTree(note);
  const inclusion = (await audit.proveInclusion(project, seq, now)).map(toBase64);
  return { size: checkpoint.size, note, timestamp: null, inclusion };
}

export const proveConsistency = projectOperation({
  name: "audit.consistency",
  summary: "Prove that one checkpoint continues another",
  description:
    "Returns the proof that the ledger with the size to continues the one with the size from (RFC 6962, section 2.1.2): no record was changed or removed in between. Sizes are the second lines of two checkpoints with the same first line. Business and custom plans only.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "audit.read",
  feature: "audit",
  input: Fields({
    from: treeSize("Tree size of the earlier checkpoint."),
    to: treeSize("Tree size of the later checkpoint."),
  }),
  output: Fields(
    {
      consistency: hashes("The proof: hashes of nodes of the tree, in Base64; empty if the sizes are equal."),
    },
    { title: "ConsistencyProof" },
  ),
  refusals: [2207],
  example: {
    input: { from: 2, to: 4 },
    data: { consistency: ["LCa0a2j/xo/5m0U8HTBBNEItcGSDv6D5ipRehzUtq5Y="] },
  },

  async prepare({ from, to }, { plan, caller, store, signal }) {
    requireHashes(plan, caller.project);
    if (from > to) throw fieldRefusal("from", 'is larger than "to"');
    const { treeSize, path } = await store.audit.proveConsistency(caller.project, { from, to }, signal);
    if (to > treeSize) throw fieldRefusal("to", `is larger than the tree, which has ${treeSize} leaves`);
    if (path === null)
      throw fieldRefusal(
        "from",
        "is a size of which retention has removed the records",
        "Send the size of a checkpoint",
      );
    return { precomputed: { data: { consistency: [...path] } }, prepared: null };
  },
});

function toView(
  { seq, entry, hash }: ProvenEntry,
  { size, note, inclusion }: InclusionProof,
): Static<typeof recordProof> {
  const leaf = createTreeHasher(runtimeCryptography).leaf(fromHex(hash) ?? new Uint8Array());
  return {
    entry,
    hash,
    leaf_hash: toBase64(leaf),
    leaf_index: leafIndex(seq, { size, note }),
    tree_size: requireTree(note).leaves,
    inclusion: [...inclusion],
    checkpoint: note,
    signed_by: signerId(note),
  };
}
