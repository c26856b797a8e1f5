// Tests the Merkle tree of a chain in a database: its nodes and roots by the definition of RFC 6962, in steps, and after removals.

import { expect, test } from "bun:test";
import { entryHash } from "../../../src/audit/chain.ts";
import { parseCheckpoint, parseTreeCheckpoint } from "../../../src/audit/checkpoint.ts";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import {
  consistencyPath,
  createTreeHasher,
  inclusionPath,
  rootOf,
  TreeDifference,
} from "../../../src/audit/tree.ts";
import { placesAtCut } from "../../../src/audit/verify/node-places.ts";
import { textOfNote } from "../../../src/audit/verify/note.ts";
import { isConsistent, isIncluded } from "../../../src/audit/verify/tree-paths.ts";
import { toHex } from "../../../src/platform/text/byte-text.ts";
import { naiveRoot } from "../../audit/naive-tree.ts";
import { makeChain, signingOf } from "./made-chain.ts";

const hasher = createTreeHasher(runtimeCryptography);

const nodesQuery = "SELECT level || ' ' || position FROM audit_node ORDER BY level, position";

test.each([
  { records: 0, first: 1, through: 0 },
  { records: 254, first: 100, through: 0 },
  { records: 255, first: 900, through: 0 },
  { records: 1_500, first: 301, through: 300 },
])("the roots of $records records after $through removed ones are those of RFC 6962", (shape) => {
  const { trees, leaves, database } = makeChain(shape);
  const whole = shape.records + 1;
  for (const size of [1, Math.ceil(whole / 2), whole, 1])
    expect(toHex(trees.grow(1, size, 100_000) ?? new Uint8Array())).toBe(toHex(naiveRoot(leaves(size))));
  const stored = database.prepare<[], string>(nodesQuery).pluck().all();
  expect(stored).toEqual(Array.from({ length: Math.floor(whole / 256) }, (_, position) => `8 ${position}`));
});

test("records that this process has appended are not read again, and store the same nodes", () => {
  const { trees, database, follow, leaves } = makeChain({ records: 200, first: 1, through: 0 });
  const rootAt = (size: number) => toHex(trees.grow(1, size, 100_000) ?? new Uint8Array());
  database.exec("DROP TRIGGER audit_entry_is_final");
  expect(rootAt(201)).toBe(toHex(naiveRoot(leaves(201))));
  for (const last of [201, 230, 1_100, 1_101]) {
    follow(trees, last);
    // Another process writes over what was appended: the root is still that of what was appended.
    database.prepare("UPDATE audit_entry SET entry = '{}' WHERE seq = ?").run(last);
    expect([last, rootAt(last + 1)]).toEqual([last, toHex(naiveRoot(leaves(last + 1)))]);
  }
  expect(database.prepare<[], string>(nodesQuery).pluck().all()).toEqual(["8 0", "8 1", "8 2", "8 3"]);
  trees.forget();
  expect(() => rootAt(1_102)).toThrow(TreeDifference);
});

test("records that do not follow those that are known are read", () => {
  const { trees, append, follow, leaves, hashAt } = makeChain({ records: 100, first: 1, through: 0 });
  const rootAt = (size: number) => toHex(trees.grow(1, size, 100_000) ?? new Uint8Array());
  rootAt(101);
  follow(trees, 110);
  // An attempt that was rolled back, of which the tree does not know.
  trees.follow(1, hashAt(110), "f".repeat(64));
  follow(trees, 120);
  expect(rootAt(121)).toBe(toHex(naiveRoot(leaves(121))));
  append(130);
  trees.follow(1, "f".repeat(64), hashAt(130));
  expect(rootAt(131)).toBe(toHex(naiveRoot(leaves(131))));
  expect(rootAt(50)).toBe(toHex(naiveRoot(leaves(50))));
  follow(trees, 140);
  expect(rootAt(141)).toBe(toHex(naiveRoot(leaves(141))));
});

test("a tree grows in steps, and a step that is repeated changes nothing", () => {
  const { trees, leaves, database } = makeChain({ records: 2_000, first: 1_000, through: 0 });
  const counts: number[] = [];
  for (let root: Uint8Array | null = null; root === null; ) {
    root = trees.grow(1, 2_001, 512);
    counts.push(Number(database.prepare("SELECT COUNT(*) FROM audit_node").pluck().get()));
    if (root !== null) expect(toHex(root)).toBe(toHex(naiveRoot(leaves(2_001))));
  }
  expect(counts).toEqual([2, 4, 6, 7]);
});

test("paths to removed and kept leaves are proved after removals", () => {
  const { trees, leaves, remove, append } = makeChain({ records: 700, first: 1, through: 0 });
  const rootAt = (size: number) => ({ size, root: naiveRoot(leaves(size)) });
  trees.grow(1, 701, 100_000);
  for (const through of [299, 400]) {
    trees.cut(1, through + 1, [1, 100]);
    remove(through);
  }
  append(1_000);
  expect(toHex(trees.grow(1, 1_001, 100_000) ?? new Uint8Array())).toBe(toHex(rootAt(1_001).root));
  const reader = trees.reader(1);
  expect(reader.removed).toBe(401);
  for (const former of [1, 100, 401, 512, 701])
    expect(
      isConsistent(rootAt(former), rootAt(1_001), consistencyPath(former, 1_001, reader, hasher), hasher),
    ).toBe(true);
  for (const index of [0, 401, 1_000]) {
    const [leaf = new Uint8Array()] = leaves(index + 1).slice(-1);
    const path = inclusionPath(index, 1_001, reader, hasher);
    expect(isIncluded({ index, data: leaf, path }, rootAt(1_001), hasher)).toBe(true);
  }
  expect(() => consistencyPath(150, 1_001, reader, hasher)).toThrow();
});

