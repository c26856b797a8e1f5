// Owns the complete nodes into which consecutive leaves of a Merkle tree are divided, so that parts of a chain can be hashed separately and
// joined. Must never read what is stored.

import { fromHex } from "../../text/byte-text.ts";
import type { TreeHasher, TreeNode } from "../tree.ts";
import { hashBytes } from "./cryptography.ts";
import { levelsPerStored } from "./node-places.ts";

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
