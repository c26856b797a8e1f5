// Tests the Merkle tree against the definitions of RFC 6962, written here as they are there: roots, stored nodes, cuts, and the paths, which
// prove what they are about and nothing else.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import {
  appendLeaf,
  consistencyPath,
  createTreeHasher,
  emptyFrontier,
  frontierAt,
  inclusionPath,
  nodesAtCut,
  rootOf,
  statementHash,
  statementText,
  type TreeHasher,
} from "../../src/audit/tree.ts";
import { placesAtCut } from "../../src/audit/verify/node-places.ts";
import { isConsistent, isIncluded } from "../../src/audit/verify/tree-paths.ts";
import { browserCryptography } from "../../src/console/verification/browser-cryptography.ts";
import { toHex } from "../../src/platform/text/byte-text.ts";
import { naiveRoot, sha256, splitOf } from "./naive-tree.ts";
import { append, cut, flipped, hasher, readerOf, type StoredTree, treeOf } from "./stored-tree.ts";

/** More than two stored nodes of level 8, and an incomplete one. */
const leavesMax = 700;
const data = Array.from({ length: leavesMax }, (_, index) => sha256(Buffer.from(`leaf ${index}`)));

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

const sizes = fc.integer({ min: 1, max: leavesMax });
const all = treeOf(data);
const roots = data.map((_, index) => naiveRoot(data.slice(0, index + 1)));
const rootAt = (size: number) => ({ size, root: roots[size - 1] ?? new Uint8Array() });
const dataAt = (index: number) => data[index] ?? new Uint8Array();

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
    large.checkpointSizes.push(100, 520, 65_000);
    cut(large, removed);
    for (const index of [0, removed, removed + 300, count - 1]) check(index);
    for (const former of [1, 100, 520, removed, removed + 1, 65_536, count - 1]) {
      const path = consistencyPath(former, count, readerOf(large), hasher);
      const before = { size: former, root: rootOf(frontierAt(former, readerOf(large), hasher), hasher) };
      expect(toHex(before.root)).toBe(toHex(naiveRoot(leaves.slice(0, former))));
      expect(isConsistent(before, tree, path, hasher)).toBe(true);
    }
  });
});

/** A tree, one of its leaves and one of its previous sizes, and what an attacker changes. */
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
  /** Of a chain: records are appended, perhaps a checkpoint is signed, perhaps the first records are removed. */
  const steps = fc.array(
    fc.record({
      appended: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 200 })),
      isSigned: fc.boolean(),
      cut: fc.option(fc.nat()),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const chains = steps.map((history) => {
    const tree = treeOf(data.slice(0, 1));
    for (const step of history) {
      const size = tree.leaves.length;
      // As after a restart: appending goes on from what is stored.
      tree.frontier = frontierAt(size, readerOf(tree), hasher);
      append(tree, data.slice(size, size + step.appended));
      if (step.isSigned) tree.checkpointSizes.push(tree.leaves.length);
      if (step.cut !== null) cut(tree, tree.removed + (step.cut % (tree.leaves.length - tree.removed + 1)));
    }
    return tree;
  });

  /** The rule of the format, for one node of the levels 0 to 7. */
  function isNamed(level: number, position: number, { removed, checkpointSizes }: StoredTree): boolean {
    if ((position + 1) * 2 ** level > removed) return false;
    return [removed, ...checkpointSizes.filter((size) => size <= removed)].some((size) => {
      const zeros = Math.log2(size & -size);
      const isLast = level === zeros && position === size / 2 ** zeros - 1;
      return isLast || (level >= zeros && position === (((size - 1) >> level) ^ 1));
    });
  }

  test("exactly the nodes that the format names are stored, at most 9 for each size", () => {
    fc.assert(
      fc.property(chains, (tree) => {
        const expected = new Map<string, string>();
        for (let level = 0; level < 8; level++)
          for (let position = 0; position < tree.leaves.length / 2 ** level; position++)
            if (isNamed(level, position, tree)) {
              const leaves = data.slice(position * 2 ** level, (position + 1) * 2 ** level);
              expected.set(`${level} ${position}`, toHex(naiveRoot(leaves)));
            }
        const low = [...tree.nodes].filter(([key]) => !key.startsWith("8 "));
        expect(low.map(([key, hash]) => [key, toHex(hash)]).toSorted()).toEqual([...expected].toSorted());
        const places = placesAtCut(tree.removed, tree.checkpointSizes);
        expect(places.map(({ level, position }) => `${level} ${position}`)).toEqual([...expected.keys()]);
        for (const size of tree.checkpointSizes) expect(placesAtCut(size, []).length).toBeLessThanOrEqual(9);
      }),
    );
  });

  test("every checkpoint has its root, leaf 0, all kept leaves, and consistency with every other one", () => {
    fc.assert(
      fc.property(chains, fc.nat(), (tree, chosen) => {
        const reader = readerOf(tree);
        const { removed, checkpointSizes } = tree;
        const count = tree.leaves.length;
        const later = Math.max(1, removed + (chosen % (count - removed + 1)));
        const sizes = [...new Set([...checkpointSizes, Math.max(1, removed), later, count])].toSorted(
          (one, other) => one - other,
        );
        for (const size of sizes) {
          expect(toHex(rootOf(frontierAt(size, reader, hasher), hasher))).toBe(toHex(rootAt(size).root));
          const kept = size - removed;
          const indexes = kept > 0 ? [0, removed, removed + (chosen % kept), size - 1] : [0];
          for (const index of indexes) {
            const path = inclusionPath(index, size, reader, hasher);
            expect(path).toEqual(inclusionPath(index, size, readerOf(all), hasher));
            expect(isIncluded({ index, data: dataAt(index), path }, rootAt(size), hasher)).toBe(true);
          }
          for (const former of sizes.filter((former) => former <= size)) {
            const path = consistencyPath(former, size, reader, hasher);
            expect(path).toEqual(consistencyPath(former, size, readerOf(all), hasher));
            expect(isConsistent(rootAt(former), rootAt(size), path, hasher)).toBe(true);
          }
        }
        if (removed > 1) expect(() => inclusionPath(removed - 1, count, reader, hasher)).toThrow(RangeError);
      }),
      { numRuns: 60 },
    );
  });

  test("a node is computed from its children if it is not stored, and one that is missing is an error and no other root", () => {
    const tree = treeOf(data);
    tree.checkpointSizes.push(100);
    cut(tree, 300);
    const paths = () =>
      [inclusionPath(0, 300, readerOf(tree), hasher), consistencyPath(100, 300, readerOf(tree), hasher)].map(
        (path) => path.map(toHex),
      );
    const before = paths();
    // Leaf 0 needs it. It can be computed from nodes that are stored for 100 leaves.
    tree.nodes.delete("6 1");
    expect(paths()).toEqual(before);
    expect(() => consistencyPath(150, leavesMax, readerOf(tree), hasher)).toThrow("was removed");
    tree.nodes.delete("2 24");
    expect(() => consistencyPath(100, 300, readerOf(tree), hasher)).toThrow("was removed");
    tree.nodes.delete("8 0");
    expect(() => inclusionPath(400, leavesMax, readerOf(tree), hasher)).toThrow("the tree has 0 of 1 hashes");
  });
});

