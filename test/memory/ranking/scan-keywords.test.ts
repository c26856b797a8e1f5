// Compares what a scan knows of keyword scores with the shares added in the order of the words: the exact score to the last digit, and a
// bound that is never below it.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  boundKeywords,
  keywordScoreAt,
  toScanKeywords,
} from "../../../src/memory/ranking/scan/scan-keywords.ts";
import type { WordHolders } from "../../../src/memory/ranking/scan/scan-task.ts";
import { addToMembers, noSlots, withSlots } from "../../../src/memory/ranking/scan/slot-set.ts";

const capacity = 256;
const members = fc.oneof(
  fc.uniqueArray(fc.nat(capacity - 1), { maxLength: 8 }),
  fc.uniqueArray(fc.nat(capacity - 1), { minLength: 40, maxLength: 256 }),
);
const words = fc
  .array(fc.tuple(fc.double({ min: 1e-9, max: 1, noNaN: true }), members), { minLength: 1, maxLength: 64 })
  .map((drawn) => {
    const total = drawn.reduce((sum, [weight]) => sum + weight, 0);
    return drawn.map(
      ([weight, slots]): WordHolders => ({
        share: weight / total,
        holders: withSlots(noSlots, Uint32Array.from(slots).sort(), capacity),
      }),
    );
  });

test("keyword scores during a scan are exact, and no bound is below them", () => {
  fc.assert(
    fc.property(words, (all) => {
      const keywords = toScanKeywords(all);
      const first = 64;
      const exact = new Float64Array(128);
      for (const { share, holders } of all) addToMembers(holders, share, first, exact);
      const bounds = new Float64Array(128);
      boundKeywords(keywords, first, bounds);
      for (const [row, score] of exact.entries()) {
        expect(keywordScoreAt(keywords, first + row)).toBe(score);
        expect(bounds[row]).toBeGreaterThanOrEqual(score);
        expect(bounds[row]).toBeLessThanOrEqual(score + 0.11);
      }
    }),
    { numRuns: 200 },
  );
});
