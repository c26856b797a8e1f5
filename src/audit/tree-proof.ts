// Owns what proves that a record is in the ledger, and that the ledger continues an earlier one; and the refusal if nothing proves it yet. Pure.

import { unavailable } from "../platform/errors.ts";
import { parseTreeCheckpoint, type TreeCheckpoint } from "./checkpoint.ts";
import { textOfNote } from "./verify/note.ts";

export interface InclusionProof {
  /** How many records of the chain the checkpoint covers. */
  readonly size: number;
  /** A checkpoint of version 2, as a signed note. */
  readonly note: string;
  /** A time stamp of the checkpoint: the base64 of a DER TimeStampToken. Null: none. */
  readonly timestamp: string | null;
  /** The hashes beside the way of the record to its root, from the leaf up, in base64. */
  readonly inclusion: readonly string[];
}

export interface ConsistencyProof {
  /** Number of leaves that the tree has now. */
  readonly treeSize: number;
  /** In base64. Null: the tree has not so many leaves, or retention has removed records of a size that is not kept. */
  readonly path: readonly string[] | null;
}

/** @throws Refusal 1503 for a checkpoint to which no proof of a record leads */
export function requireTree(note: string): TreeCheckpoint {
  const tree = parseTreeCheckpoint(textOfNote(note));
  if (tree !== null) return tree;
  throw unavailable(
    "The records of this project cannot be proved one by one yet, because the tree over its ledger is not complete. Send the call again in some minutes, or export all records of the time range.",
    60,
  );
}

/** The number of leaves before a record. @throws as requireTree */
export function leafIndex(seq: number, { size, note }: Pick<InclusionProof, "size" | "note">): number {
  return requireTree(note).leaves - 1 - (size - seq);
}
