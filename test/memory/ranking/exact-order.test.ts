// Compares the exact order with sorting all exact scores, and counts how many of them were asked for.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ExactOrder } from "../../../src/memory/ranking/exact-order.ts";
import type { ScanFound } from "../../../src/memory/ranking/scan/scan-task.ts";

interface Row {
  readonly serial: number;
  readonly similarity: number;
  readonly relevance: number;
  readonly score: number;
}

/** Scores in few steps, so that many are equal. */
const row = fc.record({
  score: fc.integer({ min: 0, max: 12 }).map((steps) => steps / 12),
  similarity: fc.integer({ min: 0, max: 4 }).map((steps) => steps / 4),
  relevance: fc.integer({ min: 0, max: 4 }).map((steps) => steps / 4),
  below: fc.integer({ min: 0, max: 3 }).map((steps) => steps / 12),
  above: fc.integer({ min: 0, max: 3 }).map((steps) => steps / 12),
  part: fc.nat({ max: 3 }),
});

interface Limits {
  readonly topK: number;
  readonly minSimilarity: number;
  readonly minRelevance: number;
}

function order(found: readonly ScanFound[], rows: readonly Row[], limits: Limits) {
  const exact = new ExactOrder<Row>(found, limits);
  const asked: number[] = [];
  for (let next = exact.next(); next !== null; next = exact.next()) {
    asked.push(next.slot);
    expect(next.keyword).toBe(next.slot / 1_000);
    const known = rows[next.slot];
    if (known !== undefined) exact.add(known);
  }
  expect(exact.scored).toBe(asked.length);
  return { best: exact.best, asked };
}

function inParts(bounds: readonly { lower: number; upper: number; part: number }[]): ScanFound[] {
  return [0, 1, 2, 3].map((part) => {
    const slots = [...bounds.keys()].filter((slot) => bounds[slot]?.part === part);
    return {
      slots: Uint32Array.from(slots),
      lower: Float64Array.from(slots, (slot) => bounds[slot]?.lower ?? 0),
      upper: Float64Array.from(slots, (slot) => bounds[slot]?.upper ?? 0),
      keywords: Float64Array.from(slots, (slot) => slot / 1_000),
    };
  });
}

const byScore = (a: Row, b: Row) => b.score - a.score || b.serial - a.serial;

describe("the exact order", () => {
  test("is the order of all exact scores, newest first, and asks for no score that is not needed", () => {
    const property = fc.property(
      fc.array(row, { maxLength: 120 }),
      fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(Number.POSITIVE_INFINITY)),
      fc.integer({ min: 0, max: 4 }).map((steps) => steps / 4),
      fc.integer({ min: 0, max: 4 }).map((steps) => steps / 4),
      (drawn, topK, minSimilarity, minRelevance) => {
        const rows = drawn.map(({ score, similarity, relevance }, at) => ({
          serial: (at * 7_919) % 1_009,
          score,
          similarity,
          relevance,
        }));
        const isAbove = (each: Pick<Row, "similarity" | "relevance">) =>
          each.similarity >= minSimilarity && each.relevance >= minRelevance;
        const bounds = drawn.map(({ score, similarity, relevance, below, above, part }) => ({
          // A row that may be below a threshold does not count.
          lower: !isAbove({ similarity, relevance }) ? Number.NEGATIVE_INFINITY : score - below,
          upper: score + above,
          part,
        }));
        const { best, asked } = order(inParts(bounds), rows, { topK, minSimilarity, minRelevance });
        const all = rows.filter(isAbove).sort(byScore);
        expect(best).toEqual(topK === Number.POSITIVE_INFINITY ? all : all.slice(0, topK));
        // A row below the threshold, or one whose upper bound reaches the last result, could belong to it: every method must ask.
        const last = all.length < topK ? undefined : all[topK - 1];
        for (const slot of asked)
          expect(bounds[slot]?.upper).toBeGreaterThanOrEqual(last?.score ?? Number.NEGATIVE_INFINITY);
        expect(new Set(asked).size).toBe(asked.length);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test("is the same when the rest is scored elsewhere, and the rest is what the bounds leave", () => {
    const property = fc.property(
      fc.array(row, { maxLength: 120 }),
      fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(Number.POSITIVE_INFINITY)),
      fc.nat({ max: 30 }),
      (drawn, topK, scoredFirst) => {
        const rows = drawn.map(({ score, similarity, relevance }, at) => ({
          serial: at,
          score,
          similarity,
          relevance,
        }));
        const bounds = drawn.map(({ score, below, above, part }) => ({
          lower: score - below,
          upper: score + above,
          part,
        }));
        const exact = new ExactOrder<Row>(inParts(bounds), { topK, minSimilarity: 0 });
        const asked = new Set<number>();
        for (let next = exact.next(); next !== null; next = exact.next()) {
          asked.add(next.slot);
          const known = rows[next.slot];
          if (known !== undefined) exact.add(known);
          if (asked.size > scoredFirst) break;
        }
        const { floor } = exact;
        const { slots, uppers, keywords } = exact.takeRest();
        expect(exact.next()).toBeNull();
        const left = bounds.flatMap(({ upper }, slot) => (upper >= floor && !asked.has(slot) ? [slot] : []));
        expect([...slots].sort((a, b) => a - b)).toEqual(left);
        expect([...uppers]).toEqual(Array.from(slots, (slot) => bounds[slot]?.upper ?? 0));
        expect([...(keywords ?? [])]).toEqual(Array.from(slots, (slot) => slot / 1_000));
        const best = Array.from(slots, (slot) => rows[slot])
          .filter((each) => each !== undefined)
          .sort(byScore);
        exact.addBest(best.slice(0, topK), left.length);
        expect(exact.best).toEqual(rows.toSorted(byScore).slice(0, topK));
        expect(exact.scored).toBe(asked.size + left.length);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test("of nothing is nothing", () => {
    expect(order([], [], { topK: 10, minSimilarity: 0, minRelevance: 0 })).toEqual({ best: [], asked: [] });
  });
});
