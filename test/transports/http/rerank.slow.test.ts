// Proves reranking over HTTP: who may ask for it, what it changes in an answer, that its order is the one of its scores, and what a call
// gets that cannot have it. The choice of a call and the setting are tested against each other.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { writeProjectedModel } from "../../models/embedding/projected-model.ts";
import { runScenarios } from "./scenario.ts";

const contents = [
  "[8 May 2023] Melanie: I painted the lake last year.",
  "[8 May 2023] Caroline: Did you paint the lake by the house?",
  "[9 May 2023] Caroline: The lake by the house is frozen.",
  "[9 May 2023] Melanie: My kids love the museum.",
  ...Array.from({ length: 60 }, (_, at) => `[10 May 2023] Caroline: Lake number ${at} is on the map.`),
];
const query = "When did Melanie paint the lake?";
const [search, inject] = ["/v1/memories/search", "/v1/memories/inject"];

async function startFilled(flags: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = await startTestApp(flags);
  for (const [at, content] of contents.entries()) {
    const body = { content, memory_type: "fact", importance: (at % 5) / 4 };
    await app.call("POST", "/v1/memories", { body });
  }
  return app;
}

const app = await startFilled({ rerank: "off" });
afterAll(() => app.stop());
const ask = async (path: string, body: JsonObject, server = app): Promise<JsonObject> =>
  (await server.call("POST", path, { body: { query, ...body } })).data;
const hitsOf = ({ results }: JsonObject) => (Array.isArray(results) ? results.filter(isObject) : []);
const detailsOf = ({ score_details: details }: JsonObject) => (isObject(details) ? details : {});
const contentOf = ({ memory }: JsonObject) => (isObject(memory) ? String(memory.content) : "");

runScenarios(app, [
  ...[
    ["a search by meaning", search, { query, rerank: "on" }],
    ["an injection without a query", inject, { rerank: "on" }],
    ["another choice", search, { query, mode: "hybrid", rerank: "yes" }],
  ].map(([name, path, body]) => ({
    name: `refuses rerank for ${name}, and says what to do`,
    method: "POST",
    path: String(path),
    options: { body },
    status: 400,
    code: 1400,
    data: { field: "rerank" },
    recordedFor: app.projectId,
  })),
  {
    name: "records that a search was reranked",
    method: "POST",
    path: search,
    options: { body: { query, mode: "hybrid", rerank: "on", top_k: 1 } },
    status: 200,
    code: 1000,
    data: { reranked: true, results: [{ memory: { content: contents[0] ?? "" } }] },
    recordedFor: app.projectId,
    payload: { request_body: { rerank: "on" }, response_body: { data: { reranked: true } } },
  },
]);

