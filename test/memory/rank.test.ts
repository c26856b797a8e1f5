// What relevance promises whatever the scores are, and what the words of a query are worth.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tellingText, wordShares } from "../../src/memory/keyword.ts";
import { relevance, sourceOf } from "../../src/memory/rank.ts";

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

describe("words", () => {
  test("are worth 1 together, and the rarer the more", () => {
    const counts = fc
      .integer({ min: 1, max: 1_000_000 })
      .chain((memories) =>
        fc.tuple(
          fc.constant(memories),
          fc.array(fc.integer({ min: 0, max: memories }), { minLength: 1, maxLength: 20 }),
        ),
      );
    fc.assert(
      fc.property(counts, ([memories, containing]) => {
        const shares = wordShares(memories, containing);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        const byRarity = containing
          .map((n, at) => [n, shares[at] ?? 0] as const)
          .toSorted((a, b) => a[0] - b[0]);
        expect(byRarity.map(([, share]) => share)).toEqual(shares.toSorted((a, b) => b - a));
      }),
    );
    expect(wordShares(0, [])).toEqual([]);
    expect(wordShares(0, [0, 0])).toEqual([0.5, 0.5]);
  });

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["When did Caroline go to Paris?", ["Caroline", "go", "to", "Paris"]],
    ["WHAT is the port", ["the", "port"]],
    ["What is what?", ["What", "is", "what"]],
    ["whatever whose-name Isabel", ["whatever", "name", "Isabel"]],
    ["où est-ce? 何時", ["où", "est", "ce", "何時"]],
    ["🙂", []],
  ];
  for (const [query, words] of cases)
    test(`that tell in: ${query}`, () => {
      expect(Array.from(tellingText(query).matchAll(/[\p{L}\p{N}]+/gu), ([word]) => word)).toEqual([
        ...words,
      ]);
    });
});
