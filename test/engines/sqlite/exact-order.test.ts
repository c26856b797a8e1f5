// The order of every answer is that of a naive ranking in float64 over what is stored, with vectors that approximations confuse, and on
// both paths. `bun run fuzz` repeats the small lives with other seeds, `bun run proof search` lives longer ones.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { liveSearches } from "./search-life.ts";

const inMemory = 512 * 1024 * 1024;
const inDatabase = 0;

test.each([
  ["with indexes in memory", inMemory],
  ["in the database", inDatabase],
])(
  "small projects are searched exactly after any changes, %s",
  async (_, searchCacheBytes) => {
    let [hits, hitsWithWords, ties] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.noShrink(
          fc.record({
            seed: fc.nat(),
            dimensions: fc.constantFrom(2, 31, 64, 384),
            memories: fc.constantFrom(1, 5, 63, 64, 65, 300),
          }),
        ),
        async (options) => {
          const report = await liveSearches({ ...options, steps: 12, searches: 6, searchCacheBytes });
          hits += report.hits;
          hitsWithWords += report.hitsWithWords;
          ties += report.ties;
        },
      ),
      { numRuns: 4 },
    );
    expect(hits).toBeGreaterThan(800);
    expect(hitsWithWords).toBeGreaterThan(100);
    expect(ties).toBeGreaterThan(20);
  },
  120_000,
);

test.each([
  ["with indexes in memory", inMemory],
  ["in the database", inDatabase],
])(
  "a project of several blocks is searched exactly after any changes, %s",
  async (_, searchCacheBytes) => {
    const size = { dimensions: 64, memories: 17_000, steps: 4, searches: 6 };
    const { most, answers } = await liveSearches({ ...size, seed: 1, searchCacheBytes });
    expect(most).toBeGreaterThanOrEqual(size.memories);
    expect(answers).toBeGreaterThan(40);
  },
  120_000,
);
