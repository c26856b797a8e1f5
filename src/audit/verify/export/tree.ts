// Owns what an export of version 2 proves with the Merkle tree of its chain: roots from the nodes before its first record, or an inclusion
// path for each record. Pure.

import { fromBase64, fromHex } from "../../../platform/text/byte-text.ts";
import type { TreeHasher } from "../../tree.ts";
import { type KnownRoot, sizeOf } from "../checkpoint-comparison.ts";
import type { Entry } from "../entry-parser.ts";
import type { RecordFault } from "../record-checks.ts";
import type { Segment } from "../segment.ts";
import { joinForests } from "../tree-forest.ts";
import { isIncluded } from "../tree-paths.ts";
import type { ExportedRecord } from "./columns.ts";
import type { Manifest } from "./manifest.ts";

/** What the manifest says about the check of the records. */
export function optionsOf(
  { v2, root, isVerifiable }: Manifest,
  roots: readonly KnownRoot[],
  hasher: TreeHasher,
) {
  if (v2 === null) return { firstOfVersion2: null, tree: null };
  const { statement, hasGaps, mayWithhold, before } = v2;
  const { through, first } = statement;
  const seqs = [...roots, ...(root === null ? [] : [root])].map((one) => sizeOf(one, through));
  const size = root === null || !hasGaps || !isVerifiable ? null : root.leaves;
  const target = size === null ? null : { size, root: fromHex(root?.root ?? "") ?? new Uint8Array() };
  return {
    ...{ firstOfVersion2: first, hasGaps, mayWithhold },
    tree: before === null ? null : { through, hasher, roots: [...new Set(seqs)].sort((a, b) => a - b) },
    checkRows: ({ row, hash }: ExportedRecord, { seq }: Entry): RecordFault | null => {
      if (target === null) return null;
      const proof = row.json("proof");
      const path = (Array.isArray(proof) ? proof : [null]).map((one) =>
        typeof one === "string" ? fromBase64(one) : null,
      );
      const whole = path.filter((one) => one !== null);
      const leaf = { index: seq - through, data: fromHex(hash ?? "") ?? new Uint8Array(), path: whole };
      return whole.length === path.length && isIncluded(leaf, target, hasher) ? null : notIncluded;
    },
  };
}

const notIncluded = {
  check: "tree",
  message: "the proof does not show that the record is in the tree of the checkpoint",
} as const;

/** Computes roots from the nodes before the first record, and knows that of the checkpoint of the manifest. */
export function rootsIn({ v2, root, span }: Manifest, segments: readonly Segment[], hasher: TreeHasher) {
  if (v2?.hasGaps === true && root !== null)
    return (leaves: number) => (leaves === root.leaves ? fromHex(root.root) : undefined);
  if (v2?.before == null || span === null) return () => undefined;
  const { through } = v2.statement;
  const { roots } = joinForests(
    { through, base: span.firstSeq - through, start: v2.before },
    segments,
    hasher,
  );
  return (leaves: number) => roots.get(leaves) ?? undefined;
}
