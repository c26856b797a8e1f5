// Owns the verification of the paths of a Merkle tree (RFC 9162, sections 2.1.3.2 and 2.1.4.2). Must never read leaves or nodes that are
// stored: who verifies has only the roots.

import { toHex } from "../../platform/text/byte-text.ts";
import type { TreeHasher } from "../tree.ts";
import { hashBytes } from "./cryptography.ts";

/** A tree, as a checkpoint states it. */
export interface TreeRoot {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether a path, from the leaf up, proves that leaf `index` of the tree has this data. */
export function isIncluded(
  { index, data, path }: { readonly index: number; readonly data: Uint8Array; readonly path: Path },
  { size, root }: TreeRoot,
  hasher: TreeHasher,
): boolean {
  if (index < 0 || index >= size || !isPath(path)) return false;
  let way: Way = [index, size - 1];
  let hash = hasher.leaf(data);
  for (const beside of path) {
    if (way[1] === 0) return false;
    if (isLeft(way)) hash = hasher.node(hash, beside);
    else {
      hash = hasher.node(beside, hash);
      way = toOdd(way);
    }
    way = up(way);
  }
  return way[1] === 0 && isSame(hash, root);
}

/** Whether a path proves that the previous tree is the beginning of the other. */
export function isConsistent(
  previous: TreeRoot,
  { size, root }: TreeRoot,
  path: Path,
  hasher: TreeHasher,
): boolean {
  if (previous.size < 1 || previous.size > size || !isPath(path)) return false;
  if (previous.size === size) return path.length === 0 && isSame(previous.root, root);
  let way: Way = [previous.size - 1, size - 1];
  while (way[0] % 2 === 1) way = up(way);
  // If the previous size is a power of two, its root is a node of the tree, and the path does not repeat it.
  const [first, ...rest] = way[0] === 0 ? [previous.root, ...path] : path;
  if (first === undefined) return false;
  let [previousHash, hash] = [first, first];
  for (const beside of rest) {
    if (way[1] === 0) return false;
    if (isLeft(way)) hash = hasher.node(hash, beside);
    else {
      previousHash = hasher.node(beside, previousHash);
      hash = hasher.node(beside, hash);
      way = toOdd(way);
    }
    way = up(way);
  }
  return way[1] === 0 && isSame(previousHash, previous.root) && isSame(hash, root);
}

type Path = readonly Uint8Array[];

function isPath(path: Path): boolean {
  return path.every((hash) => hash.length === hashBytes);
}

/** fn and sn of RFC 9162: the positions, on one level, of the node that the way has reached and of the last node. */
type Way = readonly [number, number];

function up([position, last]: Way): Way {
  return [Math.floor(position / 2), Math.floor(last / 2)];
}

/** Whether the node beside is the right one. A last node on the left has none beside it. */
function isLeft([position, last]: Way): boolean {
  return position % 2 === 0 && position !== last;
}

/** The way of a last node up to a level on which there is a node on its left. */
function toOdd(way: Way): Way {
  let reached = way;
  while (reached[0] % 2 === 0 && reached[0] !== 0) reached = up(reached);
  return reached;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return toHex(one) === toHex(other);
}
