// Owns the receipt of an erasure: the record that says what was erased, with what proves that it is in the chain. Pure.

import type { SignedCheckpoint } from "./checkpoint.ts";
import type { EncodedPayload } from "./parts/parts.ts";
import type { ChainEntry } from "./record.ts";

export interface Receipt {
  readonly v: 1;
  readonly project: string;
  readonly subject: string;
  readonly entry: string;
  readonly hash: string;
  readonly salt: string;
  readonly payload: string;
  readonly inclusion: string[];
  readonly checkpoint: string;
  readonly verifier_key: string;
}

interface Proven {
  /** Id. */
  readonly project: string;
  /** Pseudonym of the subject that was erased. */
  readonly subject: string;
  /** The newest record of the chain. */
  readonly entry: ChainEntry;
  readonly payload: EncodedPayload;
  /** Of the chain with this record. */
  readonly checkpoint: SignedCheckpoint;
  /** The hashes beside the path from the record to the root of the checkpoint, from the leaf up. */
  readonly inclusion: readonly Uint8Array[];
}

/** The form of a line of an export of version 2, with the checkpoint whose newest record it is. */
export function toReceipt({ project, subject, entry, payload, checkpoint, inclusion }: Proven): Receipt {
  return {
    v: 1,
    project,
    subject,
    entry: entry.entry,
    hash: entry.hash,
    salt: Buffer.from(payload.salt).toString("base64"),
    payload: Buffer.from(Bun.zstdDecompressSync(payload.compressed)).toString("utf8"),
    inclusion: inclusion.map((hash) => Buffer.from(hash).toString("base64")),
    checkpoint: checkpoint.note,
    verifier_key: checkpoint.verifierKey,
  };
}
