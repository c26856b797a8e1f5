// Owns the checks of the Merkle tree of a chain: the statement, every stored node that can be computed, and the roots at checkpoints. Pure;
// must never read a file.

import { frontierAt, type TreeHasher, type TreeNode, type TreeReader, type TreeStatement } from "../tree.ts";
import { parseCanonical } from "./entry-parser.ts";
import { type NewerMembers, newerMembers } from "./entry-version-2.ts";
import { levelsPerStored, type NodePlace, placesAtCut } from "./node-places.ts";
import type { Segment } from "./segment.ts";
import { endOf, joinForests, parseHash, rootOfNodes } from "./tree-forest.ts";
import { earlier, type Failure } from "./verdict.ts";

export interface ParsedStatement extends TreeStatement {
  readonly newer: NewerMembers | null;
}

const names: ReadonlySet<string> = new Set(["chain", "first", "genesis", "hash", "through", "since"]);

/** Null when the text is not the JCS form of a statement. */
export function parseStatement(text: string): ParsedStatement | null {
  const value = parseCanonical(text);
  if (value === null) return null;
  const { chain, first, genesis, hash, through } = value;
  const newer = newerMembers(value, names);
  if (typeof chain !== "string" || !isHash(genesis) || !isHash(hash) || newer === undefined) return null;
  if (!isCount(first) || !isCount(through) || first <= through) return null;
  if (through === 0 && hash !== genesis) return null;
  return { chain, first, genesis, hash, through, newer };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && parseHash(value) !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The tree of a chain as it is stored. Plain data. */
export interface StoredTree {
  readonly through: number;
  /** The first record of version 2. */
  readonly first: number;
  /** The data of leaf 0: the hash of the statement. */
  readonly statement: Uint8Array;
  /** The first so many leaves were removed; 0: none. */
  readonly removed: number;
  /** The number of leaves before the first record that is read. */
  readonly base: number;
  /** The nodes of these leaves; null: they cannot be computed. */
  readonly start: readonly TreeNode[] | null;
  /** Whether the first record that is read is the first one there is. */
  readonly isWhole: boolean;
  /** If not whole: those that end after `base`. */
  readonly stored: readonly TreeNode[];
  /** Numbers of leaves of the checkpoints of version 2 in the database. */
  readonly sizes: readonly number[];
  /** The newest record when the nodes were read. */
  readonly newest: number;
  readonly newer: NewerMembers | null;
}

export interface VerifiedTree {
  readonly failure: Failure | null;
  /** Undefined: a record cannot be read, so the root is not known. Null: nodes are missing. */
  rootAt(leaves: number): Uint8Array | null | undefined;
}

/** Segments in the order of the chain. */
export function verifyTree(tree: StoredTree, segments: readonly Segment[], hasher: TreeHasher): VerifiedTree {
  const { base, start, stored } = tree;
  const { completed, roots } = joinForests(tree, segments, hasher);
  const byPlace = new Map(stored.filter(neededIn(tree)).map((node) => [nameOf(node), node.hash]));
  const rootAt = (leaves: number) => {
    if (leaves >= base) return roots.get(leaves) ?? (start === null ? null : undefined);
    return tree.isWhole ? storedRoot(leaves, byPlace, tree, hasher) : undefined;
  };
  const failure = earlier(
    checkNodes(tree, byPlace, completed),
    tree.isWhole && tree.removed > 0 ? checkRemovedNodes(tree, byPlace, hasher) : null,
  );
  return { failure, rootAt };
}

function nameOf({ level, position }: NodePlace): string {
  return `${level} ${position}`;
}

/** The number of leaves when the nodes were read. */
function leavesOf({ newest, through }: StoredTree): number {
  return newest - through + 1;
}

/** Where there must be nodes of the levels 0 to 7. */
function cutPlaces({ removed, sizes }: StoredTree): readonly NodePlace[] {
  return removed === 0 ? [] : placesAtCut(removed, sizes);
}

/** A stored node where there must be none. */
export function findStrayPlace(tree: StoredTree): NodePlace | null {
  const isNeeded = neededIn(tree);
  return tree.stored.find((node) => !isNeeded(node)) ?? null;
}

/** @returns a function: whether a node may be stored */
function neededIn(tree: StoredTree): (node: NodePlace) => boolean {
  const cut = new Set(cutPlaces(tree).map(nameOf));
  return (node) =>
    node.level >= levelsPerStored && node.level % levelsPerStored === 0
      ? node.position >= 0 && endOf(node) <= leavesOf(tree)
      : cut.has(nameOf(node));
}

/** That the nodes which must be there are there, and are those that the records give. */
function checkNodes(
  tree: StoredTree,
  stored: ReadonlyMap<string, Uint8Array>,
  computed: readonly TreeNode[],
): Failure | null {
  let failure: Failure | null = null;
  const fail = (node: NodePlace, message: string) => {
    failure = earlier(failure, { seq: tree.through + endOf(node) - 1, check: "tree", message });
  };
  const leaves = leavesOf(tree);
  if (tree.isWhole) for (const place of cutPlaces(tree)) if (!stored.has(nameOf(place))) fail(place, missing);
  const signed = Math.max(0, ...tree.sizes);
  for (let level = levelsPerStored; 2 ** level <= leaves; level += levelsPerStored) {
    const count = Math.floor(leaves / 2 ** level);
    const first = tree.isWhole ? 0 : Math.floor(tree.base / 2 ** level);
    // Those at the end, which no checkpoint in the database needs.
    let isAtEnd = true;
    for (let position = count - 1; position >= first; position--) {
      const place = { level, position };
      isAtEnd &&= !stored.has(nameOf(place)) && endOf(place) > signed;
      if (!stored.has(nameOf(place)) && !isAtEnd) fail(place, missing);
    }
  }
  for (const node of computed) {
    const found = stored.get(nameOf(node));
    if (found !== undefined && endOf(node) <= leaves && !isSame(found, node.hash)) fail(node, wrong);
  }
  return failure;
}

const missing = "a node of the tree is missing";
const wrong = "a node of the tree is not the one that the records before its end give";

/** What can be computed of removed leaves: from leaf 0, and from stored nodes of lower levels. */
function checkRemovedNodes(
  { through, removed, statement }: StoredTree,
  stored: ReadonlyMap<string, Uint8Array>,
  hasher: TreeHasher,
): Failure | null {
  let failure: Failure | null = null;
  const check = (node: TreeNode) => {
    const found = stored.get(nameOf(node));
    if (found === undefined || isSame(found, node.hash)) return;
    // The way from leaf 0 proves the statement.
    const isStatement = node.position === 0 && node.level <= levelsPerStored;
    const seq = isStatement ? 0 : through + endOf(node) - 1;
    failure = earlier(failure, { seq, check: "tree", message: wrong });
  };
  let level = new Map<number, Uint8Array>();
  const leaf0 = hasher.leaf(statement);
  check({ level: 0, position: 0, hash: leaf0 });
  for (let height = 0; 2 ** height <= removed; height++) {
    const known = new Map<number, Uint8Array>();
    for (const [name, hash] of stored) {
      const [at, position = 0] = name.split(" ").map(Number);
      if (at === height) known.set(position, hash);
    }
    for (const [position, hash] of level) {
      check({ level: height, position, hash });
      if (!known.has(position)) known.set(position, hash);
    }
    if (height === 0 && !known.has(0)) known.set(0, leaf0);
    level = parentsOf(known, removed / 2 ** (height + 1), hasher);
  }
  return failure;
}

/** The parents of pairs of nodes, up to a number of positions. */
function parentsOf(
  known: ReadonlyMap<number, Uint8Array>,
  count: number,
  hasher: TreeHasher,
): Map<number, Uint8Array> {
  const parents = new Map<number, Uint8Array>();
  for (const [position, left] of known) {
    const right = position % 2 === 0 ? known.get(position + 1) : undefined;
    if (right !== undefined && position / 2 + 1 <= count) parents.set(position / 2, hasher.node(left, right));
  }
  return parents;
}

function storedRoot(
  leaves: number,
  stored: ReadonlyMap<string, Uint8Array>,
  { removed }: StoredTree,
  hasher: TreeHasher,
): Uint8Array | null {
  const nodes = nodesBefore(leaves, readerOf(stored, removed), hasher);
  return nodes === null ? null : rootOfNodes(nodes, hasher);
}

function readerOf(stored: ReadonlyMap<string, Uint8Array>, removed: number): TreeReader {
  return {
    removed,
    leaves: () => [],
    nodes: (level, first, end) =>
      Array.from({ length: end - first }, (_, index) => stored.get(`${level} ${first + index}`)).filter(
        (hash) => hash !== undefined,
      ),
  };
}

/** The nodes of the first so many leaves; null: stored ones are missing. */
export function nodesBefore(leaves: number, reader: TreeReader, hasher: TreeHasher): TreeNode[] | null {
  try {
    return placeNodes(leaves, frontierAt(leaves, reader, hasher).hashes);
  } catch {
    return null;
  }
}

/** The complete nodes into which so many leaves are divided, from their hashes, the largest first. */
export function placeNodes(leaves: number, hashes: readonly Uint8Array[]): TreeNode[] {
  let end = 0;
  return hashes.map((hash) => {
    const level = Math.floor(Math.log2(leaves - end));
    const position = end / 2 ** level;
    end += 2 ** level;
    return { level, position, hash };
  });
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
