// The paths of trees of any history between any two sizes; `bun run proof tree` proves many more of them.

import { expect, test } from "bun:test";
import { proveHistories } from "./tree-histories.ts";

test("inclusion and consistency are proved between any two sizes, and not with a bit changed", () => {
  const { faults, cases, histories } = proveHistories(1_500, Number(process.env.MEMLEDGER_TEST_SEED ?? "1"));
  expect(faults).toEqual([]);
  expect([cases, histories]).toEqual([1_500, 3]);
});
