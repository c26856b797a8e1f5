// A Merkle tree as a database stores it, with what retention has removed, for tests of its paths. Its nodes are those of the code that is tested.

import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import {
  appendLeaf,
  createTreeHasher,
  emptyFrontier,
  type Frontier,
  nodesAtCut,
  type TreeNode,
  type TreeReader,
} from "../../src/audit/tree.ts";

export const hasher = createTreeHasher(runtimeCryptography);

export interface StoredTree {
  leaves: Uint8Array[];
  readonly nodes: Map<string, Uint8Array>;
  frontier: Frontier;
  removed: number;
  /** Those of its checkpoints, in ascending order. */
  readonly checkpointSizes: number[];
  /** How many leaves and nodes each call has read. */
  readonly reads: number[];
}

export function treeOf(leaves: readonly Uint8Array[]): StoredTree {
  const tree: StoredTree = {
    leaves: [],
    nodes: new Map(),
    frontier: emptyFrontier,
    removed: 0,
    checkpointSizes: [1],
    reads: [],
  };
  append(tree, leaves);
  return tree;
}

export function append(tree: StoredTree, leaves: readonly Uint8Array[]): void {
  for (const leaf of leaves) {
    const { frontier, completed } = appendLeaf(tree.frontier, leaf, hasher);
    tree.leaves.push(leaf);
    tree.frontier = frontier;
    store(tree, completed);
  }
}

function store(tree: StoredTree, nodes: readonly TreeNode[]): void {
  for (const { level, position, hash } of nodes) tree.nodes.set(`${level} ${position}`, hash);
}

/** Reads what is stored, so it gives nothing of removed leaves. */
export function readerOf(tree: StoredTree): TreeReader {
  const noted = (hashes: readonly (Uint8Array | undefined)[]) => {
    tree.reads.push(hashes.length);
    return hashes.filter((hash) => hash !== undefined);
  };
  const numbers = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, index) => first + index);
  return {
    removed: tree.removed,
    leaves: (first, end) =>
      noted(numbers(first, end).map((index) => (index < tree.removed ? undefined : tree.leaves[index]))),
    nodes: (level, first, end) =>
      noted(numbers(first, end).map((position) => tree.nodes.get(`${level} ${position}`))),
  };
}

/** As retention does it: the nodes of the cut replace those of the cut before, then the leaves go. */
export function cut(tree: StoredTree, count: number): void {
  const nodes = nodesAtCut(count, tree.checkpointSizes, readerOf(tree), hasher);
  for (const key of tree.nodes.keys()) if (Number(key.split(" ")[0]) < 8) tree.nodes.delete(key);
  store(tree, nodes);
  tree.removed = count;
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}
