// Proves the paths of Merkle trees of any history: records are appended, checkpoints signed and records removed, and between any two sizes that are
// kept, both verifiers accept what the tree proves, and neither accepts it with a bit changed.

import { consistencyPath, inclusionPath, rootOf } from "../../src/audit/tree.ts";
import { isConsistent, isIncluded, type TreeRoot } from "../../src/audit/verify/tree-paths.ts";
import { createRandom } from "../crash/load.ts";
import { naiveRoot, sha256 } from "./naive-tree.ts";
import { continues, leadsTo } from "./outside-verifier.ts";
import { append, cut, flipped, hasher, readerOf, type StoredTree, treeOf } from "./stored-tree.ts";

export interface ProvedHistories {
  readonly histories: number;
  /** Pairs of sizes, each with one leaf. */
  readonly cases: number;
  readonly flippedBits: number;
  readonly faults: readonly string[];
}

const casesOfHistory = 500;
const leavesMax = 3_000;

/** A number below a limit. */
type Random = (below: number) => number;

interface History {
  readonly tree: StoredTree;
  readonly leaves: readonly Uint8Array[];
  /** By size, from 1 on. */
  readonly roots: readonly Uint8Array[];
}

export function proveHistories(cases: number, seed: number): ProvedHistories {
  const fraction = createRandom(seed);
  const random: Random = (below) => Math.floor(fraction() * below);
  const faults: string[] = [];
  let [done, histories, flippedBits] = [0, 0, 0];
  while (done < cases) {
    const history = live(random);
    histories++;
    const size = 1 + random(history.leaves.length);
    if (toBase64(naiveRoot(history.leaves.slice(0, size))) !== toBase64(rootAt(history, size).root))
      faults.push(`history ${histories}: another root of ${size} leaves`);
    for (let each = 0; each < casesOfHistory && done < cases; each++, done++) {
      const [one, other] = [keptSize(history, random), keptSize(history, random)];
      const found = proveSizes(history, Math.min(one, other), Math.max(one, other), random);
      flippedBits += found.flippedBits;
      faults.push(...found.faults.map((fault) => `history ${histories}: ${fault}`));
    }
  }
  return { histories, cases: done, flippedBits, faults };
}

function live(random: Random): History {
  const count = 1 + random(random(4) === 0 ? 20 : leavesMax);
  const leaves = Array.from({ length: count }, (_, index) =>
    sha256(Buffer.from(`${random(2 ** 32)} ${index}`)),
  );
  const roots: Uint8Array[] = [];
  const tree = treeOf([]);
  for (let size = 0; size < count; ) {
    const next = Math.min(count, size + 1 + random(400));
    for (const leaf of leaves.slice(size, next)) {
      append(tree, [leaf]);
      roots.push(rootOf(tree.frontier, hasher));
    }
    size = next;
    if (random(3) > 0) tree.checkpointSizes.push(size);
    if (random(3) === 0) cut(tree, tree.removed + random(size - tree.removed + 1));
  }
  return { tree, leaves, roots };
}

/** One that the records which are left lead to, or that of a checkpoint. */
function keptSize({ tree: { removed, checkpointSizes }, leaves }: History, random: Random): number {
  const kept = checkpointSizes.filter((size) => size <= leaves.length);
  const isOfCheckpoint = random(4) === 0 || removed === leaves.length;
  return isOfCheckpoint
    ? (kept[random(kept.length)] ?? 1)
    : Math.max(1, removed) + random(leaves.length - Math.max(1, removed) + 1);
}

function rootAt({ roots }: History, size: number): TreeRoot {
  return { size, root: roots[size - 1] ?? new Uint8Array() };
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const textOf = ({ size, root }: TreeRoot) => ({ origin: "", size, root: toBase64(root) });

interface Inclusion {
  readonly index: number;
  readonly data: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly tree: TreeRoot;
}

interface Consistency {
  readonly former: TreeRoot;
  readonly later: TreeRoot;
  readonly path: readonly Uint8Array[];
}

/** What the verifiers say: ours, and one that shares no code with it. */
function areIncluded({ tree, ...leaf }: Inclusion): readonly boolean[] {
  const outside = {
    path: leaf.path.map(toBase64),
    index: leaf.index,
    leaf: sha256(Uint8Array.of(0), leaf.data),
  };
  return [isIncluded(leaf, tree, hasher), leadsTo(outside, tree.size, toBase64(tree.root))];
}

function areConsistent({ former, later, path }: Consistency): readonly boolean[] {
  const outside = path.map(toBase64);
  return [isConsistent(former, later, path, hasher), continues(textOf(former), textOf(later), outside)];
}

function proveSizes(history: History, size: number, later: number, random: Random) {
  const faults: string[] = [];
  const { removed } = history.tree;
  const reader = readerOf(history.tree);
  // Of removed leaves only the first one has a path.
  const index = size <= removed ? 0 : random(5) === 0 ? 0 : removed + random(size - removed);
  const inclusion: Inclusion = {
    index,
    data: history.leaves[index] ?? new Uint8Array(),
    path: inclusionPath(index, size, reader, hasher),
    tree: rootAt(history, size),
  };
  const consistency: Consistency = {
    former: rootAt(history, size),
    later: rootAt(history, later),
    path: consistencyPath(size, later, reader, hasher),
  };
  if (areIncluded(inclusion).includes(false)) faults.push(`leaf ${index} of ${size} is not proved`);
  if (areConsistent(consistency).includes(false)) faults.push(`${size} to ${later} is not proved`);
  const [wrongLeaf, wrongTrees] = [spoilInclusion(inclusion, random), spoilConsistency(consistency, random)];
  if (areIncluded(wrongLeaf).includes(true))
    faults.push(`leaf ${index} of ${size} is proved with a bit changed`);
  if (areConsistent(wrongTrees).includes(true))
    faults.push(`${size} to ${later} is proved with a bit changed`);
  history.tree.reads.length = 0;
  return { faults, flippedBits: 2 };
}

const flip = (bytes: Uint8Array, random: Random) => flipped(bytes, random(8 * bytes.length));
const spoilPath = (path: readonly Uint8Array[], random: Random) => {
  const at = random(path.length);
  return path.map((hash, place) => (place === at ? flip(hash, random) : hash));
};
const spoilRoot = ({ size, root }: TreeRoot, random: Random) => ({ size, root: flip(root, random) });

function spoilInclusion(leaf: Inclusion, random: Random): Inclusion {
  const choice = random(leaf.path.length > 0 ? 8 : 3);
  if (choice === 0) return { ...leaf, data: flip(leaf.data, random) };
  if (choice === 1) return { ...leaf, tree: spoilRoot(leaf.tree, random) };
  if (choice === 2) return { ...leaf, index: leaf.index ^ (1 << random(13)) };
  return { ...leaf, path: spoilPath(leaf.path, random) };
}

/** Both roots of equal sizes are one text, so changing either is enough. */
function spoilConsistency(trees: Consistency, random: Random): Consistency {
  const choice = random(trees.path.length > 0 ? 6 : 2);
  if (choice === 0) return { ...trees, former: spoilRoot(trees.former, random) };
  if (choice === 1) return { ...trees, later: spoilRoot(trees.later, random) };
  return { ...trees, path: spoilPath(trees.path, random) };
}
