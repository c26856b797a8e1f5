// The floor of an injection: what unrelated prompts reach in a project, by the number of its memories,
// the spread of their similarities, and the kind of the prompt.

import { expect, test } from "bun:test";
import { createNeedMeasure, relevanceFloor, spreadOf } from "../../../src/memory/ranking/relevance-floor.ts";

const unit = (...components: number[]) => {
  const length = Math.hypot(...components);
  return Float32Array.from(components, (component) => component / length);
};

test("the spread is that of all similarities of prompts and memories", () => {
  const prompts = Float32Array.from([...unit(1, 0), ...unit(0, 1)]);
  const { mean, deviation } = spreadOf(prompts, [unit(1, 0), unit(3, 4)]);
  // Similarities: 1, 0, 0.6, 0.8.
  expect(mean).toBeCloseTo(0.6, 6);
  expect(deviation).toBeCloseTo(Math.sqrt((1 + 0.36 + 0.64) / 4 - 0.36), 6);
});

test("without prompts or memories there is no floor", () => {
  expect(relevanceFloor(spreadOf(new Float32Array(0), [unit(1, 0)]), 10, 0)).toBe(0);
  expect(relevanceFloor(spreadOf(unit(1, 0), []), 0, 0)).toBe(0);
});

test("it grows with the number of memories and with the similarity of unrelated texts, and stays within 0 to 1", () => {
  const spread = { mean: 0.04, deviation: 0.07 };
  const floors = [13, 25, 150, 2_000, 100_000].map((memories) => relevanceFloor(spread, memories, 0));
  expect(floors).toEqual(floors.toSorted((a, b) => a - b));
  expect(new Set(floors).size).toBe(floors.length);
  expect(relevanceFloor(spread, 1, 0)).toBeCloseTo(0.04 + 1.75 * 0.07, 9);
  expect(relevanceFloor({ ...spread, mean: 0.7 }, 25, 0)).toBeGreaterThan(0.7);
  expect(relevanceFloor({ mean: 0.9, deviation: 0.3 }, 1_000_000, 0)).toBe(1);
  expect(relevanceFloor({ mean: -0.5, deviation: 0.01 }, 1, 0)).toBe(0);
});

test("a prompt of the kind that memories help with has a lower floor, one of the other kind a higher one", () => {
  const helped = [unit(1, 0, 0.5), unit(1, 0, -0.5)];
  const unrelated = [unit(0, 1, 0.5), unit(0, 1, -0.5)];
  const need = createNeedMeasure(helped, unrelated);
  expect(need(unit(1, 0, 0))).toBeGreaterThan(0.5);
  expect(need(unit(0, 1, 0))).toBeLessThan(-0.5);
  expect(need(unit(1, 1, 0.3))).toBeCloseTo(0, 6);
  const spread = { mean: 0.04, deviation: 0.07 };
  expect(relevanceFloor(spread, 150, 1)).toBeCloseTo(0.04 + 0.07, 9);
  const floorOf = (vector: Float32Array) => relevanceFloor(spread, 150, 0.1 * need(vector));
  expect(floorOf(unit(1, 0, 0))).toBeLessThan(floorOf(unit(1, 1, 0)));
  expect(floorOf(unit(1, 1, 0))).toBeLessThan(floorOf(unit(0, 1, 0)));
});
