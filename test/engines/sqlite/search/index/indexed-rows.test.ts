// Proves that queries of a group share the bits of eligible slots only when each of them gets what it would get alone.

import { expect, test } from "bun:test";
import { BlockBuffers } from "../../../../../src/engines/sqlite/search/index/block-buffers.ts";
import { IndexedRows } from "../../../../../src/engines/sqlite/search/index/indexed-rows.ts";
import type { MemoryType } from "../../../../../src/memory/memory.ts";
import { eligibleIn } from "./eligible-slots.ts";

const embedding = new Uint8Array(Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0]).buffer);
const expiresAt = 1_000;

function openRows(): IndexedRows {
  const rows = new IndexedRows(8, new BlockBuffers(() => undefined));
  const add = (serial: number, memory_type: MemoryType, tags: string | null, expires_at: number | null) =>
    rows.put({
      serial,
      revision: serial,
      content_revision: serial,
      memory_type,
      importance: 0.5,
      is_active: serial === 4 ? 0 : 1,
      expires_at,
      tags,
      embedding,
    });
  add(1, "fact", null, null);
  add(2, "rule", '["a"]', null);
  add(3, "fact", '["a","b"]', expiresAt);
  add(4, "fact", null, null);
  return rows;
}

const everything = {
  types: null,
  tags: null,
  includeExpired: false,
  includeInactive: false,
  now: expiresAt - 1,
} as const;

const queries = [
  everything,
  { ...everything, now: expiresAt - 2 },
  { ...everything, now: expiresAt },
  { ...everything, includeExpired: true, now: expiresAt },
  { ...everything, includeInactive: true },
  { ...everything, types: ["fact"] },
  { ...everything, tags: { tags: ["a"], match: "all" } },
  { ...everything, tags: { tags: ["a", "b"], match: "all" } },
  { ...everything, tags: { tags: ["a", "b"], match: "any" } },
  { ...everything, tags: { tags: ["c"], match: "any" } },
  { ...everything, now: expiresAt - 1 },
] as const;

test("each query of a group gets the slots that it gets alone", () => {
  const alone = queries.map((query) => [...eligibleIn(openRows(), query)]);
  const rows = openRows();
  const together = queries.map((query) => eligibleIn(rows, query));
  expect(together.map((slots) => [...slots])).toEqual(alone);
  expect(alone.map(([bits]) => bits)).toEqual([
    0b111, 0b111, 0b11, 0b111, 0b1111, 0b101, 0b110, 0b100, 0b110, 0, 0b111,
  ]);
});

test("queries with the same filter share their slots, unless a memory expires between their times", () => {
  const rows = openRows();
  const first = eligibleIn(rows, everything);
  expect(eligibleIn(rows, { ...everything, now: expiresAt - 2 })).toBe(first);
  expect(eligibleIn(rows, { ...everything, now: expiresAt })).not.toBe(first);
  expect(eligibleIn(rows, { ...everything, types: ["fact"] })).not.toBe(first);
});

test("the next group sees what has changed", () => {
  const rows = openRows();
  expect(eligibleIn(rows, everything)[0]).toBe(0b111);
  rows.endGroup();
  rows.drop(2);
  expect(eligibleIn(rows, everything)[0]).toBe(0b101);
});
