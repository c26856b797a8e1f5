// Searches among many memories that are nearly or exactly the same are exact, and score every memory exactly once at most: scanners do that
// for most of them. Ordinary searches score few.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readBatchItem } from "../../../src/calls/operations/memories/batch-item.ts";
import { localScoresMax } from "../../../src/engines/sqlite/search/limits.ts";
import { contentKey } from "../../../src/memory/memory.ts";
import { type Member, openSeam, type Seam, seamModel } from "../../calls/storage/seam.ts";
import { near, randomVector } from "../../memory/ranking/vectors.ts";
import { readStoredMemories } from "./naive-memories.ts";
import { compareSearch, createCompared } from "./search-answers.ts";

const dimensions = 32;
const batchItems = 1_000;
const base = randomVector(dimensions, 1);

let seam: Seam;
beforeAll(async () => {
  seam = await openSeam({ model: { ...seamModel, dimensions }, searchThreads: 2 });
});
afterAll(async () => void (await seam.close()));

/** No two memories of a project have the same text. */
let created = 0;

async function create(member: Member, vectors: readonly Float32Array[]): Promise<void> {
  for (let start = 0; start < vectors.length; start += batchItems) {
    const part = vectors.slice(start, start + batchItems).map((vector, at) => ({
      vector,
      fields: { content: `memory ${created++}`, memory_type: "fact", importance: ((start + at) % 3) / 2 },
    }));
    const prepared = part.map(({ vector, fields }) => {
      const known = { refused: null, id: null, exportedId: null };
      return Object.assign(known, {
        item: readBatchItem(fields),
        contentKey: contentKey(fields.content),
        vector,
      });
    });
    const input = { memories: part.map(({ fields }) => fields) };
    const { data, message } = await member.call("memory.create_batch", input, prepared);
    if (data.created !== part.length) throw new Error(`not everything was created: ${message}`);
  }
}

/** Compares searches with the naive ranking. @returns how many memories each of them scored in the mean */
async function compare(member: Member, vectors: readonly Float32Array[]): Promise<number> {
  const rescored = async () => (await seam.store.statistics.searches())?.rescored.sum ?? 0;
  const before = await rescored();
  using stored = readStoredMemories(seam.path);
  const comparison = {
    seam,
    member,
    memories: stored.of(member.id),
    where: "similar",
    compared: createCompared(),
  };
  for (const [at, vector] of vectors.entries()) {
    await compareSearch(comparison, {
      vector,
      words: at % 2 === 0 ? null : `memory ${at}`,
      types: null,
      tags: null,
      topK: [1, 10, 50][at % 3] ?? 10,
      minSimilarity: [0, 0.5][at % 2] ?? 0,
      includeExpired: false,
      includeInactive: false,
      now: seam.now(),
    });
  }
  return ((await rescored()) - before) / vectors.length;
}

describe("a project of 9,000 memories", () => {
  const count = 9_000;
  const queries = Array.from({ length: 6 }, (_, at) => near(base, 0.2, at + 20_000));

  test("that are nearly the same is searched exactly", async () => {
    const member = await seam.project();
    await create(
      member,
      Array.from({ length: count }, (_, at) => near(base, 1e-4, at)),
    );
    const scored = await compare(member, queries);
    // More than the searcher scores alone, and no memory twice.
    expect(scored).toBeGreaterThan(localScoresMax);
    expect(scored).toBeLessThanOrEqual(count);
  }, 120_000);

  test("that are the same is searched exactly, the newest first", async () => {
    const member = await seam.project();
    await create(
      member,
      Array.from({ length: count }, () => base),
    );
    const scored = await compare(member, queries);
    expect(scored).toBeGreaterThan(localScoresMax);
    expect(scored).toBeLessThanOrEqual(count);
  }, 120_000);

  test("that differ is searched exactly, with exact scores of few", async () => {
    const member = await seam.project();
    await create(
      member,
      Array.from({ length: count }, (_, at) => randomVector(dimensions, at)),
    );
    expect(await compare(member, queries)).toBeLessThan(200);
  }, 120_000);

  test("that change while they are searched is searched without an error", async () => {
    const member = await seam.project();
    await create(
      member,
      Array.from({ length: count }, (_, at) => near(base, 1e-4, at)),
    );
    let isOver = false;
    const changes = (async () => {
      for (let at = 0; !isOver; at++) {
        const { memories } = await member.list({ limit: 1, offset: at % 100 });
        await member.call("memory.delete", { memory_id: memories[0]?.id ?? "" });
        await create(member, [near(base, 1e-4, 30_000 + at)]);
      }
    })();
    try {
      for (const vector of queries) expect(await member.search({ vector, topK: 50 })).toHaveLength(50);
    } finally {
      isOver = true;
      await changes;
    }
    await compare(member, queries);
  }, 120_000);
});
