// The paired bootstrap against cases whose answer is known.

import { expect, test } from "bun:test";
import { compare, toPoints } from "../../bench/bootstrap.ts";

test("equal rankings differ by 0 to 0, however much their questions differ", () => {
  const values = Array.from({ length: 200 }, (_, at) => 1 / (1 + (at % 7)));
  expect(compare(values, values)).toEqual({ mean: 0, low: 0, high: 0 });
});

test("a difference that every question has is certain", () => {
  const base = [0.25, 0.5, 0, 0.125];
  const better = base.map((value) => value + 0.25);
  expect(compare(better, base)).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
});

test("one of two questions says nothing about the other one", () => {
  // A resample has each question twice with a probability of a quarter.
  expect(compare([1, 0], [0, 0])).toEqual({ mean: 0.5, low: 0, high: 1 });
});

test("the interval is about that of the normal distribution when there are many questions", () => {
  const base = Array.from({ length: 400 }, () => 0);
  const values = base.map((_, at) => at % 2);
  const { mean, low, high } = compare(values, base);
  const expected = (1.96 * 0.5) / Math.sqrt(400);
  expect(mean).toBe(0.5);
  expect(Math.abs(low - (0.5 - expected))).toBeLessThan(0.005);
  expect(Math.abs(high - (0.5 + expected))).toBeLessThan(0.005);
});

test("questions are paired: what makes both rankings miss does not widen the interval", () => {
  const base = Array.from({ length: 100 }, (_, at) => at % 2);
  const values = base.map((value, at) => (at < 4 ? 1 : value));
  const paired = compare(values, base);
  const shuffled = compare([...values.slice(51), ...values.slice(0, 51)], base);
  expect(shuffled.mean).toBeCloseTo(paired.mean);
  expect(paired.high - paired.low).toBeLessThan((shuffled.high - shuffled.low) / 2);
});

test("the other way round is exactly the opposite, and every run is the same", () => {
  const a = Array.from({ length: 57 }, (_, at) => ((at * 37) % 11) / 11);
  const b = Array.from({ length: 57 }, (_, at) => ((at * 29) % 13) / 13);
  const forth = compare(a, b);
  const back = compare(b, a);
  expect([-back.mean, -back.high, -back.low]).toEqual([forth.mean, forth.low, forth.high]);
  expect(compare(a, b)).toEqual(forth);
});

test("values of different questions cannot be compared", () => {
  expect(() => compare([1, 0], [1])).toThrow("2 values cannot be compared with 1");
  expect(() => compare([], [])).toThrow(RangeError);
});

test.each([
  [{ mean: 0.012, low: -0.003, high: 0.026 }, "+1.2 (-0.3 to +2.6)"],
  [{ mean: 0, low: 0, high: 0 }, "+0.0 (+0.0 to +0.0)"],
  [{ mean: -0.0004, low: -0.2, high: 0 }, "+0.0 (-20.0 to +0.0)"],
])("%p is printed as %s", (difference, text) => {
  expect(toPoints(difference)).toBe(text);
});
