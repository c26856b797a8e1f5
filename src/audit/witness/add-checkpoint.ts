// Owns the bodies of the request `add-checkpoint` to a witness, and of its answers (C2SP tlog-witness). Pure.

import { fromBase64 } from "../../platform/text/byte-text.ts";
import { hashBytes } from "../verify/cryptography.ts";

export interface AddCheckpoint {
  /** The size that the witness has cosigned last; 0: none. */
  readonly oldSize: number;
  /** The consistency proof from that size. */
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint. */
  readonly note: string;
}

const proofLinesMax = 63;

/** @param proof hashes in base64 */
export function addCheckpointBody(oldSize: number, proof: readonly string[], note: string): string {
  return `${[`old ${oldSize}`, ...proof].join("\n")}\n\n${note}`;
}

/** Null when it is malformed. The note is not read. */
export function parseAddCheckpoint(body: string): AddCheckpoint | null {
  const end = body.indexOf("\n\n");
  const [first = "", ...lines] = body.slice(0, Math.max(0, end)).split("\n");
  const [, size = ""] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  const proof = lines.map(fromBase64).filter((hash) => hash?.length === hashBytes);
  const hashes = proof.filter((hash) => hash !== null);
  const isComplete = hashes.length === lines.length && lines.length <= proofLinesMax;
  if (size === "" || !isComplete || !Number.isSafeInteger(Number(size))) return null;
  return { oldSize: Number(size), proof: hashes, note: body.slice(end + 2) };
}

export const sizeMediaType = "text/x.tlog.size";

/** The size that a witness has cosigned last, of an answer with status 409; null when it is malformed. */
export function parseKnownSize(body: string): number | null {
  const [, size = ""] = /^(0|[1-9]\d{0,15})\n$/.exec(body) ?? [];
  return size !== "" && Number.isSafeInteger(Number(size)) ? Number(size) : null;
}
