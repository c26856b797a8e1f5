// Searches during writes: each answer is that of one state between its request and its arrival, for small and large projects at once.

import { expect, test } from "bun:test";
import { searchDuringWrites } from "./search-concurrency.ts";

test.each([
  ["with indexes in memory", 512 * 1024 * 1024],
  // The large project fits alone, so the others leave the memory while it is searched.
  ["with room for the large project alone", 3_000_000],
  ["in the database", 0],
])(
  "an answer during writes is explained by one state, %s",
  async (_, searchCacheBytes) => {
    const projects = [200, 3, 17_000];
    const size = { seed: 1, dimensions: 32, projects, clients: 4, bursts: 12, searchCacheBytes };
    const { answers } = await searchDuringWrites(size);
    // Each client asks ten times or more, and closes some of these connections.
    expect(answers).toBeGreaterThanOrEqual(projects.length * size.clients * 8);
  },
  120_000,
);
