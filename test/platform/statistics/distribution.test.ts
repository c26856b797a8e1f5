// Tests that a distribution counts each value exactly once, at the first bound that is not below it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import * as bounds from "../../../src/platform/statistics/bounds.ts";
import { createDistribution, secondsBetween } from "../../../src/platform/statistics/distribution.ts";

test("a value that equals a bound is counted at this bound", () => {
  const distribution = createDistribution([1, 2, 4]);
  for (const value of [0, 1, 1.5, 2, 4, 4.5, 1_000]) distribution.observe(value);
  expect(distribution.read()).toEqual({ counts: [2, 2, 1, 2], sum: 1_013 });
});

test("counts are those of a slow count, whatever the values", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 200, noNaN: true })), (values) => {
      const distribution = createDistribution(bounds.callSeconds);
      for (const value of values) distribution.observe(value);
      const { counts } = distribution.read();
      const cumulative = bounds.callSeconds.map((bound) => values.filter((value) => value <= bound).length);
      let total = 0;
      const summed = counts.map((count) => {
        total += count;
        return total;
      });
      expect(summed).toEqual([...cumulative, values.length]);
    }),
  );
});

test("what was read does not change any more", () => {
  const distribution = createDistribution([1]);
  const before = distribution.read();
  distribution.observe(1);
  expect(before).toEqual({ counts: [0, 0], sum: 0 });
});

test("bounds ascend, and a clock that is set back makes no negative time", () => {
  for (const each of Object.values(bounds)) expect(each).toEqual(each.toSorted((a, b) => a - b));
  expect([secondsBetween(1_000, 3_500), secondsBetween(2, 1)]).toEqual([2.5, 0]);
});
