// Proves hybrid search over HTTP: words find what meaning does not, scores are explained, and a semantic search stays what it was.

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { startTestApp } from "../../fixture.ts";
import { runScenarios } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const create = async (content: string, fields: JsonObject = {}): Promise<string> => {
  const { data } = await app.call("POST", "/v1/memories", {
    body: { content, memory_type: "fact", ...fields },
  });
  return String(data.id);
};
const search = async (body: JsonObject): Promise<JsonObject[]> => {
  const { data } = await app.call("POST", "/v1/memories/search", { body });
  return Array.isArray(data.results) ? data.results.filter(isObject) : [];
};
const contentOf = ({ memory }: JsonObject) => (isObject(memory) ? memory.content : null);

const incident = "Restart the box in the cellar when it shows ERR_4711.";
await create(incident, { importance: 0.1 });
for (const content of [
  "The printer on the second floor is often out of paper.",
  "Error messages are written in plain English.",
  "Codes of conduct are reviewed every year.",
  "Bugs are triaged on Mondays.",
  "The build fails when a test is flaky.",
])
  await create(content, { importance: 0.5 });

const path = "/v1/memories/search";
const recordedFor = app.projectId;

describe("hybrid search", () => {
  runScenarios(app, [
    {
      name: "finds an identifier that means nothing",
      method: "POST",
      path,
      options: { body: { query: "ERR_4711", mode: "hybrid", top_k: 1 } },
      status: 200,
      code: 1000,
      data: { results: [{ memory: { content: incident } }], total: 1, query: "ERR_4711" },
      recordedFor,
      payload: { request_body: { mode: "hybrid" } },
    },
    ...[
      ["another mode", { query: "x", mode: "keyword" }],
      ["no mode", { query: "x", mode: null }],
      ["a mode in capitals", { query: "x", mode: "Hybrid" }],
    ].map(([name, body]) => ({
      name: `refuses ${name}`,
      method: "POST",
      path,
      options: { body },
      status: 400,
      code: 1400,
      data: { field: "mode" },
      recordedFor,
    })),
    ...['"', "a AND", "NEAR(", "* ^", "words:x", "(((", "'; DROP TABLE memory; --", "-", "🎉"].map(
      (query) => ({
        name: `takes ${query} for words and never for syntax`,
        method: "POST",
        path,
        options: { body: { query, mode: "hybrid" } },
        status: 200,
        code: 1000,
        data: { query, total: 6 },
        recordedFor,
      }),
    ),
  ]);

  test("explains its scores, with the similarity that a semantic search gives", async () => {
    const query = "What does ERR_4711 mean?";
    const [hybrid, semantic] = [await search({ query, mode: "hybrid" }), await search({ query })];
    const similarityOf = new Map(semantic.map((hit) => [contentOf(hit), hit.similarity]));
    expect(hybrid).toHaveLength(6);
    for (const { memory, similarity = null, final_score, score_details, ...more } of hybrid) {
      expect(more).toEqual({});
      if (!isObject(score_details) || !isObject(memory)) throw new Error("a result is incomplete");
      const { keyword, relevance, importance, ...rest } = score_details;
      expect(rest).toEqual({ similarity });
      expect(similarity).toBe(similarityOf.get(memory.content ?? null) ?? null);
      expect(importance).toBe(memory.importance);
      expect(final_score).toBe(Number(relevance) * 0.7 + Number(importance) * 0.3);
      expect(Number(relevance)).toBeGreaterThanOrEqual(Number(similarity));
      expect(Number(keyword) > 0).toBe(Number(relevance) > Number(similarity));
    }
    const scores = hybrid.map(({ final_score }) => Number(final_score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(contentOf(hybrid[0] ?? {})).toBe(incident);
  });

  test("leaves a semantic search as it was, with or without its name", async () => {
    const body = { query: "What does ERR_4711 mean?", top_k: 3 };
    const [plain, named] = [
      await app.call("POST", path, { body }),
      await app.call("POST", path, { body: { ...body, mode: "semantic" } }),
    ];
    expect(named.text).toBe(plain.text);
    expect(plain.text).not.toContain("score_details");
  });

  test("filters by similarity, type, expiry and activity as any search", async () => {
    const word = "xylophone4812";
    const [expired, inactive] = [
      await create(`${word} expired`, { expires_at: "2020-01-01T00:00:00Z" }),
      await create(`${word} inactive`),
    ];
    await app.call("PUT", `/v1/memories/${inactive}`, { body: { is_active: false } });
    await create(`${word} rule`, { memory_type: "rule" });
    await create(`${word} fact`);
    const found = async (fields: JsonObject = {}) => {
      const hits = await search({ query: word, mode: "hybrid", top_k: 50, ...fields });
      const met = hits.filter(
        ({ score_details }) => isObject(score_details) && Number(score_details.keyword) > 0,
      );
      return met.map((hit) => String(contentOf(hit)).split(" ")[1]).sort();
    };
    expect(await found()).toEqual(["fact", "rule"]);
    expect(await found({ memory_type: "rule" })).toEqual(["rule"]);
    expect(await found({ include_expired: true })).toEqual(["expired", "fact", "rule"]);
    expect(await found({ include_inactive: true })).toEqual(["fact", "inactive", "rule"]);
    expect(await found({ min_similarity: 1 })).toEqual([]);
    await app.call("DELETE", `/v1/memories/${expired}`);
  });

  test("sees a write that was answered, at once", async () => {
    for (let at = 0; at < 20; at++) {
      const word = `fresh${at}word`;
      const id = await create(`A note about ${word}.`);
      const first = async () => contentOf((await search({ query: word, mode: "hybrid", top_k: 1 }))[0] ?? {});
      expect(await first()).toBe(`A note about ${word}.`);
      await app.call("PUT", `/v1/memories/${id}`, { body: { content: `Changed, about ${word}s.` } });
      expect(await first()).toBe(`Changed, about ${word}s.`);
      await app.call("DELETE", `/v1/memories/${id}`);
      expect(String(await first())).not.toContain(word);
    }
  });

  test("a dry run of an extraction leaves no word behind", async () => {
    const text = "I always drink zyzzogeton tea. We decided to deploy with zyzzogeton from now on.";
    const database = openDatabase(
      join(app.config.dataDir, "memledger.db"),
      prepareRuntime("unused-from-source"),
    );
    database.exec("CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, memory_word, row)");
    const count = database.prepare("SELECT COUNT(*) FROM word WHERE term LIKE 'zyzz%'").pluck();
    const dry = await app.call("POST", "/v1/memories/extract", { body: { text, dry_run: true } });
    expect(JSON.stringify(dry.data.extracted)).toContain("zyzzogeton");
    expect(count.get()).toBe(0);
    await app.call("POST", "/v1/memories/extract", { body: { text } });
    expect(count.get()).toBe(1);
    database.close();
  });

  test("says in the record whether words or meaning brought a memory", async () => {
    await search({ query: "4711", mode: "hybrid", top_k: 2 });
    const { data } = await app.call("GET", "/v1/audit/logs?action=memory.search&page_size=1");
    const [record] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    const detail = await app.call("GET", `/v1/audit/logs/${record?.id}`);
    expect(detail.data.memory_results).toEqual([
      expect.objectContaining({ content: incident, source: "keyword" }),
      expect.objectContaining({ source: "semantic" }),
    ]);
  });
});

test("a misspelt word finds the memories with the word that was meant, by its keyword score", async () => {
  const found = await search({ query: "flacky bulid", mode: "hybrid" });
  expect(contentOf(found[0] ?? {})).toBe("The build fails when a test is flaky.");
  expect(found[0]).toMatchObject({ score_details: { keyword: 1 } });
  // Another number is not an error, and a word that the project has means itself.
  const numbers = await search({ query: "ERR_4712", mode: "hybrid" });
  expect(Number(Object(numbers[0]).score_details?.keyword ?? 0)).toBeLessThan(1);
  const other = await app.createProject("basic");
  await app.call("POST", "/v1/memories", {
    key: other.key,
    body: { content: "The bulid is a boat.", memory_type: "fact" },
  });
  expect(contentOf((await search({ query: "flacky bulid", mode: "hybrid" }))[0] ?? {})).toBe(
    "The build fails when a test is flaky.",
  );
  // A word that is written so somewhere in the project is no error any more.
  await create("Mr Bulid fixes the boiler.");
  const known = await search({ query: "bulid", mode: "hybrid", top_k: 1 });
  expect(contentOf(known[0] ?? {})).toBe("Mr Bulid fixes the boiler.");
});
