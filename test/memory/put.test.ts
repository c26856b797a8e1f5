// Checks over HTTP that the memory of a source id is created or replaced, whatever was there before, and what the records and the history
// say about it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const put = (source: string, body: JsonObject, key?: string) =>
  app.call("PUT", `/v1/memories/by-source/${encodeURIComponent(source)}`, {
    body: { memory_type: "fact", ...body },
    ...(key === undefined ? {} : { key }),
  });
const search = async (query: string) => {
  const { data } = await app.call("POST", "/v1/memories/search", { body: { query, top_k: 1 } });
  return (data.results as JsonObject[]).map(({ memory }) => (memory as JsonObject).id);
};

test("a memory is created, replaced completely, and found by what it says now", async () => {
  const full = {
    content: "The office has a red door.",
    importance: 0.9,
    tags: ["office"],
    metadata: { floor: 2 },
    expires_at: "2099-01-01T00:00:00.000Z",
  };
  const created = await put("wiki:door", full);
  expect([created.status, created.data]).toMatchObject([201, { ...full, is_active: true }]);
  const replaced = await put("wiki:door", {
    content: "The cafeteria serves fish on Fridays.",
    memory_type: "context",
  });
  expect(replaced.status).toBe(200);
  const { updated_at, last_accessed_at: _, ...values } = replaced.data;
  expect(values).toEqual({
    id: created.data.id ?? null,
    content: "The cafeteria serves fish on Fridays.",
    memory_type: "context",
    importance: 0.5,
    is_active: true,
    created_at: created.data.created_at ?? null,
    expires_at: null,
  });
  expect(String(updated_at) > String(created.data.updated_at)).toBe(true);
  expect((await app.call("GET", `/v1/memories/${created.data.id}`)).data).toMatchObject(values);
  expect(await search("When is there fish?")).toEqual([created.data.id]);
  expect(await search("What colour is the door?")).toEqual([created.data.id]);
  const { data } = await app.call("GET", "/v1/memories");
  expect(data.pagination).toMatchObject({ total: 1 });
});

test("the same call again changes nothing", async () => {
  const body = { content: "The lift is on the left.", tags: ["b", "a"], metadata: { y: 1, x: [2] } };
  const first = await put("same", body);
  const again = await put("same", { ...body, tags: ["a", "b", "a"], metadata: { x: [2], y: 1 } });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.data).toEqual(first.data);
});

test("it has the id of an item of a batch with this source id", async () => {
  const memories = [{ content: "From a batch.", memory_type: "fact", source_id: "shared/ id?é" }];
  const batch = await app.call("POST", "/v1/memories/batch", { body: { memories } });
  const [item] = batch.data.results as JsonObject[];
  const replaced = await put("shared/ id?é", { content: "From a put." });
  expect([replaced.status, replaced.data.id]).toEqual([200, item?.id ?? ""]);
  await app.call("DELETE", `/v1/memories/${item?.id}`);
  const created = await put("shared/ id?é", { content: "From a put." });
  expect([created.status, created.data.id]).toEqual([201, item?.id ?? ""]);
});

test("the source id of an export names the memory itself", async () => {
  const { data } = await app.call("POST", "/v1/memories", {
    body: { content: "Exported.", memory_type: "fact" },
  });
  const replaced = await put(`memledger:${data.id}`, { content: "Imported." });
  expect([replaced.status, replaced.data.id]).toEqual([200, data.id ?? ""]);
});

test("another project has another memory", async () => {
  const other = await app.createProject("pro");
  const [own, foreign] = [
    await put("in two projects", { content: "One." }),
    await put("in two projects", { content: "Two." }, other.key),
  ];
  expect([own.status, foreign.status]).toEqual([201, 201]);
  expect(own.data.id).not.toBe(foreign.data.id ?? "");
});

test("a content that another memory has is refused, and nothing is changed", async () => {
  const holder = await put("holder", { content: "Only once." });
  const before = await put("other", { content: "Something else." });
  for (const source of ["other", "new"]) {
    const { code, data } = await put(source, { content: "Only once. " });
    expect([code, data]).toEqual([2104, { memory_id: holder.data.id ?? "" }]);
  }
  const after = await app.call("GET", `/v1/memories/${before.data.id}`);
  expect(after.data).toMatchObject({ content: "Something else.", updated_at: before.data.updated_at ?? "" });
});

test("an inactive or expired memory is used again", async () => {
  const { data } = await put("back", { content: "The pool is open.", is_active: false });
  expect(data.is_active).toBe(false);
  expect((await put("back", { content: "The pool is open." })).data).toMatchObject({
    id: data.id,
    is_active: true,
  });
  expect(await search("Is the pool open?")).toEqual([data.id]);
  await put("back", { content: "The pool is open.", expires_at: "2020-01-01T00:00:00Z" });
  expect(await search("Is the pool open?")).not.toEqual([data.id]);
  expect((await put("back", { content: "The pool is open." })).status).toBe(200);
  expect(await search("Is the pool open?")).toEqual([data.id]);
});

test("the limit of the plan counts for new memories only", async () => {
  const { key } = await app.createProject("pro", { memory_limit: 1 });
  expect((await put("first", { content: "First." }, key)).status).toBe(201);
  expect((await put("second", { content: "Second." }, key)).code).toBe(2101);
  expect((await put("first", { content: "Changed." }, key)).status).toBe(200);
});

test.each<[string, string, JsonObject, string]>([
  ["no content", "a", {}, "content"],
  ["a blank source id", " ", { content: "x" }, "source_id"],
  ["a long source id", "x".repeat(201), { content: "x" }, "source_id"],
  ["a source id in the body", "a", { content: "x", source_id: "b" }, "source_id"],
  ["bad metadata", "a", { content: "x", metadata: { "": 1 } }, "metadata/"],
])("is refused: %s", async (_, source, body, field) => {
  const { status, code, data } = await put(source, body);
  expect([status, code, data.field]).toEqual([400, 1400, field]);
});

test("the history tells what happened, with the values before", async () => {
  const { data } = await put("history", { content: "Tea at four.", metadata: { a: 1 } });
  await put("history", { content: "Tea at four.", metadata: { a: 1 } });
  await put("history", { content: "Tea at five." });
  const { events } = (await app.call("GET", `/v1/memories/${data.id}/history`)).data;
  expect(events).toMatchObject([
    {
      kind: "changed",
      action: "memory.put",
      values: { content: "Tea at five.", metadata: null },
      former: { content: "Tea at four.", metadata: { a: 1 } },
    },
    { kind: "created", action: "memory.put", values: { content: "Tea at four.", metadata: { a: 1 } } },
  ]);
  const records = app.records(app.projectId).filter(({ entry }) => entry.memory === data.id);
  expect(records.map(({ action, status }) => [action, status]).slice(0, 3)).toEqual([
    ["memory.put", 201],
    ["memory.put", 200],
    ["memory.put", 200],
  ]);
});

test("calls at once leave one memory", async () => {
  const contents = Array.from({ length: 8 }, (_, at) => `Version ${at} of the menu.`);
  const replies = await Promise.all(contents.map((content) => put("race", { content })));
  const statuses = replies.map(({ status }) => status).filter((status) => status !== 503);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(new Set(replies.filter(({ status }) => status < 300).map(({ data }) => data.id)).size).toBe(1);
});
