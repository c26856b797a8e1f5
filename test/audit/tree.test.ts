// Tests the Merkle tree against the definitions of RFC 6962, written here as they are there: roots, stored nodes, cuts, and the paths, which
// prove what they are about and nothing else.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import {
  appendLeaf,
  consistencyPath,
  createTreeHasher,
  emptyFrontier,
  type Frontier,
  frontierAt,
  inclusionPath,
  nodesAtCut,
  rootOf,
  statementHash,
  type TreeHasher,
  type TreeNode,
  type TreeReader,
} from "../../src/audit/tree.ts";
import { isConsistent, isIncluded } from "../../src/audit/verify/tree-paths.ts";
import { browserCryptography } from "../../src/console/verification/browser-cryptography.ts";
import { toHex } from "../../src/text/byte-text.ts";

const hasher = createTreeHasher(runtimeCryptography);
const sha256 = (...parts: Uint8Array[]) =>
  new Uint8Array(createHash("sha256").update(Buffer.concat(parts)).digest());

/** More than two stored nodes of level 8, and an incomplete one. */
const leavesMax = 700;
const data = Array.from({ length: leavesMax }, (_, index) => sha256(Buffer.from(`leaf ${index}`)));

/** MTH of RFC 6962, section 2.1. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return sha256(Uint8Array.of(0), only);
  const middle = splitOf(leaves.length);
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, middle)), naiveRoot(leaves.slice(middle)));
}

/** PATH of RFC 6962, section 2.1.1. */
function naivePath(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - middle, right), naiveRoot(left)];
}

