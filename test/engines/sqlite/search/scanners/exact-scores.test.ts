// Compares the exact scores that scanners compute with plain ones: also when memories, or the model, have changed since the search began.

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createScorer, type Scored } from "../../../../../src/engines/sqlite/search/scanners/exact-score.ts";
import { createExactScores } from "../../../../../src/engines/sqlite/search/scanners/exact-scores.ts";
import { createRowBlock, setRowValues } from "../../../../../src/memory/ranking/scan/row-block.ts";
import { prepareRuntime } from "../../../../../src/platform/native/runtime.ts";
import { openDatabase } from "../../../../../src/platform/native/sqlite.ts";
import { hardVector, randomVector } from "../../../../memory/ranking/vectors.ts";

const dimensions = 8;
const model = "the-model";

const database = openDatabase(":memory:", prepareRuntime("unused-from-source"));
afterAll(() => void database.close());
database.exec(`
  CREATE TABLE installation (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE memory (serial INTEGER PRIMARY KEY, content_revision INTEGER NOT NULL);
  CREATE TABLE memory_vector (memory INTEGER PRIMARY KEY, embedding BLOB NOT NULL);
  INSERT INTO installation VALUES ('embedding_model', '{"id": "m", "sha256": "${model}", "dimensions": ${dimensions}}')`);
const insertMemory = database.prepare("INSERT INTO memory VALUES (?, ?)");
const insertVector = database.prepare("INSERT INTO memory_vector VALUES (?, ?)");
const exactScores = createExactScores(database);

const change = fc.constantFrom("none", "none", "none", "deleted", "rewritten");
const stored = fc.record({
  vector: hardVector(dimensions),
  importance: fc.constantFrom(0, 0.25, 1),
  keyword: fc.constantFrom(0, 0.5, 1),
  change,
  isCandidate: fc.boolean(),
  /** Memories of other projects between two of this one. */
  gap: fc.constantFrom(0, 0, 0, 1, 40),
});

const byScore = (a: Scored, b: Scored) => b.score - a.score || b.serial - a.serial;

test("the best candidates are those of a plain ranking, and changed ones are left to the search", () => {
  const property = fc.property(
    fc.array(stored, { minLength: 1, maxLength: 400 }),
    fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)),
    fc.constantFrom(0, 0.3, 0.999),
    fc.boolean(),
    fc.boolean(),
    (rows, topK, minSimilarity, hasWords, isReversed) => {
      database.exec("DELETE FROM memory; DELETE FROM memory_vector");
      const query = { vector: randomVector(dimensions, 3), topK, minSimilarity };
      const block = createRowBlock(dimensions, 448);
      const toScored = createScorer(query.vector);
      const exact: Scored[] = [];
      const candidates: number[] = [];
      let serial = 1;
      for (const [at, { vector, importance, keyword, change, isCandidate, gap }] of rows.entries()) {
        serial += 1 + gap;
        // Slots need not have the order of the serials.
        const row = isReversed ? rows.length - 1 - at : at;
        const values = { serial, contentRevision: serial * 2, importance, expiresAt: 0, tagSet: 0, state: 0 };
        setRowValues(block, row, values);
        const scored = toScored({ serial, importance, vector }, hasWords ? keyword : undefined);
        exact[row] = scored;
        if (isCandidate) candidates.push(row);
        if (change === "deleted") continue;
        insertMemory.run(serial, change === "rewritten" ? 9_999 : serial * 2);
        const bytes = change === "rewritten" ? vector.map((value) => -value) : vector;
        insertVector.run(serial, new Uint8Array(bytes.buffer));
      }
      candidates.sort((a, b) => a - b);
      const passing = candidates
        .flatMap((row) => exact[row] ?? [])
        .filter((each) => each.similarity >= minSimilarity);
      passing.sort(byScore);
      // Others have raised the floor already, to less than the last result.
      const last = passing[topK - 1]?.score ?? Number.NEGATIVE_INFINITY;
      const floor = Float64Array.of(last - 0.1);
      const { best, scored, unread } = exactScores({ query, modelSha256: model, floor }, block, {
        rows: Uint32Array.from(candidates),
        uppers: Float64Array.from(candidates, (row) => (exact[row]?.score ?? 0) + 0.05),
        keywords: hasWords ? Float64Array.from(candidates, (row) => exact[row]?.keyword ?? 0) : null,
      });
      const leftRows = [...unread].map((position) => candidates[position] ?? -1);
      const isChanged = (row: number) => rows[isReversed ? rows.length - 1 - row : row]?.change !== "none";
      expect(leftRows.every(isChanged)).toBe(true);
      const left = leftRows
        .flatMap((row) => exact[row] ?? [])
        .filter((each) => each.similarity >= minSimilarity);
      const all = [...best, ...left].sort(byScore);
      expect(all.slice(0, topK)).toEqual(passing.slice(0, topK));
      expect(best.length).toBeLessThanOrEqual(topK);
      expect(scored + unread.length).toBeLessThanOrEqual(candidates.length);
      expect(floor[0]).toBeLessThanOrEqual(last);
    },
  );
  fc.assert(property, { numRuns: 100 });
});

test("nothing is scored with vectors of another model", () => {
  const block = createRowBlock(dimensions, 64);
  const query = { vector: randomVector(dimensions, 1), topK: 3, minSimilarity: 0 };
  const floor = Float64Array.of(Number.NEGATIVE_INFINITY);
  const candidates = { rows: Uint32Array.of(0, 5), uppers: Float64Array.of(1, 1), keywords: null };
  expect(exactScores({ query, modelSha256: "a-former-model", floor }, block, candidates)).toEqual({
    best: [],
    scored: 0,
    unread: Uint32Array.of(0, 1),
  });
  expect([...floor]).toEqual([Number.NEGATIVE_INFINITY]);
});

test("candidates that others have shown to be too low are not read", () => {
  database.exec("DELETE FROM memory; DELETE FROM memory_vector");
  const block = createRowBlock(dimensions, 64);
  const vector = randomVector(dimensions, 1);
  for (let row = 0; row < 10; row++) {
    const values = {
      serial: row + 1,
      contentRevision: 1,
      importance: 0.5,
      expiresAt: 0,
      tagSet: 0,
      state: 0,
    };
    setRowValues(block, row, values);
    insertMemory.run(row + 1, 1);
    insertVector.run(row + 1, new Uint8Array(vector.buffer));
  }
  const candidates = {
    rows: Uint32Array.from({ length: 10 }, (_, row) => row),
    uppers: Float64Array.from({ length: 10 }, (_, row) => row / 10),
    keywords: null,
  };
  const query = { vector, topK: 3, minSimilarity: 0 };
  const { best, scored } = exactScores(
    { query, modelSha256: model, floor: Float64Array.of(0.6) },
    block,
    candidates,
  );
  expect(scored).toBe(4);
  expect(best.map(({ serial }) => serial)).toEqual([10, 9, 8]);
});