describe("the test vectors of the format", () => {
  const genesis = "82ea846a1ab62591f96aae6602da9a9280055648c02df5e36bcf783271c12403";
  const statement = statementText({
    through: 0,
    hash: genesis,
    genesis,
    first: 1,
    chain: "0193a5c0000070008000000000000001",
  });
  const entry = Buffer.from("685506ae152bf134b7f0e08063480a1cb67714b1b2f5004b339accf2abac0313", "hex");

  test.each([
    ["server", runtimeCryptography],
    ["browser", browserCryptography],
  ])("come out on the %s", (_, cryptography) => {
    expect(statement).toBe(
      `{"chain":"0193a5c0000070008000000000000001","first":1,"genesis":"${genesis}","hash":"${genesis}","through":0}`,
    );
    const made = createTreeHasher(cryptography);
    const leaf = statementHash(statement, cryptography);
    const one = appendLeaf(emptyFrontier, leaf, made).frontier;
    const two = appendLeaf(one, entry, made).frontier;
    expect([leaf, rootOf(one, made), made.leaf(entry), rootOf(two, made)].map(toHex)).toEqual([
      "d08b1e04d120a02806c9e70c63002e060801827ed9a8c80f4f4d51405ffe370f",
      "2e540359f60b684661182a59a1bfb3aa409f71fc7951d88f2789e7d837dfe31f",
      "8e4b53bf9bd9fb5c384e7ac5c7dcd1a6e1defb17de21947e7535da1fe11a5862",
      "9588b988ac5b5d13f243480fe9835c06f1cd50c78dce2dc6bbd2c97479413b20",
    ]);
  });

  test("of a tree of 600 leaves, of which 300 are removed, come out", () => {
    const numbered = Array.from({ length: 600 }, (_, index) => sha256(Buffer.from(`${index}`)));
    const tree = treeOf([statementHash(statement, runtimeCryptography), ...numbered.slice(1)]);
    tree.checkpointSizes.push(100);
    expect(toHex(rootOf(tree.frontier, hasher))).toBe(
      "577998c2a1e3713609687069d4e141783f3f419213eeda94aa1270ba0ae05f6b",
    );
    expect([...tree.nodes].map(([key, hash]) => `${key} ${toHex(hash)}`)).toEqual([
      "8 0 c2808a2d8db52516507129ef36978729a424a7d8fe9635f4090fc518e5a28bcd",
      "8 1 7aa340542e158ba69e2dba06f7088ef1594175e57e33f16467a293d4179011b4",
    ]);
    const rows = nodesAtCut(300, tree.checkpointSizes, readerOf(tree), hasher).map(
      ({ level, position, hash }) => `${level} ${position} ${toHex(hash)}\n`,
    );
    expect(rows).toHaveLength(18);
    expect(toHex(sha256(Buffer.from(rows.join(""))))).toBe(
      "f5cd5b01dd1932ed491449125d82e7fbf62e563d85dd9aba4d24af3002f039d0",
    );
    cut(tree, 300);
    expect(consistencyPath(100, 600, readerOf(tree), hasher).map(toHex)).toEqual([
      "5c1fc7512cc8a87080f1a380ed83f9cba62c5536a575184aa7a4d5bf659f7dbe",
      "8d10f7aeb479e8d8094455b748c3d7993bd92044d04f2b82d6f6d8a91a6aeaa8",
      "f0f78419475c97e3fb7005223668aa1321eed93a22adeff964565c53c6dbc488",
      "68bec99c38bff5d35633b3831667b0cba0779251934bc714b5511d06894ffd4d",
      "f6eafaafca67b9814c5ee7829013bbaced9355ece06ac516dc4dea4911b66e19",
      "314ba009801d515553533dbb50c6a619597ae4405543229459fd9ee6ccaef56c",
      "da5e5524dd50811a1e22f07631dcf7e417ae611a9dc435cebae326160882f10f",
      "7aa340542e158ba69e2dba06f7088ef1594175e57e33f16467a293d4179011b4",
      "f2ae5b4f9d9899db6c017bdffe9b7c8305f73b18c81b6d9de96dfdcceedbea5f",
    ]);
  });
});
