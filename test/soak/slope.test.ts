// Tests the line through measurements of memory: a proof with a wrong slope would find no leak.

import { expect, test } from "bun:test";
import { averageGroups, fitSlope } from "./slope.ts";

test("an exact line has its slope and no margin", () => {
  const points = [1, 2, 3, 4].map((x) => ({ x, y: 5 + 2 * x }));
  expect(fitSlope(points)).toEqual({ slope: 2, mean: 10, margin: 0 });
});

test("the slope and the margin of a published example", () => {
  // Anscombe (1973), the first of his four data sets: slope 0.5001, standard error 0.1179.
  const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
  const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
  const fitted = fitSlope(x.map((value, index) => ({ x: value, y: y[index] ?? 0 })));
  expect(fitted?.slope).toBeCloseTo(0.5001, 4);
  expect(fitted?.margin).toBeCloseTo(2.26 * 0.1179, 3);
});

test("too few points say nothing", () => {
  expect(fitSlope([])).toBeNull();
  expect(
    fitSlope([
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ]),
  ).toBeNull();
  expect(fitSlope([1, 2, 3].map((y) => ({ x: 1, y })))).toBeNull();
});

test("groups have the means of their points, and an incomplete group is left out", () => {
  const points = [1, 3, 5, 7, 100].map((x) => ({ x, y: 10 * x }));
  expect(averageGroups(points, 2)).toEqual([
    { x: 2, y: 20 },
    { x: 6, y: 60 },
  ]);
});
