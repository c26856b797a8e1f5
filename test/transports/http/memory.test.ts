// Proves creating, reading, listing and searching memories over HTTP: what is answered and what the ledger keeps of it.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { createMemory, expectClean, runScenarios } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const recordedFor = app.projectId;
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const unknownId = "019a2b3c4d5e7f708192a3b4c5d6e7f8";

const create = (content: string, fields: JsonObject = {}, key = app.apiKey) =>
  createMemory(app, { content, memory_type: "fact", ...fields }, key);

const fact = await create("Our office cat is called Ada.", { importance: 0.25 });
const held = await create("The build runs on every push.");
const otherProject = await app.createProject("basic");
const foreign = await create("Nobody else may read this.", {}, otherProject.key);

describe("create", () => {
  runScenarios(app, [
    {
      name: "fills in the defaults and records the memory",
      method: "POST",
      path: "/v1/memories",
      options: {
        body: { content: "Deploys happen on Tuesdays.", memory_type: "rule" },
        headers: { "X-Audit-Metadata": '{"ticket":"OPS-17","who":"Zoë"}', "User-Agent": "scenario/1 Zoë" },
      },
      status: 201,
      code: 1000,
      data: {
        content: "Deploys happen on Tuesdays.",
        memory_type: "rule",
        importance: 0.5,
        is_active: true,
        last_accessed_at: null,
        expires_at: null,
      },
      recordedFor,
      payload: {
        ip_address: "127.0.0.1",
        user_agent: "scenario/1 Zoë",
        metadata: { ticket: "OPS-17", who: "Zoë" },
        request_body: { content: "Deploys happen on Tuesdays.", memory_type: "rule" },
        response_body: { success: true, code: 1000, data: { content: "Deploys happen on Tuesdays." } },
      },
    },
    {
      name: "takes an expiry with an offset and answers it in UTC",
      method: "POST",
      path: "/v1/memories",
      options: {
        body: {
          content: "The freeze ends soon.",
          memory_type: "context",
          importance: 1,
          expires_at: "2030-01-01T01:00:00+01:00",
        },
      },
      status: 201,
      code: 1000,
      data: { memory_type: "context", importance: 1, expires_at: "2030-01-01T00:00:00.000Z" },
      recordedFor,
    },
    {
      name: "refuses the same content and names its holder",
      method: "POST",
      path: "/v1/memories",
      options: { body: { content: "  The build   runs on every push.\n", memory_type: "rule" } },
      status: 409,
      code: 2104,
      data: { memory_id: held },
      recordedFor,
      payload: { error_msg: expect.stringContaining(held) },
    },
    {
      name: "refuses audit metadata that is no JSON object",
      method: "POST",
      path: "/v1/memories",
      options: {
        body: { content: "Never stored.", memory_type: "fact" },
        headers: { "X-Audit-Metadata": "[1]" },
      },
      status: 400,
      code: 1400,
      message: /X-Audit-Metadata/,
      recordedFor,
    },
  ]);

  test("refuses one more than the plan's limit", async () => {
    const small = await app.createProject("basic", { memory_limit: 1 });
    await create("The only one.", {}, small.key);
    const body = { content: "One too many.", memory_type: "fact" };
    const reply = await app.call("POST", "/v1/memories", { key: small.key, body });
    expectClean(reply, "POST", "/v1/memories");
    expect(reply).toMatchObject({ status: 400, code: 2101, data: { memory_limit: 1 } });
    expect(app.records(small.id).map(({ status }) => status)).toEqual([201, 400]);
  });
});

describe("read", () => {
  runScenarios(app, [
    {
      name: "answers the whole memory",
      method: "GET",
      path: `/v1/memories/${fact}`,
      status: 200,
      code: 1000,
      data: { id: fact, content: "Our office cat is called Ada.", importance: 0.25 },
      recordedFor,
    },
    {
      name: "knows no memory with an unused id",
      method: "GET",
      path: `/v1/memories/${unknownId}`,
      status: 404,
      code: 2100,
      recordedFor,
    },
    {
      name: "answers for another project's memory as if there were none",
      method: "GET",
      path: `/v1/memories/${foreign}`,
      status: 404,
      code: 2100,
      recordedFor,
    },
    {
      name: "takes no parameters",
      method: "GET",
      path: `/v1/memories/${fact}?memory_id=${held}`,
      status: 400,
      code: 1400,
      data: { field: "memory_id" },
      recordedFor,
    },
  ]);

  test("has exactly the contract's fields, and notes that it happened", async () => {
    const reply = await app.call("GET", `/v1/memories/${held}`);
    expect(reply.data).toEqual({
      id: held,
      content: "The build runs on every push.",
      memory_type: "fact",
      importance: 0.5,
      is_active: true,
      created_at: expect.stringMatching(timestamp),
      updated_at: expect.stringMatching(timestamp),
      last_accessed_at: null,
      expires_at: null,
    });
    let accessed: unknown = null;
    for (let seconds = 0; accessed === null && seconds < 50; seconds++) {
      app.passTime(1_000);
      const { data } = await app.call("GET", `/v1/memories/${held}`);
      accessed = data.last_accessed_at;
    }
    expect(accessed).toMatch(timestamp);
  });
});

