// Tests MaxSim against a naive version, and at its limits.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { maxSim } from "../../../src/memory/ranking/max-sim.ts";

const levels = 127;
const vectors = (dimensions: number) =>
  fc
    .array(
      fc.array(fc.integer({ min: -levels, max: levels }), { minLength: dimensions, maxLength: dimensions }),
      {
        maxLength: 12,
      },
    )
    .map((rows) => ({ rows, flat: Int8Array.from(rows.flat()) }));

test("is the mean over the query's tokens of the best product with a token of the memory", () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 9 })
        .chain((dimensions) => fc.tuple(fc.constant(dimensions), vectors(dimensions), vectors(dimensions))),
      ([dimensions, query, memory]) => {
        const dot = (a: readonly number[], b: readonly number[]) =>
          a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
        const best = query.rows.map((row) => Math.max(...memory.rows.map((other) => dot(row, other))));
        const naive =
          best.length === 0 || memory.rows.length === 0
            ? 0
            : best.reduce((sum, value) => sum + value, 0) / best.length / levels ** 2;
        const limited = Math.max(-1, Math.min(1, naive));
        expect(maxSim(query.flat, memory.flat, dimensions, levels)).toBe(limited);
      },
    ),
  );
});

test("is at most 1, although rounded components can have more than the length 1", () => {
  const rounded = Int8Array.of(90, 90);
  expect(90 ** 2 * 2).toBeGreaterThan(levels ** 2);
  expect(maxSim(rounded, rounded, 2, levels)).toBe(1);
});

test("is 0 without a token, and the order of the memory's tokens does not matter", () => {
  const [first, second] = [Int8Array.of(127, 0, 0, 127), Int8Array.of(0, 127, 127, 0)];
  expect(maxSim(new Int8Array(), first, 2, levels)).toBe(0);
  expect(maxSim(first, new Int8Array(), 2, levels)).toBe(0);
  expect(maxSim(first, second, 2, levels)).toBe(1);
});