/** SUBPROOF of RFC 6962, section 2.1.2. */
function naiveProof(former: number, leaves: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (former === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return former <= middle
    ? [...naiveProof(former, left, isWhole), naiveRoot(right)]
    : [...naiveProof(former - middle, right, false), naiveRoot(left)];
}

/** The largest power of two smaller than n. */
function splitOf(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}

interface StoredTree {
  leaves: Uint8Array[];
  readonly nodes: Map<string, Uint8Array>;
  frontier: Frontier;
  removed: number;
  /** How many leaves and nodes each call has read. */
  readonly reads: number[];
}

function treeOf(leaves: readonly Uint8Array[]): StoredTree {
  const tree: StoredTree = { leaves: [], nodes: new Map(), frontier: emptyFrontier, removed: 0, reads: [] };
  for (const leaf of leaves) {
    const { frontier, completed } = appendLeaf(tree.frontier, leaf, hasher);
    tree.leaves.push(leaf);
    tree.frontier = frontier;
    store(tree, completed);
  }
  return tree;
}

function store(tree: StoredTree, nodes: readonly TreeNode[]): void {
  for (const { level, position, hash } of nodes) tree.nodes.set(`${level} ${position}`, hash);
}

/** Reads what is stored, so it gives nothing of removed leaves. */
function readerOf(tree: StoredTree): TreeReader {
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
function cut(tree: StoredTree, count: number): void {
  const nodes = nodesAtCut(count, readerOf(tree), hasher);
  for (const key of tree.nodes.keys()) if (Number(key.split(" ")[0]) < 8) tree.nodes.delete(key);
  store(tree, nodes);
  tree.removed = count;
}

const sizes = fc.integer({ min: 1, max: leavesMax });
const all = treeOf(data);
const roots = data.map((_, index) => naiveRoot(data.slice(0, index + 1)));
const rootAt = (size: number) => ({ size, root: roots[size - 1] ?? new Uint8Array() });
const dataAt = (index: number) => data[index] ?? new Uint8Array();

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}

test("the root at every size is that of RFC 6962, for two hashes of each leaf", () => {
  let hashes = 0;
  const counting: TreeHasher = {
    leaf(leaf) {
      hashes++;
      return hasher.leaf(leaf);
    },
    node(left, right) {
      hashes++;
      return hasher.node(left, right);
    },
  };
  let frontier = emptyFrontier;
  for (const [index, leaf] of data.entries()) {
    ({ frontier } = appendLeaf(frontier, leaf, counting));
    expect(toHex(rootOf(frontier, hasher))).toBe(toHex(rootAt(index + 1).root));
    expect(frontierAt(index + 1, readerOf(all), hasher)).toEqual(frontier);
  }
  expect(hashes).toBeLessThanOrEqual(2 * leavesMax);
});

test("an append leaves the frontier before as it was", () => {
  const [one = dataAt(0), other = dataAt(1), third = dataAt(2)] = data;
  const before = appendLeaf(emptyFrontier, one, hasher).frontier;
  const kept = structuredClone(before);
  const after = appendLeaf(before, other, hasher).frontier;
  expect(before).toEqual(kept);
  expect(toHex(rootOf(appendLeaf(before, third, hasher).frontier, hasher))).toBe(
    toHex(naiveRoot([one, third])),
  );
  expect(toHex(rootOf(after, hasher))).toBe(toHex(naiveRoot([one, other])));
});

test("every eighth level is stored, complete nodes only", () => {
  expect([...all.nodes].map(([key, hash]) => [key, toHex(hash)])).toEqual([
    ["8 0", toHex(naiveRoot(data.slice(0, 256)))],
    ["8 1", toHex(naiveRoot(data.slice(256, 512)))],
  ]);
});

describe("levels that need many leaves", () => {
  const count = 65_536 + 2 * 256 + 77;
  const leaves = Array.from({ length: count }, (_, index) =>
    Uint8Array.from(data[index % leavesMax] ?? [], (byte) => byte ^ (index >> 12)),
  );
  const large = treeOf(leaves);
  const tree = { size: count, root: rootOf(large.frontier, hasher) };

  test("root and nodes of level 16 are those of RFC 6962", () => {
    expect(toHex(tree.root)).toBe(toHex(naiveRoot(leaves)));
    const keys = [...large.nodes.keys()].filter((key) => key.startsWith("16 "));
    expect(keys).toEqual(["16 0"]);
    expect(toHex(large.nodes.get("16 0") ?? dataAt(0))).toBe(toHex(naiveRoot(leaves.slice(0, 65_536))));
  });

  test("paths read at most 256 hashes of a level at a time, and verify, before and after a cut", () => {
    const check = (index: number) => {
      large.reads.length = 0;
      const path = inclusionPath(index, count, readerOf(large), hasher);
      expect(Math.max(...large.reads)).toBeLessThanOrEqual(256);
      // The siblings of its block and the incomplete end, of three stored levels.
      expect(large.reads.reduce((sum, read) => sum + read, 0)).toBeLessThanOrEqual(3 * 510);
      expect(isIncluded({ index, data: leaves[index] ?? dataAt(0), path }, tree, hasher)).toBe(true);
      return path;
    };
    const removed = 3 * 256 + 41;
    for (const index of [0, removed, 65_536, count - 1]) check(index);
    expect(check(40_000).map(toHex)).toEqual(naivePath(40_000, leaves).map(toHex));
    cut(large, removed);
    for (const index of [removed, removed + 300, count - 1]) check(index);
    for (const former of [removed, removed + 1, 65_536, count - 1]) {
      const path = consistencyPath(former, count, readerOf(large), hasher);
      const before = { size: former, root: rootOf(frontierAt(former, readerOf(large), hasher), hasher) };
      expect(toHex(before.root)).toBe(toHex(naiveRoot(leaves.slice(0, former))));
      expect(isConsistent(before, tree, path, hasher)).toBe(true);
    }
  });
});

/** A tree, one of its leaves and one of its former sizes, and what an attacker changes. */
const cases = fc.record({ size: sizes, bit: fc.nat(255), at: fc.nat() }).chain(({ size, ...change }) =>
  fc.record({
    size: fc.constant(size),
    index: fc.nat(size - 1),
    former: fc.integer({ min: 1, max: size }),
    otherIndex: fc.nat(leavesMax),
    otherSize: sizes,
    change: fc.constant(change),
  }),
);

/** The path with a bit of one hash flipped, without its last hash, with one more, and with a hash of another length. */
function changesOf(path: readonly Uint8Array[], { bit, at }: { bit: number; at: number }): Uint8Array[][] {
  const place = at % Math.max(1, path.length);
  const changed = (hash: Uint8Array) => path.map((each, index) => (index === place ? hash : each));
  const hash = path[place];
  return [
    [...path, dataAt(0)],
    ...(hash === undefined
      ? []
      : [path.slice(0, -1), changed(flipped(hash, bit)), changed(Uint8Array.of(...hash, 0))]),
  ];
}

describe("inclusion", () => {
  test("of every leaf at any size is proved by the path of RFC 6962, and nothing else is", () => {
    fc.assert(
      fc.property(cases, ({ size, index, otherIndex, otherSize, change }) => {
        const path = inclusionPath(index, size, readerOf(all), hasher);
        expect(path.map(toHex)).toEqual(naivePath(index, data.slice(0, size)).map(toHex));
        const leaf = { index, data: dataAt(index), path };
        const tree = rootAt(size);
        expect(isIncluded(leaf, tree, hasher)).toBe(true);
        if (otherIndex !== index)
          expect(isIncluded({ ...leaf, index: otherIndex }, tree, hasher)).toBe(false);
        expect(isIncluded({ ...leaf, index: -1 }, tree, hasher)).toBe(false);
        if (otherSize !== size) expect(isIncluded(leaf, rootAt(otherSize), hasher)).toBe(false);
        expect(isIncluded({ ...leaf, data: flipped(leaf.data, change.bit) }, tree, hasher)).toBe(false);
        expect(isIncluded(leaf, { size, root: flipped(tree.root, change.bit) }, hasher)).toBe(false);
        for (const other of changesOf(path, change))
          expect(isIncluded({ ...leaf, path: other }, tree, hasher)).toBe(false);
      }),
    );
  });

  test("of a leaf that is not in the tree has no path", () => {
    expect(() => inclusionPath(5, 5, readerOf(all), hasher)).toThrow("leaf 5 is not in the tree");
    expect(() => consistencyPath(0, 5, readerOf(all), hasher)).toThrow("size 0 is not in the tree");
    expect(() => consistencyPath(6, 5, readerOf(all), hasher)).toThrow("size 6 is not in the tree");
  });
});

describe("consistency", () => {
  test("of any two sizes is proved by the path of RFC 6962, and nothing else is", () => {
    fc.assert(
      fc.property(cases, ({ size, former, otherSize, change }) => {
        const path = consistencyPath(former, size, readerOf(all), hasher);
        expect(path.map(toHex)).toEqual(naiveProof(former, data.slice(0, size)).map(toHex));
        const [before, tree] = [rootAt(former), rootAt(size)];
        expect(isConsistent(before, tree, path, hasher)).toBe(true);
        if (otherSize !== size) expect(isConsistent(before, rootAt(otherSize), path, hasher)).toBe(false);
        if (otherSize !== former) expect(isConsistent(rootAt(otherSize), tree, path, hasher)).toBe(false);
        const [oneRoot, otherRoot] = [before, tree].map(({ root }) => flipped(root, change.bit));
        expect(isConsistent({ ...before, root: oneRoot ?? before.root }, tree, path, hasher)).toBe(false);
        expect(isConsistent(before, { ...tree, root: otherRoot ?? tree.root }, path, hasher)).toBe(false);
        for (const other of changesOf(path, change))
          expect(isConsistent(before, tree, other, hasher)).toBe(false);
      }),
    );
  });
});

describe("after leaves were removed", () => {
  const cuts = fc
    .uniqueArray(fc.nat(leavesMax - 1), { minLength: 1, maxLength: 4 })
    .map((counts) => counts.toSorted((a, b) => a - b));

  test("the nodes of the cut are those into which RFC 6962 divides the leaves since the last node of level 8", () => {
    fc.assert(
      fc.property(cuts, (counts) => {
        const tree = treeOf(data);
        for (const count of counts) cut(tree, count);
        const low = [...tree.nodes].filter(([key]) => Number(key.split(" ")[0]) < 8);
        const removed = counts.at(-1) ?? 0;
        let first = removed - (removed % 256);
        for (const [key, hash] of low) {
          const [level = 0, position = 0] = key.split(" ").map(Number);
          expect(position * 2 ** level).toBe(first);
          expect(toHex(hash)).toBe(toHex(naiveRoot(data.slice(first, first + 2 ** level))));
          first += 2 ** level;
        }
        expect(first).toBe(removed);
        // The binary form: no two nodes of one level.
        expect(low).toHaveLength((removed % 256).toString(2).replaceAll("0", "").length);
      }),
      { numRuns: 30 },
    );
  });

  test("kept leaves, and sizes from the cut on, have the paths that they had, and appending goes on", () => {
    fc.assert(
      fc.property(cuts, fc.nat(), fc.nat(), fc.nat(), (counts, one, other, third) => {
        const tree = treeOf(data.slice(0, leavesMax - 50));
        for (const count of counts.filter((count) => count < leavesMax - 50)) cut(tree, count);
        const restarted: StoredTree = {
          ...tree,
          frontier: frontierAt(leavesMax - 50, readerOf(tree), hasher),
        };
        for (const leaf of data.slice(leavesMax - 50)) {
          const { frontier, completed } = appendLeaf(restarted.frontier, leaf, hasher);
          restarted.leaves.push(leaf);
          restarted.frontier = frontier;
          store(restarted, completed);
        }
        const reader = readerOf(restarted);
        const { removed } = restarted;
        expect(toHex(rootOf(restarted.frontier, hasher))).toBe(toHex(rootAt(leavesMax).root));
        const index = removed + (one % (leavesMax - removed));
        const size = index + 1 + (other % (leavesMax - index));
        const path = inclusionPath(index, size, reader, hasher);
        expect(path.map(toHex)).toEqual(inclusionPath(index, size, readerOf(all), hasher).map(toHex));
        expect(isIncluded({ index, data: dataAt(index), path }, rootAt(size), hasher)).toBe(true);
        const least = Math.max(1, removed);
        const former = least + (third % (size - least + 1));
        const proof = consistencyPath(former, size, reader, hasher);
        expect(isConsistent(rootAt(former), rootAt(size), proof, hasher)).toBe(true);
        expect(rootOf(frontierAt(size, reader, hasher), hasher)).toEqual(
          rootOf(frontierAt(size, readerOf(all), hasher), hasher),
        );
        if (removed > 0) expect(() => inclusionPath(removed - 1, size, reader, hasher)).toThrow(RangeError);
        if (removed > 1) expect(() => consistencyPath(removed - 1, size, reader, hasher)).toThrow(RangeError);
      }),
    );
  });

  test("a missing node is an error and no other root", () => {
    const tree = treeOf(data);
    cut(tree, 300);
    tree.nodes.delete("8 0");
    expect(() => inclusionPath(400, leavesMax, readerOf(tree), hasher)).toThrow("the tree has 0 of 1 hashes");
  });
});

describe("the test vectors of the format", () => {
  const genesis = "82ea846a1ab62591f96aae6602da9a9280055648c02df5e36bcf783271c12403";
  const statement = `{"anchor":null,"chain":"0193a5c0000070008000000000000001","first":1,"hash":"${genesis}","through":0}`;
  const entry = Buffer.from("685506ae152bf134b7f0e08063480a1cb67714b1b2f5004b339accf2abac0313", "hex");

  test.each([
    ["server", runtimeCryptography],
    ["browser", browserCryptography],
  ])("come out on the %s", (_, cryptography) => {
    const made = createTreeHasher(cryptography);
    const leaf = statementHash(statement, cryptography);
    const one = appendLeaf(emptyFrontier, leaf, made).frontier;
    const two = appendLeaf(one, entry, made).frontier;
    expect(toHex(leaf)).toBe("6289b4d3fd4ed4583ede2095ee75ff83b11db8622ca2f2eec269b5bf934eee07");
    expect(toHex(rootOf(two, made))).toBe("cbfd2bd6fe771e84f684fb181ebe45eaf1711de98dc426b62646b9acfd424347");
  });
});
