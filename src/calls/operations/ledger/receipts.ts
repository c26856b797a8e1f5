// Owns the receipts of single records, for the callers of a project and for administrators of the machine. A receipt has what these may read of
// the record, and of other records only hashes.

import { type Static, Type } from "@sinclair/typebox";
import { receiptExtra, receiptText } from "../../../audit/record-receipt.ts";
import { Fields, Flag } from "../../../platform/schema/schema.ts";
import { confirmed } from "../../contract/applied.ts";
import { installationOperation, projectOperation } from "../../contract/operation.ts";
import { requireHashes } from "./checkpoint-operations.ts";
import { findRecord, recordInput } from "./read.ts";
import { findAnywhere } from "./show-record.ts";
import { signProof } from "./tree-proofs.ts";

const withPayload = Flag(
  "Whether the receipt has what was asked and answered, as far as it was not erased.",
  true,
);
const receipt = Fields(
  {
    receipt: Type.String({ description: "The text of the file, in the form of C2SP tlog-proof." }),
  },
  { title: "RecordReceipt" },
);
const common = {
  effects: { readOnly: false, destructive: false, idempotent: true },
  answersWithRecords: true,
  output: receipt,
} as const;

/** A record that no checkpoint covers yet, and what its receipt says. */
interface Unproved {
  readonly seq: number;
  readonly extra: string;
}

export const readReceipt = projectOperation({
  ...common,
  name: "audit.receipt",
  summary: "Get the receipt of an audit record",
  description:
    "Returns a file that proves one record to anybody who has the public key: the record, its path to the root of a checkpoint, and the checkpoint with all its signatures (C2SP tlog-proof), the newest one with a cosignature or a time stamp, or else the newest one. Signs a checkpoint if none covers the record. Of other records, it has only hashes. Business and custom plans only.",
  permission: "audit.read",
  feature: "audit",
  input: Fields({ ...recordInput.properties, payload: withPayload }),
  refusals: [2204, 2207],
  example: {
    input: { audit_id: "019a2b3c5f1e7a608192a3b4c5d6e7f8" },
    data: {
      receipt:
        "c2sp.org/tlog-proof@v1\nextra eyJlbnRyeSI6...\nindex 2\nn4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\nmemledger/019a2b3c5f1e7a608192a3b4c5d6e7f8/2\n3\nLCa0a2j/xo/5m0U8HTBBNEItcGSDv6D5ipRehzUtq5Y=\n\n— memledger ...\n",
    },
  },

  async prepare({ audit_id, payload = true }, preparation) {
    const { plan, caller, store, signal } = preparation;
    requireHashes(plan, caller.project);
    const record = await findRecord(audit_id, preparation);
    const { seq } = record;
    const proof = await store.audit.proveInclusion(caller.project, seq, signal);
    if (proof === null) return { seq, extra: receiptExtra(record, payload) };
    const text = receiptText(receiptExtra(record, payload, proof.timestamp), seq, proof);
    return { precomputed: { data: { receipt: text } }, prepared: null };
  },

  /** No checkpoint covers the record yet. */
  async apply({ audit }, _input, unproved: Unproved | null, { caller: { project }, now }) {
    if (unproved === null) return confirmed;
    const { seq, extra } = unproved;
    return { data: { receipt: receiptText(extra, seq, await signProof(audit, project.id, seq, now)) } };
  },
});

/** What an administrator is shown of a record of any chain. */
export const showReceipt = installationOperation({
  ...common,
  name: "audit.show_receipt",
  summary: "Write the receipt of an audit record",
  description:
    "Writes the receipt of one audit record of any project or of the installation: a file that proves the record to anybody who has the public key, without showing another one. It is verified with memledger audit verify-receipt.",
  input: Fields({ record: Type.String({ description: "Id of the audit record." }), payload: withPayload }),

  async prepare({ record: id, payload = true }, preparation) {
    const { record, owner, project, plan } = await findAnywhere(id, preparation);
    if (project !== null && plan !== null) requireHashes(plan, project);
    const { seq } = record;
    const proof = await preparation.store.audit.proveInclusion(owner, seq, preparation.signal);
    const extra = receiptExtra(record, payload, proof?.timestamp);
    const made: Static<typeof receipt> | null =
      proof === null ? null : { receipt: receiptText(extra, seq, proof) };
    return { made, seq, extra, project: owner?.id ?? null };
  },

  async apply({ audit }, _input, { now }, { made, seq, extra, project }) {
    if (made !== null) return { data: made };
    return { data: { receipt: receiptText(extra, seq, await signProof(audit, project, seq, now)) } };
  },
});
