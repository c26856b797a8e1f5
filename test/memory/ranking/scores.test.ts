// Proves what relevance promises whatever the scores are, and which words of a query count.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  cosine,
  relevance,
  sourceOf,
  squaredLength,
  squaredLengthTolerance,
} from "../../../src/memory/ranking/scores.ts";
import { withoutStopWords } from "../../../src/memory/ranking/stop-words.ts";

const unit = fc.double({ min: 0, max: 1, noNaN: true });

describe("relevance", () => {
  test("lies in 0..1 and is never below the similarity", () => {
    fc.assert(
      fc.property(unit, unit, (similarity, keyword) => {
        const value = relevance(similarity, keyword);
        expect(value).toBeGreaterThanOrEqual(similarity);
        expect(value).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("never falls when a score grows, and never moves further than the similarity", () => {
    fc.assert(
      fc.property(unit, unit, unit, (one, other, fixed) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(relevance(fixed, high)).toBeGreaterThanOrEqual(relevance(fixed, low));
        const step = relevance(high, fixed) - relevance(low, fixed);
        expect(step).toBeGreaterThanOrEqual(-Number.EPSILON);
        expect(step).toBeLessThanOrEqual(high - low + 4 * Number.EPSILON);
      }),
    );
  });

  test("is the similarity where no word is met, and names the stronger evidence", () => {
    expect(relevance(0.1, 0)).toBe(0.1);
    expect(relevance(0, 1)).toBeCloseTo(0.7, 12);
    expect(sourceOf({ similarity: 0.5, keyword: 0 })).toBe("semantic");
    expect(sourceOf({ similarity: 0.1, keyword: 1 })).toBe("keyword");
  });
});

/** L2-normalised and rounded to float32, as an embedder hands it over. */
const unitVector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 400 })
  .filter((values) => Math.hypot(...values) > 1e-3)
  .map((values) => Float32Array.from(values, (value) => value / Math.hypot(...values)));

describe("similarity", () => {
  test("of a vector and itself is exactly 1, also when its last digits differ", () => {
    fc.assert(
      fc.property(unitVector, fc.integer({ min: 0 }), (vector, at) => {
        const squares = vector.reduce((sum, value) => sum + value * value, 0);
        expect(Math.abs(squares - 1)).toBeLessThanOrEqual(squaredLengthTolerance);
        expect(cosine(vector, vector)).toBe(1);
        const other = vector.slice();
        other[at % vector.length] = (other[at % vector.length] ?? 0) + 1e-5;
        expect(cosine(vector, other)).toBe(1);
      }),
    );
  });

  test("lies in 0..1, is symmetrical, and has nine decimals", () => {
    fc.assert(
      fc.property(unitVector, unitVector, (one, other) => {
        const length = Math.min(one.length, other.length);
        const [a, b] = [one.subarray(0, length), other.subarray(0, length)];
        fc.pre(a.some((value) => value !== 0) && b.some((value) => value !== 0));
        const similarity = cosine(a, b);
        expect(similarity).toBe(cosine(b, a));
        expect(similarity).toBe(cosine(a, b, squaredLength(a)));
        expect(similarity).toBe(Number(similarity.toFixed(9)));
        expect(similarity >= 0 && similarity <= 1).toBe(true);
      }),
    );
  });
});

describe("words of a query that tell", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["when did caroline go to paris", ["caroline", "go", "to", "paris"]],
    ["what is the port", ["the", "port"]],
    ["what is what", ["what", "is", "what"]],
    ["whatever howard willed in may", ["whatever", "howard", "willed", "in", "may"]],
    ["", [""]],
  ];
  for (const [query, words] of cases)
    test(`in: ${query}`, () => {
      expect(withoutStopWords(query.split(" "))).toEqual(words);
    });
});
