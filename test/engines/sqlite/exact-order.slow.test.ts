// The order of every answer is that of a naive ranking in float64 over what is stored, with vectors that approximations confuse, and on
// both paths. `bun run fuzz` repeats the small lives with other seeds, `bun run proof search` lives longer ones.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createCompared } from "./search-answers.ts";
import { liveSearches } from "./search-life.ts";

const inMemory = 512 * 1024 * 1024;
const inDatabase = 0;
/** Room for an index of small vectors: with larger ones, or more tags, a project is searched in the database. */
const atTheLimit = 1_000_000;

test("small projects are searched exactly after any changes", async () => {
  const sum = createCompared();
  await fc.assert(
    fc.asyncProperty(
      fc.noShrink(
        fc.record({
          seed: fc.nat(),
          dimensions: fc.constantFrom(2, 31, 64, 384),
          memories: fc.constantFrom(1, 5, 63, 64, 65, 300),
          searchCacheBytes: fc.constantFrom(inMemory, inMemory, inDatabase, atTheLimit),
        }),
      ),
      async (options) => {
        const { compared } = await liveSearches({ ...options, steps: 16, searches: 6 });
        sum.hits += compared.hits;
        sum.hitsWithWords += compared.hitsWithWords;
        sum.ties += compared.ties;
      },
    ),
    { numRuns: 6 },
  );
  expect(sum.hits).toBeGreaterThan(1_500);
  expect(sum.hitsWithWords).toBeGreaterThan(200);
  expect(sum.ties).toBeGreaterThan(50);
}, 120_000);

test.each([
  ["with indexes in memory", inMemory],
  ["in the database", inDatabase],
])(
  "a project of several blocks is searched exactly after any changes, %s",
  async (_, searchCacheBytes) => {
    const size = { dimensions: 48, memories: 17_000, steps: 6, searches: 4 };
    const { most, compared } = await liveSearches({ ...size, seed: 1, searchCacheBytes });
    expect(most).toBeGreaterThanOrEqual(size.memories);
    expect(compared.answers).toBeGreaterThan(12);
  },
  120_000,
);
