// Owns the proofs that records are in the tree of their chain, for exports that leave out records.

import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { createTreeHasher, inclusionPath, type TreeReader } from "../../../audit/tree.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toBase64 } from "../../../platform/text/byte-text.ts";
import { createChainTrees } from "../ledger/chain-tree.ts";

const hasher = createTreeHasher(runtimeCryptography);

/** @returns a function that finds the path of a record to the root of the first `leaves` leaves, in base64; valid in one transaction */
export function createInclusionProofs(
  database: Database,
): (chain: number, leaves: number) => (seq: number) => readonly string[] {
  const trees = createChainTrees(database);
  return (chain, leaves) => {
    const { through } = trees.statementOf(chain);
    const reader = readOnce(trees.reader(chain));
    return (seq) => inclusionPath(seq - through, leaves, reader, hasher).map(toBase64);
  };
}

/** Records that are near each other have most of their paths in common. */
function readOnce(reader: TreeReader): TreeReader {
  const known = new Map<string, readonly Uint8Array[]>();
  const once = (name: string, read: () => readonly Uint8Array[]): readonly Uint8Array[] => {
    const found = known.get(name) ?? read();
    known.set(name, found);
    return found;
  };
  return {
    removed: reader.removed,
    leaves: (first, end) => once(`${first} ${end}`, () => reader.leaves(first, end)),
    nodes: (level, first, end) => once(`${level} ${first} ${end}`, () => reader.nodes(level, first, end)),
  };
}