test("a tree grows from the newest removed leaf where that is after the newest stored node", () => {
  const { trees, leaves, remove, append } = makeChain({ records: 400, first: 1, through: 0 });
  trees.grow(1, 401, 100_000);
  trees.cut(1, 301, [1, 401]);
  remove(300);
  for (const records of [400, 450, 700]) {
    append(records);
    const root = toHex(naiveRoot(leaves(records + 1)));
    expect([records, toHex(trees.grow(1, records + 1, 100_000) ?? new Uint8Array())]).toEqual([
      records,
      root,
    ]);
  }
  const hashes = trees.nodesBefore(1, 301);
  expect([hashes.length, toHex(rootOf({ size: 301, hashes }, hasher))]).toEqual([
    5,
    toHex(naiveRoot(leaves(301))),
  ]);
});

test("an entry that was changed or is missing ends the growth with an error", () => {
  const { trees, database } = makeChain({ records: 300, first: 1, through: 0 });
  database.exec("DROP TRIGGER audit_entry_is_final; UPDATE audit_entry SET entry = '{}' WHERE seq = 20");
  expect(() => trees.grow(1, 301, 100_000)).toThrow(
    "record 20 does not follow the one before it, or has another hash",
  );
  expect(() => trees.grow(1, 400, 100_000)).toThrow();
  database.exec("DROP TRIGGER audit_entry_stays; DELETE FROM audit_entry WHERE seq = 20");
  expect(() => trees.grow(1, 301, 100_000)).toThrow();
});

test.each<[string, (entry: string) => string]>([
  ["another record before it", (entry) => entry.replace(/"prev":"../, '"prev":"zz')],
  ["another number", (entry) => entry.replace('"seq":20', '"seq":21')],
])("an entry with %s becomes no leaf, although its hash is right", (_, change) => {
  const { trees, database } = makeChain({ records: 300, first: 1, through: 0 });
  const [{ entry } = { entry: "" }] = database
    .prepare<[], { entry: string }>("SELECT entry FROM audit_entry WHERE seq = 20")
    .all();
  database.exec("DROP TRIGGER audit_entry_is_final");
  database
    .prepare("UPDATE audit_entry SET entry = ?, hash = ? WHERE seq = 20")
    .run(change(entry), entryHash(change(entry)));
  expect(() => trees.grow(1, 301, 100_000)).toThrow(TreeDifference);
});

test("until the tree of a migrated chain reaches the head, checkpoints of early records are of version 1, too", () => {
  const { trees, database, leaves } = makeChain({ records: 70_000, first: 70_001, through: 0 });
  const signer = createSigner(createSigningKey());
  /** As each start makes it. */
  const sign = (seq: number) => {
    const [row] = database
      .prepare<[number], { hash: string }>("SELECT hash FROM audit_entry WHERE seq = ?")
      .all(seq);
    const signing = signingOf(database, signer);
    const head = { number: 1, chain: "c".repeat(32), seq, hash: row?.hash ?? "" };
    return textOfNote(signing.sign(head, seq).note);
  };
  expect(parseCheckpoint(sign(100))).toMatchObject({ size: 100 });
  expect(trees.reader(1).nodes(8, 0, 1_000)).toHaveLength(256);
  expect(parseTreeCheckpoint(sign(100))).toMatchObject({ leaves: 101, root: toHex(naiveRoot(leaves(101))) });
  expect(parseTreeCheckpoint(sign(70_000))).toMatchObject({ leaves: 70_001 });
});

test("a removal stores the nodes of the removed leaves first, although a later record was changed", () => {
  const { trees, database, leaves, remove } = makeChain({ records: 600, first: 1, through: 0 });
  database.exec("DROP TRIGGER audit_entry_is_final; UPDATE audit_entry SET entry = '{}' WHERE seq = 590");
  expect(() => trees.grow(1, 601, 100_000)).toThrow(TreeDifference);
  database.exec("DELETE FROM audit_node");
  trees.cut(1, 301, [1]);
  remove(300);
  expect(toHex(trees.rootAt(1, 500))).toBe(toHex(naiveRoot(leaves(500))));
});

test("each removal leaves the nodes of all kept sizes, and writes only those near the removed leaves", () => {
  const { trees, database, remove } = makeChain({ records: 3_000, first: 1, through: 0 });
  trees.grow(1, 3_001, 100_000);
  const sizes = [1, ...Array.from({ length: 300 }, (_, index) => 7 * (index + 1))];
  const changes = database.prepare<[], number>("SELECT total_changes()").pluck();
  const places = database.prepare<[], string>(nodesQuery.replace("ORDER", "WHERE level < 8 ORDER")).pluck();
  for (const removed of [100, 255, 256, 300, 2_000, 2_001]) {
    const before = changes.get() ?? 0;
    trees.cut(1, removed, sizes);
    if (removed === 2_001) expect((changes.get() ?? 0) - before).toBeLessThan(800);
    remove(removed - 1);
    const expected = placesAtCut(removed, sizes).map(({ level, position }) => `${level} ${position}`);
    expect(places.all()).toEqual(expected);
  }
});
