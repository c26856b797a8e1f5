// Owns the Merkle tree of a chain (RFC 6962, section 2.1), on servers and in browsers: its hashes, appending, its stored nodes, and the paths
// that prove inclusion and consistency. Must never read a database.
//
// Why positions are divided instead of shifted: shifts of JavaScript have 32 bits, and a chain may have 2^53 - 1 records.

import { type Cryptography, hashBytes } from "./verify/cryptography.ts";
import { levelsPerStored, type NodePlace, placesAtCut } from "./verify/node-places.ts";

const highestLevel = 52;

/** The two hashes of the tree. All have 32 bytes. */
export interface TreeHasher {
  leaf(data: Uint8Array): Uint8Array;
  node(left: Uint8Array, right: Uint8Array): Uint8Array;
}

/** The node at this place. Level 0: the hash of a leaf. */
export interface TreeNode extends NodePlace {
  readonly hash: Uint8Array;
}

/** With what a tree begins. Hashes have 64 hexadecimal characters. */
export interface TreeStatement {
  readonly chain: string;
  /** The first record of version 2. */
  readonly first: number;
  readonly genesis: string;
  /** Of the record `through`, the last one that was removed before; without one, of the genesis. */
  readonly hash: string;
  readonly through: number;
}

/** What an append needs: the hashes of the complete nodes into which the first `size` leaves are divided, the largest first. */
export interface Frontier {
  readonly size: number;
  readonly hashes: readonly Uint8Array[];
}

/** What is stored of a tree. */
export interface TreeReader {
  /** The first so many leaves were removed. Of them there are the nodes of every eighth level, and those of `nodesAtCut`. */
  readonly removed: number;
  /** The data of the leaves from `first` to before `end`: at most 256. */
  leaves(first: number, end: number): readonly Uint8Array[];
  /** The stored nodes of a level at the positions from `first` to before `end`: at most 256. Those that are not stored are left out. */
  nodes(level: number, first: number, end: number): readonly Uint8Array[];
}

export function createTreeHasher({ hashInto }: Cryptography): TreeHasher {
  const leafBytes = new Uint8Array(1 + hashBytes);
  const nodeBytes = new Uint8Array(1 + 2 * hashBytes).fill(1, 0, 1);
  const hashOf = (bytes: Uint8Array): Uint8Array => {
    const hash = new Uint8Array(hashBytes);
    hashInto(bytes, hash);
    return hash;
  };
  return {
    leaf(data) {
      leafBytes.set(data, 1);
      return hashOf(leafBytes);
    },
    node(left, right) {
      nodeBytes.set(left, 1);
      nodeBytes.set(right, 1 + hashBytes);
      return hashOf(nodeBytes);
    },
  };
}

/** RFC 8785: the members are in order, and hexadecimal characters and integers are written in one way. */
export function statementText({ chain, first, genesis, hash, through }: TreeStatement): string {
  return JSON.stringify({ chain, first, genesis, hash, through });
}

/** The data of leaf 0: the hash of the text of the statement. */
export function statementHash(statement: string, { hashInto }: Cryptography): Uint8Array {
  const hash = new Uint8Array(hashBytes);
  hashInto(new TextEncoder().encode(`memledger/tree/v2\0${statement}`), hash);
  return hash;
}

/** What is stored of a tree is not complete, or is not that of the records. */
export class TreeDifference extends Error {}

export const emptyFrontier: Frontier = { size: 0, hashes: [] };

/**
 * Takes two hashes on average. The frontier before remains valid, so a transaction that is rolled back needs no repair.
 * @returns also the nodes to store: those that this leaf completes, of the levels 8, 16, 24 and so on
 */
export function appendLeaf(
  { size, hashes }: Frontier,
  data: Uint8Array,
  hasher: TreeHasher,
): { readonly frontier: Frontier; readonly completed: readonly TreeNode[] } {
  const completed: TreeNode[] = [];
  let [hash, level, position] = [hasher.leaf(data), 0, size];
  for (const left of hashes.toReversed()) {
    if (position % 2 === 0) break;
    hash = hasher.node(left, hash);
    position = (position - 1) / 2;
    level++;
    if (level % levelsPerStored === 0) completed.push({ level, position, hash });
  }
  return {
    frontier: { size: size + 1, hashes: [...hashes.slice(0, hashes.length - level), hash] },
    completed,
  };
}

/** @throws TypeError for no leaf, which no tree of a chain has: leaf 0 is its statement. */
export function rootOf({ hashes }: Frontier, hasher: TreeHasher): Uint8Array {
  return hashes.reduceRight((right, left) => hasher.node(left, right));
}

/** @param size a kept size (`placesAtCut`), or at least the number of removed leaves */
export function frontierAt(size: number, reader: TreeReader, hasher: TreeHasher): Frontier {
  return { size, hashes: nodesOf(0, size, reader, hasher) };
}

