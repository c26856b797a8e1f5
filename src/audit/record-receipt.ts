// Owns the text of the receipt of one record (docs/engineer/AUDIT-FORMAT-2.md). Must never put anything of another record into it but hashes.

import canonicalize from "canonicalize";
import type { ProvableRecord } from "./record.ts";
import { type InclusionProof, leafIndex } from "./tree-proof.ts";
import { tlogProofText } from "./verify/receipts/tlog-proof.ts";

/** What a receipt says of its record, in base64. @param withPayload false: the entry alone */
export function receiptExtra(
  { entry, content, salt }: Pick<ProvableRecord, "entry" | "content" | "salt">,
  withPayload: boolean,
): string {
  const payload =
    withPayload && content !== null && salt !== null
      ? { payload: Buffer.from(content).toString(), salt: Buffer.from(salt).toString("base64") }
      : {};
  return Buffer.from(canonicalize({ v: 1, entry, ...payload }) ?? "").toString("base64");
}

/** The text of the file. @throws Refusal 1503 for a checkpoint to which no proof of a record leads */
export function receiptText(extra: string, seq: number, proof: InclusionProof): string {
  return tlogProofText({ extra, index: leafIndex(seq, proof), path: proof.inclusion, note: proof.note });
}
