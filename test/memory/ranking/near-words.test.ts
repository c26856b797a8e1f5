// Compares the words near a word with a distance that is computed plainly, and what is never looked for.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { canBeMistyped, Vocabulary } from "../../../src/memory/ranking/near-words.ts";

/** Fewest insertions, deletions, changes and exchanges of neighbours (optimal string alignment). */
function distance(a: string, b: string): number {
  const known = new Map<string, number>();
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    const least = Math.min(
      of(i - 1, j) + 1,
      of(i, j - 1) + 1,
      of(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
      isExchange ? of(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
    );
    known.set(key, least);
    return least;
  };
  return of(a.length, b.length);
}

test("near words are those at distance one, each once, in alphabetical order", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "ж"), minLength: 3, maxLength: 6 });
  let found = 0;
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), word, (words, wanted) => {
      const vocabulary = new Vocabulary();
      vocabulary.add(words.slice(0, 30));
      vocabulary.add(words.slice(30));
      const near = [...new Set(words)].filter((each) => distance(each, wanted) === 1).sort();
      expect(vocabulary.near(wanted)).toEqual(near);
      found += near.length;
    }),
  );
  expect(found).toBeGreaterThan(10);
});

test("numbers, identifiers with digits and short words are not taken for others", () => {
  expect(["deploymnet", "wifi", "übung", "поезд"].filter((word) => !canBeMistyped(word))).toEqual([]);
  expect(["2093", "inv2093", "v2", "cat", "日本", ""].filter(canBeMistyped)).toEqual([]);
  const vocabulary = new Vocabulary();
  vocabulary.add(["2093", "inv2093", "to", "cart"]);
  expect([vocabulary.size, vocabulary.near("cats"), vocabulary.near("carts")]).toEqual([1, [], ["cart"]]);
});
