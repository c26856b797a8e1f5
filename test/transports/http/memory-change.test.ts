// Proves updating and deleting memories over HTTP: what is answered, what is left, and what the ledger keeps of it.

import { afterAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { createMemory, expectClean, runScenarios } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const recordedFor = app.projectId;
const create = (content: string, fields: JsonObject = {}, key = app.apiKey) =>
  createMemory(app, { content, memory_type: "fact", ...fields }, key);

const unknownId = "019a2b3c4d5e7f708192a3b4c5d6e7f8";
const changed = await create("Lunch is at noon.");
const held = await create("The build runs on every push.");
const doomed = await create("This goes away.");
const other = await app.createProject("basic");
const foreign = await create("Nobody else may change this.", {}, other.key);

describe("update", () => {
  runScenarios(app, [
    {
      name: "changes only what is sent",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { importance: 0.9, is_active: false, expires_at: "2031-01-01T00:00:00Z" } },
      status: 200,
      code: 1000,
      data: {
        id: changed,
        content: "Lunch is at noon.",
        memory_type: "fact",
        importance: 0.9,
        is_active: false,
        expires_at: "2031-01-01T00:00:00.000Z",
      },
      recordedFor,
      payload: { request_body: { importance: 0.9 } },
    },
    {
      name: "clears the expiry with null and takes a new content and type",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: {
        body: { content: "Lunch is at one.", memory_type: "context", is_active: true, expires_at: null },
      },
      status: 200,
      code: 1000,
      data: { content: "Lunch is at one.", memory_type: "context", is_active: true, expires_at: null },
      recordedFor,
    },
    {
      name: "refuses a change of a memory that was changed meanwhile",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { content: "Lunch is at two.", if_updated_at: "2026-11-21T09:30:00Z" } },
      status: 409,
      code: 2108,
      data: { updated_at: expect.stringMatching(/Z$/) },
      recordedFor,
    },
    {
      name: "refuses a precondition without a change",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { if_updated_at: "2026-11-21T09:30:00Z" } },
      status: 400,
      code: 1400,
      recordedFor,
    },
    {
      name: "refuses a precondition that is no time",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { importance: 0.1, if_updated_at: "yesterday" } },
      status: 400,
      code: 1400,
      data: { field: "if_updated_at" },
      recordedFor,
    },
    {
      name: "refuses the content of another memory",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { content: "The build runs on every push." } },
      status: 409,
      code: 2104,
      data: { memory_id: held },
      recordedFor,
    },
    {
      name: "accepts the memory's own content",
      method: "PUT",
      path: `/v1/memories/${held}`,
      options: { body: { content: "The build runs on every push." } },
      status: 200,
      code: 1000,
      recordedFor,
    },
    {
      name: "wants something to change",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: {} },
      status: 400,
      code: 1400,
      message: /at least one of content, memory_type, importance, is_active, expires_at/,
      recordedFor,
    },
    {
      name: "wants a body",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      status: 400,
      code: 1400,
      message: /at least one of/,
      recordedFor,
    },
    {
      name: "takes the id from the path only",
      method: "PUT",
      path: `/v1/memories/${changed}`,
      options: { body: { memory_id: held, importance: 0 } },
      status: 400,
      code: 1400,
      data: { field: "memory_id" },
      recordedFor,
    },
    {
      name: "knows no memory with an unused id",
      method: "PUT",
      path: `/v1/memories/${unknownId}`,
      options: { body: { importance: 0 } },
      status: 404,
      code: 2100,
      recordedFor,
    },
    {
      name: "does not reach another project's memory",
      method: "PUT",
      path: `/v1/memories/${foreign}`,
      options: { body: { importance: 0 } },
      status: 404,
      code: 2100,
      recordedFor,
    },
  ]);

  test("gives every change a later time, so that one of two people who change the same version is refused", async () => {
    const id = await create("The kitchen is on the second floor.");
    const put = (body: JsonObject) => app.call("PUT", `/v1/memories/${id}`, { body });
    const times: number[] = [];
    for (let round = 0; round < 10; round++) {
      const { updated_at } = (await app.call("GET", `/v1/memories/${id}`)).data;
      times.push(Date.parse(String(updated_at)));
      const codes = await Promise.all(
        [0, 1, 2].map(async (person) => {
          const importance = (1 + 3 * round + person) / 100;
          return (await put({ importance, if_updated_at: updated_at ?? null })).code;
        }),
      );
      expect(codes.toSorted()).toEqual([1000, 2108, 2108]);
    }
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(new Set(times).size).toBe(times.length);
  });

  test("makes a changed content findable by its new meaning, and an inactive memory not at all", async () => {
    const id = await create("The printer is on the second floor.");
    const best = async () => {
      const body = { query: "Which animals live in the sea?", top_k: 1, min_similarity: 0.3 };
      return (await app.call("POST", "/v1/memories/search", { body })).data;
    };
    const change = (body: JsonObject) => app.call("PUT", `/v1/memories/${id}`, { body });
    await change({ content: "Whales and dolphins live in the sea." });
    expect(await best()).toMatchObject({ results: [{ memory: { id } }] });
    await change({ is_active: false });
    expect(await best()).not.toMatchObject({ results: [{ memory: { id } }] });
    expect((await app.call("GET", `/v1/memories/${id}`)).data).toMatchObject({ is_active: false });
  });
});