/** The nodes at `placesAtCut`. */
export function nodesAtCut(
  count: number,
  checkpointSizes: readonly number[],
  reader: TreeReader,
  hasher: TreeHasher,
): TreeNode[] {
  return placesAtCut(count, checkpointSizes).map(({ level, position }) => ({
    level,
    position,
    hash: nodeHash(level, position, reader, hasher),
  }));
}

/**
 * Proves that leaf `index` is in the tree of this size: the hashes beside its path to the root, from the leaf up. Of removed leaves only leaf 0
 * has a path.
 */
export function inclusionPath(
  index: number,
  size: number,
  reader: TreeReader,
  hasher: TreeHasher,
): Uint8Array[] {
  if ((index !== 0 && index < reader.removed) || index >= size)
    throw new RangeError(`leaf ${index} is not in the tree`);
  return rangesBeside(index + 1, size, (first, end) => end - first === 1)
    .beside.map(([first, end]) => rangeHash(first, end, reader, hasher))
    .toReversed();
}

/**
 * Proves that the tree of size `former` is the beginning of the tree of this size: PROOF of RFC 6962, section 2.1.2.
 * @throws TreeDifference when a size that is not kept needs removed leaves
 */
export function consistencyPath(
  previous: number,
  size: number,
  reader: TreeReader,
  hasher: TreeHasher,
): Uint8Array[] {
  if (previous < 1 || previous > size) throw new RangeError(`size ${previous} is not in the tree`);
  const { beside, last } = rangesBeside(previous, size, (_, end) => end === previous);
  // Who verifies knows the root of the previous size, so it is not repeated if it is a node.
  const ranges = last[0] === 0 ? beside : [...beside, last];
  return ranges.map(([first, end]) => rangeHash(first, end, reader, hasher)).toReversed();
}

/** Leaves from the first number to before the second. */
type Range = readonly [number, number];

/** The halves that are passed by on the way down from the root to the leaf before `through`, and the range where the way ends. */
function rangesBeside(
  through: number,
  size: number,
  isLast: (first: number, end: number) => boolean,
): { readonly beside: readonly Range[]; readonly last: Range } {
  const beside: Range[] = [];
  let [first, end] = [0, size];
  while (!isLast(first, end)) {
    const middle = first + largestPowerBelow(end - first);
    if (through <= middle) {
      beside.push([middle, end]);
      end = middle;
    } else {
      beside.push([first, middle]);
      first = middle;
    }
  }
  return { beside, last: [first, end] };
}

function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** MTH of a range that RFC 6962 makes when it divides the leaves. */
function rangeHash(first: number, end: number, reader: TreeReader, hasher: TreeHasher): Uint8Array {
  return rootOf({ size: end - first, hashes: nodesOf(first, end, reader, hasher) }, hasher);
}

/** The hashes of the complete nodes into which a range is divided, the largest first. */
function nodesOf(first: number, end: number, reader: TreeReader, hasher: TreeHasher): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  let start = first;
  for (let level = highestLevel; level >= 0; level--) {
    const width = 2 ** level;
    if (end - start < width) continue;
    hashes.push(nodeHash(level, start / width, reader, hasher));
    start += width;
  }
  return hashes;
}

function nodeHash(level: number, position: number, reader: TreeReader, hasher: TreeHasher): Uint8Array {
  const storedLevel = level - (level % levelsPerStored);
  const width = 2 ** (level - storedLevel);
  const [first, end] = [position * width, (position + 1) * width];
  if (storedLevel > 0) return fold(reader.nodes(storedLevel, first, end), width, hasher);
  if (first >= reader.removed) return fold(reader.leaves(first, end).map(hasher.leaf), width, hasher);
  const [stored] = end <= reader.removed ? reader.nodes(level, position, position + 1) : [];
  if (stored !== undefined) return stored;
  if (level === 0) throw new TreeDifference(`leaf ${position} was removed`);
  const half = (at: number) => nodeHash(level - 1, at, reader, hasher);
  return hasher.node(half(2 * position), half(2 * position + 1));
}

/** The node over `count` hashes of one level, a power of two. @throws TreeDifference when there are not so many: what is stored is not complete. */
function fold(hashes: readonly Uint8Array[], count: number, hasher: TreeHasher): Uint8Array {
  if (hashes.length !== count) throw new TreeDifference(`the tree has ${hashes.length} of ${count} hashes`);
  let row = hashes;
  while (row.length > 1) {
    row = row.flatMap((left, index) => {
      const right = row[index + 1];
      return index % 2 === 0 && right !== undefined ? [hasher.node(left, right)] : [];
    });
  }
  return rootOf({ size: count, hashes: row }, hasher);
}
