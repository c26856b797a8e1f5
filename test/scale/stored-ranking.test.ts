// The ranking in parts finds exactly what the ranking of all memories at once finds, for queries with words and without.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillScale } from "../../bench/scale-fill.ts";
import { createRandom } from "../../bench/texts.ts";
import { unitVector } from "../../bench/unit-vector.ts";
import { readStoredMemories } from "../engines/sqlite/naive-memories.ts";
import { rankNaively } from "../memory/ranking/naive-ranking.ts";
import { comparedSearches, comparedTexts } from "./comparisons.ts";
import { rankStored } from "./stored-ranking.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-scale-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([7, 100, 10_000])("parts of %i memories", async (rowsOfPart) => {
  const dataDir = join(folder, String(rowsOfPart));
  const size = 800;
  const { projects } = await fillScale(dataDir, [
    { name: "searched", size },
    { name: "another", size: 20 },
  ]);
  const projectId = projects[0]?.projectId ?? "";
  const path = join(dataDir, "memledger.db");
  using stored = readStoredMemories(path);
  const memories = stored.of(projectId);
  const random = createRandom(rowsOfPart);
  const vectors = new Map(comparedTexts(1).map((text) => [text, unitVector(random, 384)]));
  const queries = comparedSearches(1, vectors).map(({ query }) => query);

  const ranked = rankStored(path, projectId, queries, rowsOfPart);
  expect(ranked.memories).toBe(size);
  expect(ranked.hits).toEqual(queries.map((query) => rankNaively(memories, query)));
  const hits = ranked.hits.flat();
  expect(hits.filter(({ keyword }) => keyword > 0).length).toBeGreaterThan(100);
  expect(new Set(hits.map(({ id }) => id)).size).toBeGreaterThan(100);
});
