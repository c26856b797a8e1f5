// How rankings are judged: the place of the evidence, one text with several ids, and questions that need two memories.

import { expect, test } from "bun:test";
import { judge, rankOf } from "../../bench/ranks.ts";

const places = [["a"], ["b", "c"], [], ["d"]];

test.each([
  [["a"], false, 1],
  [["c"], false, 2],
  [["d", "b"], false, 2],
  [["x", "d"], false, 4],
  [["x"], false, null],
  [["b", "d"], true, 4],
  [["b", "c"], true, 2],
  [["x", "d"], true, null],
  [[], false, null],
  [[], true, null],
])("evidence %p, all needed %p: rank %p", (evidence, needsAll, rank) => {
  expect(rankOf(places, evidence, needsAll)).toBe(rank);
});

test("a place behind the twentieth does not count", () => {
  const many = Array.from({ length: 30 }, (_, at) => [String(at)]);
  expect([rankOf(many, ["19"]), rankOf(many, ["20"])]).toEqual([20, null]);
});

test("hits and the mean reciprocal rank are in percent of all questions", () => {
  expect(judge([1, 2, 10, null])).toEqual(["25.0", "50.0", "75.0", "75.0", "40.0"]);
});