describe("delete", () => {
  runScenarios(app, [
    {
      name: "answers 204 without a body",
      method: "DELETE",
      path: `/v1/memories/${doomed}`,
      status: 204,
      code: null,
      recordedFor,
    },
    {
      name: "knows the memory no longer",
      method: "DELETE",
      path: `/v1/memories/${doomed}`,
      status: 404,
      code: 2100,
      recordedFor,
    },
    {
      name: "does not reach another project's memory",
      method: "DELETE",
      path: `/v1/memories/${foreign}`,
      status: 404,
      code: 2100,
      recordedFor,
    },
    {
      name: "takes no fields",
      method: "DELETE",
      path: `/v1/memories/${held}`,
      options: { body: { memory_type: "fact" } },
      status: 400,
      code: 1400,
      data: { field: "memory_type" },
      recordedFor,
    },
  ]);
});

describe("bulk delete", () => {
  const count = async (key: string) => (await app.call("GET", "/v1/memories", { key })).data.pagination;

  test("removes one type, then everything, of one project only", async () => {
    const { id, key } = await app.createProject("business");
    for (const memory_type of ["fact", "fact", "context", "rule"]) {
      await create(`A ${memory_type} ${crypto.randomUUID()}.`, { memory_type }, key);
    }
    const removal = (options: object) => app.call("DELETE", "/v1/memories", { key, ...options });
    expect((await removal({ body: { memory_type: "fact" } })).data).toEqual({ deleted_count: 2 });
    expect(await count(key)).toMatchObject({ total: 2 });
    expect((await removal({})).data).toEqual({ deleted_count: 2 });
    expect(await count(key)).toMatchObject({ total: 0 });
    expect((await removal({ body: {} })).data).toEqual({ deleted_count: 0 });
    expect(await count(other.key)).toMatchObject({ total: 1 });
    expect(app.records(id).filter(({ action }) => action === "memory.delete_all").length).toBe(3);
  });

  const harmless: [name: string, path: string, body: unknown][] = [
    ["a body that is cut off", "/v1/memories", '{"memory_type":"fa'],
    ["null", "/v1/memories", null],
    ["an array", "/v1/memories", []],
    ["a type of null", "/v1/memories", { memory_type: null }],
    ["an unknown type", "/v1/memories", { memory_type: "facts" }],
    ["an unknown field", "/v1/memories", { type: "fact" }],
    ["the type in the query", "/v1/memories?memory_type=fact", undefined],
    ["an id forgotten at the end of the path", "/v1/memories/", undefined],
    ["an id that is a dot", "/v1/memories/.", undefined],
    ["a path in other letters", "/V1/memories", undefined],
  ];
  for (const [name, path, body] of harmless) {
    test(`deletes nothing for ${name}`, async () => {
      const reply = await app.call("DELETE", path, { key: other.key, body });
      expectClean(reply, "DELETE", path);
      expect([400, 404]).toContain(reply.status);
      expect(await count(other.key)).toMatchObject({ total: 1 });
    });
  }
});
