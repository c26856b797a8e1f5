// Holds what searches leave to the garbage collector to what is promised: memory is used again, and garbage is collected while a thread works.

import { expect, test } from "bun:test";
import { EligibleSets } from "../../../../../src/engines/sqlite/search/index/eligible-sets.ts";
import { groupVectorsMax } from "../../../../../src/engines/sqlite/search/limits.ts";
import { createGarbageCollection } from "../../../../../src/engines/sqlite/search/scanners/garbage.ts";

test("a thread that works all the time collects its garbage once a second, and all of it after some seconds", () => {
  let nowMs = 0;
  const collections: [string, number][] = [];
  const collectGarbage = createGarbageCollection(
    { young: () => collections.push(["young", nowMs]), all: () => collections.push(["all", nowMs]) },
    () => nowMs,
  );
  for (; nowMs <= 5_500; nowMs += 100) collectGarbage();
  expect(collections).toEqual([
    ["young", 1_000],
    ["young", 2_000],
    ["young", 3_000],
    ["all", 4_000],
    ["young", 5_000],
  ]);
});

test("work that leaves much garbage has it collected before a second has passed", () => {
  const collections: number[] = [];
  let pieces = 0;
  const collect = () => collections.push(pieces);
  const collectGarbage = createGarbageCollection({ young: collect, all: collect }, () => 0);
  for (pieces = 1; pieces <= 10; pieces++) collectGarbage(8 * 1024 ** 2);
  expect(collections).toEqual([4, 8]);
});

test("the next group uses the memory of the eligible memories again, and finds no bit of the group before", () => {
  const sets = new EligibleSets();
  const first = sets.take(100);
  const second = sets.take(100);
  expect(second.buffer).not.toBe(first.buffer);
  first.fill(0xffff_ffff);
  sets.returnAll();
  const next = sets.take(90);
  expect(next.buffer).toBe(first.buffer);
  expect(next).toEqual(new Uint32Array(90));
  expect(sets.take(1_000).length).toBe(1_000);
});

test("a group of many queries leaves no more sets than a usual one", () => {
  const sets = new EligibleSets();
  for (let query = 0; query < 3 * groupVectorsMax; query++) sets.take(1_000);
  expect(sets.byteLength).toBeLessThanOrEqual(groupVectorsMax * 1_250 * Uint32Array.BYTES_PER_ELEMENT);
});
