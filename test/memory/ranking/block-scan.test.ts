// Tests that a scan leaves out no row of a result: against a ranking of all rows by exact scores, with vectors, filters, words and limits
// that are hard for bounds.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { quantiseRow } from "../../../src/memory/ranking/quantisation.ts";
import { createBlockScan } from "../../../src/memory/ranking/scan/block-scan.ts";
import { createRowBlock } from "../../../src/memory/ranking/scan/row-block.ts";
import type {
  ScanFound,
  ScannedBlock,
  ScanQuery,
  WordHolders,
} from "../../../src/memory/ranking/scan/scan-task.ts";
import { cosine, finalScore, relevanceOf } from "../../../src/memory/ranking/scores.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { hardVector, near, randomVector, sequence } from "./vectors.ts";

const scan = createBlockScan(loadOnnx(prepareRuntime("unused-from-source")));

interface Row {
  readonly vector: Float32Array;
  readonly importance: number;
}

/** Blocks of 64 rows with the rows one after the other; the last block has free rows. */
function toBlocks(rows: readonly Row[], dimensions: number): ScannedBlock[] {
  return Array.from({ length: Math.ceil(rows.length / 64) }, (_, index) => {
    const block = createRowBlock(dimensions, 64);
    const part = rows.slice(index * 64, index * 64 + 64);
    for (const [row, { vector, importance }] of part.entries()) {
      quantiseRow(vector, block, row);
      block.importances[row] = importance;
    }
    return { buffer: block.buffer, firstSlot: index * 64, rows: part.length };
  });
}

