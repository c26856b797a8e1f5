// Owns the text of the receipt of one record (docs/engineer/AUDIT-FORMAT-2.md). Must never put anything of another record into it but hashes.

import canonicalize from "canonicalize";
import type { ProvableRecord } from "./record.ts";
import { type InclusionProof, leafIndex } from "./tree-proof.ts";
import { tlogProofText } from "./verify/receipts/tlog-proof.ts";

/** What a receipt says of its record, in base64. @param withPayload false: the entry alone @param timestamp of the checkpoint */
export function receiptExtra(
  { entry, content, salt }: Pick<ProvableRecord, "entry" | "content" | "salt">,
  withPayload: boolean,
  timestamp: InclusionProof["timestamp"] = null,
): string {
  const payload =
    withPayload && content !== null && salt !== null
      ? { payload: Buffer.from(content).toString(), salt: Buffer.from(salt).toString("base64") }
      : {};
  const stamp = timestamp === null ? {} : { timestamp };
  return Buffer.from(canonicalize({ v: 1, entry, ...payload, ...stamp }) ?? "").toString("base64");
}

/** The text of the file. @throws Refusal 1503 for a checkpoint to which no proof of a record leads */
export function receiptText(extra: string, seq: number, proof: Omit<InclusionProof, "timestamp">): string {
  return tlogProofText({ extra, index: leafIndex(seq, proof), path: proof.inclusion, note: proof.note });
}