describe.each([
  ["a hybrid search", search, { mode: "hybrid" }],
  ["an injection", inject, { min_similarity: 0 }],
])("%s", (_, path, fields) => {
  test("has results whose scores follow from their parts, and the order of their scores", async () => {
    const data = await ask(path, { ...fields, rerank: "on", top_k: 40 });
    const hits = hitsOf(data);
    expect(data.reranked).toBe(true);
    expect(hits).toHaveLength(40);
    for (const hit of hits) {
      const { relevance, importance, rerank } = detailsOf(hit);
      if (!isObject(rerank)) throw new Error("a result was not judged");
      const sum = Number(relevance) + Number(rerank.max_sim) + 0.3 * Number(rerank.period);
      expect(Number(rerank.relevance)).toBeCloseTo(Math.min(1, Math.max(0, sum - 0.5) / 1.5), 12);
      expect(hit.final_score).toBe(Number(rerank.relevance) * 0.7 + Number(importance) * 0.3);
    }
    const scores = hits.map(({ final_score }) => Number(final_score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test("chooses among at least 32 memories, which are the best ones of the hybrid order", async () => {
    const plain = hitsOf(await ask(path, { ...fields, rerank: "off", top_k: 32 })).map(contentOf);
    const all = hitsOf(await ask(path, { ...fields, rerank: "on", top_k: 32 })).map(contentOf);
    expect(all.toSorted()).toEqual(plain.toSorted());
    expect(all).not.toEqual(plain);
    for (const topK of [1, 5, 31]) {
      const some = hitsOf(await ask(path, { ...fields, rerank: "on", top_k: topK })).map(contentOf);
      expect(some).toEqual(all.slice(0, topK));
    }
  });

  test("has the same answer each time, and nothing new without reranking", async () => {
    const again = async (rerank: string) =>
      JSON.stringify(
        hitsOf(await ask(path, { ...fields, rerank })).map(({ memory, ...scores }) => [
          contentOf({ memory: memory ?? null }),
          scores,
        ]),
      );
    expect(await again("on")).toBe(await again("on"));
    expect(await again("off")).toBe(await again("off"));
    const text = JSON.stringify(await ask(path, { ...fields }));
    expect(text).not.toContain("rerank");
  });

  test("explains what was not returned", async () => {
    const data = await ask(path, { ...fields, rerank: "on", top_k: 3, explain: true });
    const missed = Array.isArray(data.missed) ? data.missed.filter(isObject) : [];
    expect(missed).toHaveLength(10);
    expect(missed.every(({ reasons }) => Array.isArray(reasons) && reasons.includes("rank"))).toBe(true);
    const returned = hitsOf(data).map(contentOf);
    expect(missed.map(contentOf).filter((content) => returned.includes(content))).toEqual([]);
  });
});

test("leaves a search by meaning as it is, whatever the choice is", async () => {
  // The first search may have ended as the time of an access was written.
  const found = async (fields: object) =>
    (await app.call("POST", search, { body: { query, ...fields } })).text.replaceAll(
      /"last_accessed_at":(null|"[^"]*")/g,
      "",
    );
  const plain = await found({});
  for (const rerank of ["auto", "off"]) expect(await found({ rerank })).toBe(plain);
});

test("finds no memory in an empty project, and says nothing wrong", async () => {
  const { key } = await app.createProject("custom");
  const { data } = await app.call("POST", search, { key, body: { query, mode: "hybrid", rerank: "on" } });
  expect(data).toMatchObject({ results: [], total: 0, reranked: true });
});

test("the setting decides for calls that do not choose, over MCP too", async () => {
  const server = await startFilled({ rerank: "on" });
  const hybrid = { mode: "hybrid", top_k: 3 };
  expect((await ask(search, hybrid, server)).reranked).toBe(true);
  expect((await ask(inject, {}, server)).reranked).toBe(true);
  expect((await ask(search, { ...hybrid, rerank: "off" }, server)).reranked).toBeUndefined();
  expect((await ask(search, {}, server)).reranked).toBeUndefined();
  expect((await server.call("POST", inject, { body: {} })).data.reranked).toBeUndefined();
  const tool = { name: "memory_search", arguments: { query, top_k: 3 } };
  const answer = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${server.apiKey}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2025-06-18",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: tool }),
  });
  expect(await answer.text()).toContain("painted the lake last year");
  const [record] = server.records(server.projectId).slice(-1);
  expect(record).toMatchObject({ action: "memory.search", payload: { transport: "mcp" } });
  expect(JSON.stringify(record?.payload)).toContain('"reranked":true');
  await server.stop();
});

test("after the deadline a call gets the hybrid order, and the next one finds the rest done", async () => {
  const server = await startFilled({ rerank: "auto", "rerank-deadline-ms": "1" });
  const hybrid = { mode: "hybrid", top_k: 40 };
  const plain = hitsOf(await ask(search, { ...hybrid, rerank: "off" }, server)).map(contentOf);
  const late = await ask(search, hybrid, server);
  expect(late.reranked).toBe(false);
  expect(hitsOf(late).map(contentOf)).toEqual(plain);
  expect(JSON.stringify(late)).not.toContain("max_sim");
  expect((await ask(search, { ...hybrid, rerank: "on" }, server)).reranked).toBe(true);
  await server.stop();
});

test("a model without a reranker keeps the hybrid order, and says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-headless-"));
  const server = await startTestApp({ model: writeProjectedModel(join(folder, "model")), rerank: "on" });
  await server.call("POST", "/v1/memories", { body: { content: contents[0], memory_type: "fact" } });
  const data = await ask(search, { mode: "hybrid", rerank: "on" }, server);
  expect(data).toMatchObject({ reranked: false, total: 1 });
  await server.stop();
  rmSync(folder, { recursive: true });
});
