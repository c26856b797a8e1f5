// Tests estimates of quantiles from counts.

import { expect, test } from "bun:test";
import { estimateQuantile } from "../../../src/platform/statistics/quantile.ts";

const bounds = [1, 2, 4];

test("without values there is no quantile", () => {
  expect(estimateQuantile([0, 0, 0, 0], bounds, 0.5)).toBeNull();
});

test.each<[name: string, counts: number[], quantile: number, expected: number]>([
  ["in the first bucket, from zero on", [4, 0, 0, 0], 0.5, 0.5],
  ["in the middle of a bucket", [0, 0, 10, 0], 0.5, 3],
  ["at the end of a bucket", [5, 5, 0, 0], 0.5, 1],
  ["behind empty buckets", [1, 0, 1, 0], 0.99, 3.96],
  ["above all bounds", [0, 0, 0, 3], 0.5, 4],
  ["the largest value", [1, 1, 1, 0], 1, 4],
])("%s", (_, counts, quantile, expected) => {
  expect(estimateQuantile(counts, bounds, quantile)).toBeCloseTo(expected, 9);
});

test("counts can be a part of longer ones", () => {
  expect(estimateQuantile([9, 9, 9, 9, 0, 10, 0, 0, 9], bounds, 0.5, 4)).toBe(1.5);
});
