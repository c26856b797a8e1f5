// Changes the embedding model of a server while it serves calls, with two real models. Both have the same dimensions, so that only the
// similarities would show a comparison of vectors of two models: a text and itself have exactly 1 in either.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  beginModelChange,
  cancelModelChange,
} from "../../../../src/calls/operations/model-change/operations.ts";
import { readModelDirectory } from "../../../../src/models/embedding/model-directory.ts";
import { openDatabase } from "../../../../src/platform/native/sqlite.ts";
import { modelCopiesFolder, saveModelCopy } from "../../../../src/server/model/model-copies.ts";
import { startTestApp } from "../../../fixture.ts";
import { writeProjectedModel } from "../../../models/embedding/projected-model.ts";
import { parseExposition } from "../../../server/metrics/exposition-text.ts";
import { runtime } from "../../storage/seam.ts";

setDefaultTimeout(120_000);
const folder = mkdtempSync(join(tmpdir(), "memledger-live-"));
const app = await startTestApp({ "metrics-port": "0" });
const { projectId, config } = app;
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

const dimensions = 384;
const source = readModelDirectory(writeProjectedModel(join(folder, "projected"), dimensions));
const next = { id: source.id, sha256: source.sha256, dimensions };
const contentOf = (number: number) =>
  `The number of this memory is ${number}, and it is about topic ${number % 7}.`;

function read<Value>(sql: string): Value {
  const database = openDatabase(join(config.dataDir, "memledger.db"), runtime, { readonly: true });
  try {
    return database.prepare(sql).get() as Value;
  } finally {
    database.close();
  }
}

const isChanging = () =>
  read<{ n: number }>("SELECT COUNT(*) AS n FROM installation WHERE name = 'next_embedding_model'").n === 1;

/** Repeats work while the model changes, and a few times afterwards. */
async function whileChanging(work: (round: number) => Promise<void>): Promise<number> {
  let round = 0;
  for (let after = 0; after < 3; round++) {
    await work(round);
    if (!isChanging()) after += 1;
  }
  return round;
}

test("calls go on while the model changes, and no vectors of two models are compared", async () => {
  const memories = Array.from({ length: 200 }, (_, number) => ({
    content: contentOf(number),
    memory_type: "fact",
  }));
  const batch = await app.call("POST", "/v1/memories/batch", { body: { memories } });
  expect(batch.status).toBe(200);
  const ids = (batch.data as { results: { id: string }[] }).results.map(({ id }) => id);
  const skip = app.countRecords(null);
  saveModelCopy(config.dataDir, source);
  expect(await app.administer(beginModelChange, next)).toMatchObject({ state: "started" });

  const rounds = await Promise.all([
    whileChanging(async (round) => {
      const query = contentOf(100 + (round % 50));
      const { status, data } = await app.call("POST", "/v1/memories/search", { body: { query, top_k: 1 } });
      expect(status).toBe(200);
      expect(data).toMatchObject({ results: [{ memory: { content: query }, similarity: 1 }] });
    }),
    whileChanging(async (round) => {
      const body = { content: `Created while the model changes, ${round}.`, memory_type: "context" };
      expect((await app.call("POST", "/v1/memories", { body })).status).toBe(201);
    }),
    whileChanging(async (round) => {
      const body = { content: `Updated while the model changes, ${round}.` };
      expect((await app.call("PUT", `/v1/memories/${ids[round % 20]}`, { body })).status).toBe(200);
    }),
    whileChanging(async (round) => {
      if (round < 30) expect((await app.call("DELETE", `/v1/memories/${ids[30 + round]}`)).status).toBe(204);
      else await app.call("GET", "/v1/memories");
    }),
    whileChanging(async (round) => {
      const body = { text: `I have moved to Porto in ${2000 + round}. I prefer tea in the morning.` };
      expect((await app.call("POST", "/v1/memories/extract", { body })).status).toBe(200);
    }),
  ]);
  expect(Math.min(...rounds)).toBeGreaterThan(3);

  expect(
    read<unknown>(
      `SELECT COUNT(*) AS memories, COUNT(v.memory) AS vectors, (SELECT value ->> 'sha256' FROM installation
         WHERE name = 'embedding_model') AS model FROM memory m LEFT JOIN memory_vector v ON v.memory = m.serial`,
    ),
  ).toMatchObject({ model: next.sha256 });
  const { memories: count, vectors } = read<{ memories: number; vectors: number }>(
    "SELECT COUNT(*) AS memories, COUNT(v.memory) AS vectors FROM memory m LEFT JOIN memory_vector v ON v.memory = m.serial",
  );
  expect(vectors).toBe(count);
  // Each text and itself, through searches with the new model: nothing has kept a vector of the previous one.
  const listed = await app.call("GET", "/v1/memories?page_size=100");
  const { memories: rows } = listed.data as { memories: { content: string }[] };
  for (const { content: query } of rows.slice(0, 60)) {
    const { data } = await app.call("POST", "/v1/memories/search", { body: { query, top_k: 1 } });
    expect(data).toMatchObject({ results: [{ similarity: 1 }] });
  }
  const records = app.records(null, skip).map(({ action, status }) => [action, status]);
  expect(records).toContainEqual(["model.begin_change", 200]);
  expect(records).toContainEqual(["model.change", 200]);
  while (read<{ n: number }>("SELECT COUNT(*) AS n FROM memory_vector_next").n > 0) await Bun.sleep(20);
  expect(app.complaints).toEqual([]);
  const metrics = parseExposition(await (await fetch(String(app.metricsUrl))).text());
  expect(metrics.get("memledger_build_info")?.samples.map(({ labels }) => labels.model)).toEqual([next.id]);
});

test("a server that was changed needs no setting at its next start", async () => {
  await app.restart();
  const { data } = await app.call("POST", "/v1/memories/search", {
    body: { query: contentOf(110), top_k: 1 },
  });
  expect(data).toMatchObject({ results: [{ memory: { content: contentOf(110) }, similarity: 1 }] });
  expect(readdirSync(modelCopiesFolder(config.dataDir))).toEqual([next.sha256]);
});

test("a change without the copy of its model fails, is reported and can be cancelled", async () => {
  const lost = { id: "lost", sha256: "e".repeat(64), dimensions };
  await app.administer(beginModelChange, lost);
  const failure =
    "SELECT value ->> 'failure' AS failure FROM installation WHERE name = 'next_embedding_model'";
  while (read<{ failure: string | null }>(failure).failure === null) await Bun.sleep(20);
  expect(read<{ failure: string }>(failure).failure).toContain("has no copy of the model lost");
  const search = { body: { query: contentOf(110), top_k: 1 } };
  expect((await app.call("POST", "/v1/memories/search", search)).status).toBe(200);
  expect(await app.administer(cancelModelChange, {})).toMatchObject({ cancelled: lost, model: next });
  expect(app.complaints.splice(0).join("\n")).toContain("the change of the embedding model failed");
  expect(projectId).not.toBe("");
});