function bitsOf(slots: Iterable<number>, rows: number): Uint32Array {
  const words = new Uint32Array(new SharedArrayBuffer(Math.ceil(rows / 64) * 8));
  for (const slot of slots) words[slot >>> 5] = (words[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return words;
}

const has = (words: Uint32Array, slot: number) => (((words[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;

function isMember({ holders }: WordHolders, slot: number): boolean {
  return holders.kind === "bits" ? has(holders.words, slot) : holders.slots.includes(slot);
}

/** Expects that all rows of the exact result were found, with bounds that contain their exact scores. @returns rows of the result */
function expectComplete(rows: readonly Row[], query: ScanQuery, found: ScanFound): number {
  const exact = rows.map(({ vector, importance }, slot) => {
    const keyword = query.keywords?.reduce((sum, word) => sum + (isMember(word, slot) ? word.share : 0), 0);
    const similarity = cosine(query.vector, vector);
    const relevance = relevanceOf(similarity, keyword);
    return { similarity, keyword, relevance, score: finalScore(relevance, importance) };
  });
  const result = [...rows.keys()]
    .filter((slot) => has(query.eligible, slot) && (exact[slot]?.similarity ?? 0) >= query.minSimilarity)
    .filter((slot) => (exact[slot]?.relevance ?? 0) >= (query.minRelevance ?? 0))
    .map((slot) => ({ slot, score: exact[slot]?.score ?? 0 }))
    .sort((a, b) => b.score - a.score);
  const least = result[query.topK - 1]?.score ?? Number.NEGATIVE_INFINITY;
  const slots = new Set(found.slots);
  // Rows with the same score as the last one, too: their order depends on more than the score.
  const missing = result.filter(({ slot, score }) => score >= least && !slots.has(slot));
  expect(missing).toEqual([]);
  expect([...found.slots]).toEqual([...slots].toSorted((a, b) => a - b));
  expect([found.lower.length, found.upper.length]).toEqual([slots.size, slots.size]);
  for (const [at, slot] of found.slots.entries()) {
    const { similarity = 0, relevance = 0, keyword, score = 0 } = exact[slot] ?? {};
    const lower = found.lower[at] ?? Number.NaN;
    expect(has(query.eligible, slot)).toBe(true);
    expect(score).toBeGreaterThanOrEqual(lower);
    expect(score).toBeLessThanOrEqual(found.upper[at] ?? Number.NaN);
    expect(found.keywords?.[at]).toBe(keyword);
    const isBelow = similarity < query.minSimilarity || relevance < (query.minRelevance ?? 0);
    if (isBelow) expect(lower).toBe(Number.NEGATIVE_INFINITY);
  }
  return result.length;
}

/** The rows of a result by the bounds of all tasks: a search scores those above the K-th best lower bound exactly. */
function toScore(found: ScanFound, topK: number): number {
  const floor = [...found.lower].sort((a, b) => b - a)[topK - 1] ?? Number.NEGATIVE_INFINITY;
  return found.upper.filter((upper) => upper >= floor).length;
}

const importance = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const row = (dimensions: number) => fc.record({ vector: hardVector(dimensions), importance });

function query(dimensions: number, rows: readonly Row[]): fc.Arbitrary<ScanQuery> {
  const slots = fc.uniqueArray(fc.nat(rows.length - 1), { maxLength: rows.length });
  const eligible = fc
    .oneof(fc.constant([...rows.keys()]), slots, fc.constant<number[]>([]))
    .map((members) => bitsOf(members, rows.length));
  const holders = fc.oneof(
    slots.map((members) => ({ kind: "bits" as const, words: bitsOf(members, rows.length) })),
    slots.map((members) => ({ kind: "list" as const, slots: Uint32Array.from(members).sort() })),
    // A set of bits that is older than the newest rows.
    fc.constant({ kind: "bits" as const, words: new Uint32Array(new SharedArrayBuffer(4)).fill(0xffffffff) }),
  );
  const weights = fc.array(fc.tuple(fc.double({ min: 0.01, max: 1, noNaN: true }), holders), {
    maxLength: 5,
  });
  const words = weights.map((all): WordHolders[] => {
    const total = all.reduce((sum, [weight]) => sum + weight, 0);
    return all.map(([weight, holding]) => ({ share: weight / total, holders: holding }));
  });
  return fc.record({
    vector: fc.oneof(
      hardVector(dimensions),
      fc.nat(rows.length - 1).map((slot) => rows[slot]?.vector ?? new Float32Array(dimensions)),
    ),
    eligible,
    keywords: fc.option(words, { nil: null }),
    topK: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)),
    minSimilarity: fc.oneof(fc.constantFrom(0, 0.5, 0.98, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    minRelevance: fc.oneof(fc.constantFrom(0, 0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  });
}

describe("a scan finds every row of the result", () => {
  test.each([2, 16, 64, 384])("whatever the rows and the queries are, with %d dimensions", (dimensions) => {
    const rows = fc.array(row(dimensions), { minLength: 1, maxLength: dimensions < 100 ? 200 : 70 });
    const cases = rows.chain((all) =>
      fc.record({
        all: fc.constant(all),
        queries: fc.array(query(dimensions, all), { minLength: 1, maxLength: 8 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ all, queries }) => {
        const found = scan({ dimensions, blocks: toBlocks(all, dimensions), queries });
        expect(found).toHaveLength(queries.length);
        for (const [at, each] of queries.entries()) {
          const of = found[at];
          if (of === undefined) throw new Error("a query has no answer");
          expectComplete(all, each, of);
        }
      }),
      { numRuns: dimensions < 100 ? 100 : 40 },
    );
  });

  test("also when the rows are copies of each other, or differ by less than a step of their codes", () => {
    const dimensions = 64;
    const base = randomVector(dimensions, 1);
    for (const noise of [0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3]) {
      const rows = Array.from({ length: 300 }, (_, at) => ({
        vector: near(base, noise, at),
        importance: 0.5,
      }));
      const blocks = toBlocks(rows, dimensions);
      for (const topK of [1, 10, 50]) {
        const asked = {
          vector: near(base, 0.01, 999),
          eligible: bitsOf(rows.keys(), 300),
          keywords: null,
          topK,
          minSimilarity: 0,
        };
        const [found] = scan({ dimensions, blocks, queries: [asked] });
        if (found === undefined) throw new Error("the query has no answer");
        expect(expectComplete(rows, asked, found)).toBe(300);
      }
    }
  });

  test("in a part of the blocks, whose slots do not begin at 0", () => {
    const rows = Array.from({ length: 256 }, (_, at) => ({ vector: randomVector(64, at), importance: 0 }));
    const [, , ...blocks] = toBlocks(rows, 64);
    const eligible = bitsOf(rows.keys(), 256);
    const vector = randomVector(64, 200);
    const keywords: WordHolders[] = [
      { share: 0.4, holders: { kind: "list", slots: Uint32Array.of(3, 130, 255) } },
      { share: 0.6, holders: { kind: "bits", words: bitsOf([1, 130], 256) } },
    ];
    const [found] = scan({
      dimensions: 64,
      blocks,
      queries: [{ vector, eligible, keywords, topK: 2, minSimilarity: 0 }],
    });
    expect([...(found?.slots ?? [])]).toEqual([130, 200]);
    expect(found?.keywords).toEqual(Float64Array.of(0.4 + 0.6, 0));
  });
});

describe("few rows are left for exact scores", () => {
  const dimensions = 384;
  const next = sequence(5);
  const rows = Array.from({ length: 4_000 }, (_, at) => ({
    vector: randomVector(dimensions, at),
    importance: (next() + 1) / 2,
  }));
  const blocks = toBlocks(rows, dimensions);
  const all = bitsOf(rows.keys(), rows.length);
  const half = bitsOf(
    [...rows.keys()].filter((slot) => slot % 2 === 0),
    rows.length,
  );
  const common = {
    kind: "bits" as const,
    words: bitsOf(
      [...rows.keys()].filter((slot) => slot % 3 === 0),
      4_000,
    ),
  };

  test.each<[string, Pick<ScanQuery, "eligible" | "keywords" | "minSimilarity">]>([
    ["by meaning", { eligible: all, keywords: null, minSimilarity: 0 }],
    ["of half of the rows", { eligible: half, keywords: null, minSimilarity: 0 }],
    ["above a threshold", { eligible: all, keywords: null, minSimilarity: 0.1 }],
    ["with a word", { eligible: all, keywords: [{ share: 1, holders: common }], minSimilarity: 0 }],
  ])("in a search %s", (_, conditions) => {
    for (let seed = 0; seed < 10; seed++) {
      const asked = { ...conditions, vector: randomVector(dimensions, 5_000 + seed), topK: 10 };
      const [found] = scan({ dimensions, blocks, queries: [asked] });
      if (found === undefined) throw new Error("the query has no answer");
      expectComplete(rows, asked, found);
      expect(toScore(found, 10)).toBeLessThan(60);
    }
  });

  test("and of rows that are found before better ones, none is kept", () => {
    const [found] = scan({
      dimensions,
      blocks,
      queries: [
        { vector: randomVector(dimensions, 1), eligible: all, keywords: null, topK: 1, minSimilarity: 0 },
      ],
    });
    expect(found?.slots.length).toBe(found === undefined ? -1 : toScore(found, 1));
  });
});

test("a scan of nothing finds nothing", () => {
  const eligible = bitsOf([], 64);
  const nothing = { slots: new Uint32Array(0), lower: new Float64Array(0), upper: new Float64Array(0) };
  const asked = { vector: randomVector(64, 1), eligible, keywords: null, topK: 10, minSimilarity: 0 };
  expect(scan({ dimensions: 64, blocks: [], queries: [] })).toEqual([]);
  expect(scan({ dimensions: 64, blocks: [], queries: [asked] })).toEqual([{ ...nothing, keywords: null }]);
  const empty = { buffer: createRowBlock(64, 64).buffer, firstSlot: 0, rows: 0 };
  const hybrid = { ...asked, keywords: [], topK: Number.POSITIVE_INFINITY };
  expect(scan({ dimensions: 64, blocks: [empty], queries: [asked, hybrid] })).toEqual([
    { ...nothing, keywords: null },
    { ...nothing, keywords: new Float64Array(0) },
  ]);
});
