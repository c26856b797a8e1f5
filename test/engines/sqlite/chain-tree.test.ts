// Tests the Merkle tree of a chain in a database: its nodes and roots by the definition of RFC 6962, in steps, and after removals.

import { expect, test } from "bun:test";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import {
  consistencyPath,
  createTreeHasher,
  inclusionPath,
  rootOf,
  statementText,
} from "../../../src/audit/tree.ts";
import { isConsistent, isIncluded } from "../../../src/audit/verify/tree-paths.ts";
import { createChainTrees } from "../../../src/engines/sqlite/ledger/chain-tree.ts";
import { toHex } from "../../../src/text/byte-text.ts";
import { naiveRoot, sha256 } from "../../audit/naive-tree.ts";
import { makeDatabase } from "./schema-text.ts";

/** As far as the tree reads it. */
const entryOf = (seq: number, first: number) => JSON.stringify({ seq, v: seq < first ? 1 : 2 });
const hashEntry = (seq: number, first: number) =>
  toHex(sha256(Buffer.from(`memledger/entry/v${seq < first ? 1 : 2}\0${entryOf(seq, first)}`)));
const hasher = createTreeHasher(runtimeCryptography);

/** A chain whose records up to `through` were removed before its tree began, and whose records from `first` on are of version 2. */
function makeChain({ records, first, through }: { records: number; first: number; through: number }) {
  const database = makeDatabase(8);
  const hashAt = (seq: number) => (seq === 0 ? "0".repeat(64) : hashEntry(seq, first));
  const statement = statementText({
    ...{ chain: "c".repeat(32), first, genesis: hashAt(0), hash: hashAt(through), through },
  });
  database
    .prepare("INSERT INTO audit_chain (number, id, genesis, hash, tree) VALUES (1, ?, '', ?, ?)")
    .run("c".repeat(32), hashAt(0), statement);
  const insert = database.prepare(
    "INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash) VALUES (1, ?, ?, 0, 'a', 200, ?, ?)",
  );
  const append = (last: number) => {
    const newest = Number(database.prepare("SELECT MAX(seq) FROM audit_entry").pluck().get() ?? 0);
    for (let seq = newest + 1; seq <= last; seq++)
      insert.run(seq, `${seq}`, entryOf(seq, first), hashAt(seq));
  };
  const remove = (last: number) => {
    database.prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (1, ?, 0, '')").run(last);
    database.prepare("DELETE FROM audit_entry WHERE seq <= ?").run(last);
  };
  append(through + records);
  if (through > 0) remove(through);
  const leaves = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      index === 0
        ? sha256(Buffer.from(`memledger/tree/v2\0${statement}`))
        : new Uint8Array(Buffer.from(hashAt(through + index), "hex")),
    );
  return { database, append, remove, leaves, trees: createChainTrees(database) };
}

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
  expect(() => trees.grow(1, 301, 100_000)).toThrow("record 20 of chain 1 has another hash");
  expect(() => trees.grow(1, 400, 100_000)).toThrow();
  database.exec("DROP TRIGGER audit_entry_stays; DELETE FROM audit_entry WHERE seq = 20");
  expect(() => trees.grow(1, 301, 100_000)).toThrow();
});
