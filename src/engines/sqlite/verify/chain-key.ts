// Owns what the check of the records of a chain needs to know: which hashes and roots the checkpoints ask for. Reads nothing.

import { type KnownCheckpoint, sizeOf } from "../../../audit/verify/checkpoint-comparison.ts";
import type { SignedRoot } from "../../../audit/verify/note-reader.ts";
import type { ChainFrame } from "./ledger.ts";
import type { ChainKey } from "./rows.ts";

interface MoreCheckpoints {
  readonly checkpoints: readonly Pick<KnownCheckpoint, "chain" | "size">[];
  readonly roots: readonly SignedRoot[];
}

/** @param more checkpoints that are not in the database */
export function toKey(frame: ChainFrame, more: MoreCheckpoints): ChainKey {
  const { number, chain, project, start, tree } = frame;
  const ofChain = (one: { readonly chain: string }) => one.chain === chain;
  const sizes = [...frame.checkpoints, ...more.checkpoints.filter(ofChain)].map(({ size }) => size);
  const after = (seqs: readonly number[]) =>
    [...new Set(seqs)].filter((seq) => seq > start.seq).sort((a, b) => a - b);
  const roots = [...frame.roots, ...more.roots.filter(ofChain)];
  return {
    number,
    chain,
    project,
    through: start.seq,
    wanted: after(sizes),
    tree:
      tree === null
        ? null
        : {
            first: tree.first,
            through: tree.through,
            roots: after(roots.map((root) => sizeOf(root, tree.through))),
          },
  };
}
