// Tests what a search and an injection say about the memories that they have not returned.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const { key, id: project } = await app.createProject("custom");

beforeAll(async () => {
  const fact = (content: string, fields: JsonObject = {}) => ({ content, memory_type: "fact", ...fields });
  const memories = [
    fact("The office opens at nine.", { tags: ["office"] }),
    fact("The office opens at eight on Mondays.", { is_active: false, tags: ["office"] }),
    fact("The office opens at ten in August.", { expires_at: "2020-01-01T00:00:00Z" }),
    fact("The office opens late.", { memory_type: "rule" }),
    fact("The office opens for guests at noon."),
    fact("Bananas are yellow."),
  ];
  const { data } = await app.call("POST", "/v1/memories/batch", { key, body: { memories } });
  expect(data).toMatchObject({ created: memories.length });
});

async function ask(path: string, body: JsonObject) {
  const { status, data, text } = await app.call("POST", `/v1/memories/${path}`, { key, body });
  expect({ status, text }).toMatchObject({ status: 200 });
  const contentOf = (result: JsonObject) => String(isObject(result.memory) ? result.memory.content : "");
  const missed = data.missed === undefined ? null : [data.missed].flat().filter(isObject);
  const reasons = new Map((missed ?? []).map((each) => [contentOf(each), each.reasons]));
  return { data, missed, reasons, results: [data.results].flat().filter(isObject) };
}

const query = "When does the office open?";

describe.each(["semantic", "hybrid"])("a search in the mode %s", (mode) => {
  test("says nothing about others unless it is asked to", async () => {
    expect((await ask("search", { query, mode })).missed).toBeNull();
  });

  test("names every condition that a memory does not meet", async () => {
    const asked = { query, mode, memory_type: "fact", tags: ["office"] };
    const { reasons, results, missed } = await ask("search", { ...asked, explain: true });
    // The time of the first search may be written before the second one.
    const withoutAccess = (text: unknown) =>
      JSON.parse(
        JSON.stringify(text).replaceAll(/"last_accessed_at":(null|"[^"]*")/g, '"last_accessed_at":null'),
      );
    expect(withoutAccess(results)).toEqual(withoutAccess((await ask("search", asked)).results));
    expect(results).toHaveLength(1);
    expect(Object.fromEntries(reasons)).toEqual({
      "The office opens at eight on Mondays.": ["inactive"],
      "The office opens at ten in August.": ["tags", "expired"],
      "The office opens late.": ["type", "tags"],
      "The office opens for guests at noon.": ["tags"],
      "Bananas are yellow.": ["tags"],
    });
    const scores = (missed ?? []).map(({ final_score }) => Number(final_score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test("tells the floor from the rank", async () => {
    const { reasons, results } = await ask("search", {
      query,
      mode,
      top_k: 1,
      min_similarity: 0.3,
      explain: true,
    });
    expect(results).toHaveLength(1);
    expect(reasons.get("Bananas are yellow.")).toEqual(["below_floor", "rank"]);
    expect(reasons.get("The office opens for guests at noon.")).toEqual(["rank"]);
  });
});

describe("an injection", () => {
  test("names what does not fit, what is below the floor, and what is not valid", async () => {
    const { reasons, data } = await ask("inject", {
      query,
      max_characters: 0,
      min_similarity: 0.3,
      explain: true,
    });
    expect(data).toMatchObject({ results: [], omitted: 2 });
    expect(Object.fromEntries(reasons)).toEqual({
      "The office opens at nine.": ["budget"],
      "The office opens for guests at noon.": ["budget"],
      "The office opens at eight on Mondays.": ["inactive"],
      "The office opens at ten in August.": ["expired"],
      "Bananas are yellow.": ["below_floor"],
    });
  });

  test("without a query names what is less important", async () => {
    const { missed, results } = await ask("inject", { top_k: 1, explain: true });
    expect(results).toHaveLength(1);
    expect((missed ?? []).map(({ reasons }) => reasons)).toEqual([["rank"], ["rank"]]);
  });
});

test("the record has what was missed, and the memories were not accessed by it", async () => {
  const own = await app.createProject("custom");
  const body = { content: "Only this.", memory_type: "fact", is_active: false };
  await app.call("POST", "/v1/memories/batch", { key: own.key, body: { memories: [body] } });
  await app.call("POST", "/v1/memories/search", { key: own.key, body: { query: "this", explain: true } });
  const record = app.records(own.id).find(({ action }) => action === "memory.search");
  expect(record?.payload.response_body).toMatchObject({
    data: { results: [], missed: [{ reasons: ["inactive"] }] },
  });
  const { data } = await app.call("GET", "/v1/memories", { key: own.key });
  expect(data.memories).toMatchObject([{ last_accessed_at: null }]);
  expect(app.countRecords(project)).toBeGreaterThan(0);
});
