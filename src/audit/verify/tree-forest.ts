// Owns the complete nodes into which consecutive leaves of a Merkle tree are divided, so that parts of a chain can be hashed separately and
// joined. Must never read what is stored.

import { fromHex } from "../../platform/text/byte-text.ts";
import type { TreeHasher, TreeNode } from "../tree.ts";
import { hashBytes } from "./cryptography.ts";
import { levelsPerStored } from "./node-places.ts";

/** What a segment has of its records as leaves. */
interface Grown {
  readonly forest: Forest | null;
  readonly frontiers: readonly (readonly [seq: number, nodes: readonly TreeNode[]])[];
}

/** Of consecutive leaves. Plain data. */
export interface Forest {
  /** From the left to the right; no two of them are halves of a node. */
  readonly nodes: readonly TreeNode[];
  /** The nodes of the levels 8, 16, 24 and so on that are complete. */
  readonly completed: readonly TreeNode[];
}

/** Adds a node that begins where the last one ends, and joins halves. `completed` gets the nodes to be stored. */
export function pushNode(
  nodes: TreeNode[],
  node: TreeNode,
  hasher: TreeHasher,
  completed: TreeNode[] = [],
): void {
  let right = node;
  for (let left = nodes.at(-1); left !== undefined; left = nodes.at(-1)) {
    if (left.level !== right.level || right.position % 2 === 0) break;
    nodes.pop();
    const hash = hasher.node(left.hash, right.hash);
    right = { level: right.level + 1, position: (right.position - 1) / 2, hash };
    if (right.level % levelsPerStored === 0) completed.push(right);
  }
  nodes.push(right);
}

/** The root of a tree, from all of its nodes. */
export function rootOfNodes(nodes: readonly TreeNode[], hasher: TreeHasher): Uint8Array | null {
  return nodes.reduceRight<Uint8Array | null>(
    (right, { hash }) => (right === null ? hash : hasher.node(hash, right)),
    null,
  );
}

/** The position of the leaf after a node. */
export function endOf({ level, position }: Pick<TreeNode, "level" | "position">): number {
  return (position + 1) * 2 ** level;
}

/** The bytes of a hash: 64 lower-case hexadecimal characters. Null for other texts. */
export function parseHash(hex: string): Uint8Array | null {
  return hex.length === 2 * hashBytes ? fromHex(hex) : null;
}

/** The nodes before the first record that is read. */
interface ForestStart {
  readonly through: number;
  /** The number of leaves. */
  readonly base: number;
  /** Null: they cannot be computed. */
  readonly start: readonly TreeNode[] | null;
}

/** The forests of segments, in the order of the chain. */
interface JoinedForests {
  /** The nodes of the levels 8, 16, 24 and so on that are complete; none if a record cannot be read. */
  readonly completed: readonly TreeNode[];
  /** By number of leaves: at `base`, and at the requested seqs up to the first record that cannot be read. */
  readonly roots: ReadonlyMap<number, Uint8Array | null>;
}

export function joinForests(
  { through, base, start }: ForestStart,
  segments: readonly Grown[],
  hasher: TreeHasher,
): JoinedForests {
  const nodes = [...(start ?? [])];
  const completed: TreeNode[] = [];
  const roots = new Map([[base, rootOfNodes(nodes, hasher)]]);
  for (const { forest, frontiers } of start === null ? [] : segments) {
    for (const [seq, frontier] of frontiers) {
      const all = [...nodes];
      for (const node of frontier) pushNode(all, node, hasher);
      roots.set(seq - through + 1, rootOfNodes(all, hasher));
    }
    if (forest === null || !follows(forest, nodes)) return { completed: [], roots };
    completed.push(...forest.completed);
    for (const node of forest.nodes) pushNode(nodes, node, hasher, completed);
  }
  return { completed, roots };
}

/** Whether a forest begins where the nodes before it end. */
function follows({ nodes: [first] }: Forest, nodes: readonly TreeNode[]): boolean {
  const last = nodes.at(-1);
  return first === undefined || last === undefined || endOf(last) === first.position * 2 ** first.level;
}
