// How many memories a search scores exactly, which needs their vectors from the database: few among ordinary vectors, also when their
// importances are equal, and never more than can be among the results when all of them are almost the same.

import { expect, test } from "bun:test";
import { readBatchItem } from "../../../src/calls/operations/memories/batch-item.ts";
import { contentKey } from "../../../src/memory/memory.ts";
import { type Member, openSeam, type Seam, seamModel } from "../../calls/storage/seam.ts";
import { createRandom, toUnit } from "../../memory/ranking/adversarial-vectors.ts";
import { rankNaively } from "../../memory/ranking/naive-ranking.ts";
import { readStoredMemories } from "./naive-memories.ts";
import { toNaiveHits } from "./search-answers.ts";

const dimensions = 384;
const memories = 3_000;
const topK = 10;
const random = createRandom(7);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const anyVector = () => toUnit(Array.from({ length: dimensions }, gaussian));
const direction = anyVector();
/** All at the same distance from the direction, apart from less than a step of a code. */
const alike = () => {
  const noise = anyVector();
  return toUnit(direction.map((value, at) => value + 1e-4 * (noise[at] ?? 0)));
};

async function create(member: Member, vectors: readonly Float32Array[]): Promise<void> {
  for (let start = 0; start < vectors.length; start += 1_000) {
    const made = vectors.slice(start, start + 1_000).map((vector, at) => {
      const fields = { content: `memory ${start + at}`, memory_type: "fact", importance: 0.5 };
      const [item, key] = [readBatchItem(fields), contentKey(fields.content)];
      return {
        fields,
        prepared: { refused: null, item, contentKey: key, id: null, exportedId: null, vector },
      };
    });
    const input = { memories: made.map(({ fields }) => fields) };
    const prepared = made.map((each) => each.prepared);
    const { status } = await member.call("memory.create_batch", input, prepared);
    expect(status).toBe(200);
  }
}

/** Compares the answer, too. @returns how many memories one search has scored exactly */
async function countRescored(seam: Seam, member: Member, vector: Float32Array): Promise<number> {
  const count = async () => (await seam.store.statistics.searches())?.rescored.sum ?? 0;
  const before = await count();
  const found = await member.search({ vector, topK });
  using stored = readStoredMemories(seam.path);
  const filters = { words: null, types: null, tags: null, minSimilarity: 0, now: Date.now() };
  const query = { ...filters, vector, topK, includeExpired: false, includeInactive: false };
  expect(toNaiveHits(found)).toEqual(rankNaively(stored.of(member.id), query));
  return (await count()) - before;
}

const cluster = 300;
let made = 0;
/** Every tenth memory is one of those that are almost the same. */
const mixed = () => (made++ % (memories / cluster) === 0 ? alike() : anyVector());

test.each([
  ["of ordinary vectors with equal importances, few", anyVector, anyVector(), 2 * topK],
  ["of some that are almost the same among others, these alone", mixed, direction, cluster + topK],
  ["of memories that are all almost the same, all", alike, anyVector(), memories],
])("%s", async (_, vector, query, atMost) => {
  const seam = await openSeam({ model: { ...seamModel, dimensions } });
  try {
    const member = await seam.project();
    await create(member, Array.from({ length: memories }, vector));
    const rescored = await countRescored(seam, member, query);
    expect(rescored).toBeGreaterThanOrEqual(topK);
    expect(rescored).toBeLessThanOrEqual(atMost);
    expect(seam.complaints).toEqual([]);
  } finally {
    await seam.close();
  }
});