describe("list", () => {
  runScenarios(app, [
    {
      name: "answers a page",
      method: "GET",
      path: "/v1/memories?memory_type=fact&page=1&page_size=1&sort_by=created_at&sort_dir=asc",
      status: 200,
      code: 1000,
      data: { memories: [{ id: fact }], pagination: { page: 1, page_size: 1, total: 2, total_pages: 2 } },
      recordedFor,
    },
    {
      name: "answers an empty page beyond the last one",
      method: "GET",
      path: "/v1/memories?page=99",
      status: 200,
      code: 1000,
      data: { memories: [], pagination: { page: 99, page_size: 20 } },
      recordedFor,
    },
  ]);

  test("sorts newest first without parameters, and by importance on request", async () => {
    const project = await app.createProject("pro");
    for (const [index, importance] of [0.2, 0.9, 0.5].entries()) {
      await create(`Number ${index}.`, { importance }, project.key);
    }
    const contents = async (query: string) => {
      const { data } = await app.call("GET", `/v1/memories${query}`, { key: project.key });
      const { memories } = data;
      return Array.isArray(memories) ? memories.map((memory) => isObject(memory) && memory.content) : [];
    };
    expect(await contents("")).toEqual(["Number 2.", "Number 1.", "Number 0."]);
    expect(await contents("?sort_by=importance")).toEqual(["Number 1.", "Number 2.", "Number 0."]);
    expect(await contents("?sort_by=importance&sort_dir=asc")).toEqual([
      "Number 0.",
      "Number 2.",
      "Number 1.",
    ]);
  });
});

describe("search", () => {
  runScenarios(app, [
    {
      name: "finds by meaning",
      method: "POST",
      path: "/v1/memories/search",
      options: { body: { query: "What is the name of the pet at work?", memory_type: "fact", top_k: 1 } },
      status: 200,
      code: 1000,
      data: {
        query: "What is the name of the pet at work?",
        total: 1,
        results: [{ memory: { id: fact } }],
      },
      recordedFor,
      payload: { request_body: { top_k: 1 } },
    },
    {
      name: "answers nothing above an unreachable similarity",
      method: "POST",
      path: "/v1/memories/search",
      options: { body: { query: "Quantum chromodynamics", min_similarity: 1 } },
      status: 200,
      code: 1000,
      data: { results: [], total: 0 },
      recordedFor,
    },
  ]);

  test("finds a memory by its own text at the highest threshold, and nothing else", async () => {
    const { key } = await app.createProject("pro");
    const texts = ["Ada", "Tea is at four.", "größe & 数据 🙂", "The invoice of May is paid. ".repeat(40)];
    // Together, so that a model which can embeds them in one batch; the queries come one by one.
    const ids = await Promise.all(texts.map((text) => create(text, { importance: 0 }, key)));
    for (const [at, query] of texts.entries())
      for (const mode of ["semantic", "hybrid"]) {
        const { data } = await app.call("POST", "/v1/memories/search", {
          key,
          body: { query, mode, min_similarity: 1 },
        });
        expect(data.results).toMatchObject([{ memory: { id: ids[at] }, similarity: 1 }]);
      }
  });

  test("scores as the contract says and never answers another project's memories", async () => {
    const { data } = await app.call("POST", "/v1/memories/search", { body: { query: "read", top_k: 50 } });
    const results = Array.isArray(data.results) ? data.results.filter(isObject) : [];
    expect(results.length).toBeGreaterThan(2);
    const scores = results.map(({ memory, similarity, final_score, ...more }) => {
      expect(more).toEqual({});
      const importance = isObject(memory) ? Number(memory.importance) : Number.NaN;
      expect(final_score).toBe(Number(similarity) * 0.7 + importance * 0.3);
      expect(isObject(memory) && memory.id).not.toBe(foreign);
      return Number(final_score);
    });
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
});
