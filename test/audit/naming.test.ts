// Proves that every record names what its call was about: the memory, the record, the export, the parameters of a reading. Also
// that what a record says was found has the shape of the contract, whatever happened.

import { afterAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { memoryResult } from "../../src/audit/result-items.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { createMemory } from "../transports/http/scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());
const project = await app.createProject("business");
const other = await app.createProject("business");
const { key } = project;
const absent = "0".repeat(32);

/** The call's answer and its record, as the API shows it. */
async function recorded(method: string, path: string, body?: JsonObject) {
  const reply = await app.call(method, path, body === undefined ? { key } : { key, body });
  const seq = app.countRecords(project.id);
  const list = await app.call("GET", "/v1/audit/logs?page_size=100", { key });
  const logs = Array.isArray(list.data.logs) ? list.data.logs.filter(isObject) : [];
  const found = logs.find((log) => log.seq === seq);
  if (found === undefined) throw new Error(`the list has no record ${seq}`);
  const { data } = await app.call("GET", `/v1/audit/logs/${found.id}`, { key });
  for (const [name, value] of Object.entries(found)) expect(data[name]).toEqual(value);
  return { reply, record: data };
}

function itemsOf(record: JsonObject): Json[] {
  const { memory_results: items } = record;
  if (!Array.isArray(items)) throw new Error(`no items: ${JSON.stringify(items)}`);
  for (const item of items) expect([...Value.Errors(memoryResult, item)]).toEqual([]);
  return [...items];
}

describe("the record of a call that was refused has no results, and names the memory of its path", async () => {
  const id = await createMemory(app, { content: "The office opens at nine.", memory_type: "fact" }, key);
  const foreign = await createMemory(app, { content: "Somebody else's.", memory_type: "fact" }, other.key);
  const twin = { content: "The office opens at nine.", memory_type: "fact" };
  const path = (memory: string) => `/v1/memories/${memory}`;
  test.each<[string, string, string, JsonObject | undefined, number, string | null]>([
    ["create without type", "POST", "/v1/memories", { content: "x" }, 400, null],
    ["create of a duplicate", "POST", "/v1/memories", twin, 409, null],
    ["read of a foreign memory", "GET", path(foreign), undefined, 404, foreign],
    ["read of none", "GET", path(absent), undefined, 404, absent],
    ["update of none", "PUT", path(absent), { importance: 1 }, 404, absent],
    ["update with a wrong field", "PUT", path(id), { importance: 2 }, 400, id],
    ["delete of none", "DELETE", path(absent), undefined, 404, absent],
    ["search without query", "POST", "/v1/memories/search", {}, 400, null],
    ["injection with an empty query", "POST", "/v1/memories/inject", { query: "" }, 400, null],
    ["extraction without text", "POST", "/v1/memories/extract", {}, 400, null],
  ])("%s", async (_, method, address, body, status, memoryId) => {
    const { record } = await recorded(method, address, body);
    expect(record).toMatchObject({ http_status: status, memory_results: null, memory_id: memoryId });
  });

  test("but nothing that has not the form of an identifier", async () => {
    const { record } = await recorded("GET", path("Ada%20Lovelace"));
    expect(record).toMatchObject({
      http_status: 404,
      memory_id: null,
      memory_results: null,
      request_parameters: { memory_id: "Ada Lovelace" },
    });
    expect(JSON.stringify(app.records(project.id).map(({ entry }) => entry))).not.toContain("Ada");
  });
});

describe("the record of a call that was done", async () => {
  const body = { content: "Invoices are sent monthly.", memory_type: "fact", importance: 0.5 };
  const direct = { similarity: 1, final_score: 0.85, source: "direct" };

  test("has all members of a result, numbers included", async () => {
    const made = await recorded("POST", "/v1/memories", body);
    const id = String(made.reply.data.id);
    const item = { id, ...body, ...direct };
    expect(itemsOf(made.record)).toEqual([item]);
    expect(made.record.memory_id).toBe(id);
    expect(itemsOf((await recorded("GET", `/v1/memories/${id}`)).record)).toEqual([item]);
    const raised = await recorded("PUT", `/v1/memories/${id}`, { importance: 1 });
    expect(itemsOf(raised.record)).toEqual([{ ...item, importance: 1, final_score: 1 }]);
    const deleted = await recorded("DELETE", `/v1/memories/${id}`);
    expect(itemsOf(deleted.record)).toEqual([{ ...item, content: "", importance: 1, final_score: 1 }]);
    expect(deleted.record).toMatchObject({ memory_id: id, memory_query: null, response_body: null });
    expect(JSON.stringify(app.records(project.id).at(-1)?.payload ?? {})).not.toContain("Invoices");
  });

  test("of a list has the memories of the page", async () => {
    const { reply, record } = await recorded("GET", "/v1/memories?page_size=1&sort_by=importance");
    const listed = Array.isArray(reply.data.memories) ? reply.data.memories.filter(isObject) : [];
    expect(listed).toHaveLength(1);
    expect(itemsOf(record)).toMatchObject(
      listed.map(({ id, content }) => ({ id, content, similarity: 1, source: "direct" })),
    );
    expect(record.memory_query).toBeNull();
  });

  test("of a search, an injection and an extraction has them too", async () => {
    await createMemory(app, { content: "Never deploy on Fridays.", memory_type: "rule" }, key);
    const search = await recorded("POST", "/v1/memories/search", { query: "When does the office open?" });
    expect(itemsOf(search.record).length).toBeGreaterThan(0);
    const injection = await recorded("POST", "/v1/memories/inject", { query: "When does the office open?" });
    const sources = itemsOf(injection.record).map((item) => isObject(item) && item.source);
    expect(sources).toEqual([
      "direct",
      ...sources.slice(1).map(() => expect.stringMatching(/^(semantic|keyword)$/)),
    ]);
    const text = "Ana: We decided that the database moves to PostgreSQL 17.";
    const extraction = await recorded("POST", "/v1/memories/extract", { text });
    expect(itemsOf(extraction.record).length).toBeGreaterThan(0);
  });
});

describe("the record of an audit operation names what it touched", async () => {
  const span = { start_time: "2026-01-01T00:00:00Z", end_time: "2099-01-01T00:00:00Z" };
  const begun = await recorded("POST", "/v1/audit/logs/export", span);
  const id = String(begun.reply.data.export_id);
  const path = `/v1/audit/logs/export/${id}`;
  for (let status = "processing"; status === "processing"; await Bun.sleep(20))
    status = String((await app.call("GET", path, { key })).data.status);

  test("the export that was begun", () => {
    expect(begun.record).toMatchObject({
      action: "audit.export",
      request_body: span,
      response_body: { success: true, data: { export_id: id, status: "processing" } },
    });
  });

  test.each([
    ["audit.export_status", path, 200],
    ["audit.export_manifest", `${path}/manifest`, 200],
    ["audit.export_status", "/v1/audit/logs/export/none", 404],
  ])("%s %s", async (action, address, status) => {
    const { record } = await recorded("GET", address).catch(() => recordOf(action));
    const named = address.split("/")[5];
    expect(record).toMatchObject({ action, http_status: status, request_parameters: { export_id: named } });
  });

  test("the export that was downloaded", async () => {
    await fetch(`${app.url}${path}/download`, { headers: { Authorization: `Bearer ${key}` } });
    const { record } = await recordOf("audit.export_download");
    expect(record).toMatchObject({ request_parameters: { export_id: id }, response_body: null });
  });

  test("the record that was read, and what a list was asked for, without repeating their answers", async () => {
    const { record } = await recorded("GET", `/v1/audit/logs/${begun.record.id}`);
    const { id: audit_id } = begun.record;
    expect(record).toMatchObject({ request_parameters: { audit_id }, response_body: null, memory_id: null });
    const query = `memory_id=${absent}&page=2&page_size=5`;
    const list = await recorded("GET", `/v1/audit/logs?${query}`);
    expect(list.record).toMatchObject({
      memory_id: null,
      response_body: null,
      request_parameters: { memory_id: absent, page: 2, page_size: 5 },
    });
  });

  test("the checkpoint that was signed and the verdict that was found", async () => {
    const { record, reply } = await recorded("GET", "/v1/audit/checkpoint");
    expect(record.response_body).toMatchObject({ data: { size: reply.data.size, note: reply.data.note } });
    const verified = await recorded("GET", "/v1/audit/verify");
    expect(verified.record.response_body).toMatchObject({ data: { verdict: "unattested" } });
  });

  test("parameters that no record could hold are kept as texts", async () => {
    const { record } = await recorded("GET", `/v1/audit/logs?page=1e999&action=${"x".repeat(3000)}`);
    expect(record).toMatchObject({ http_status: 400 });
    expect(record.request_parameters).toEqual({ page: "1e999", action: "x".repeat(1024) });
  });

  test.each([
    ["?pageSize=3", { pageSize: "3" }],
    ["?action=memory.read&page=1&page=2", { action: "memory.read", page: [1, "2"] }],
  ])("what was sent as %s is in the record of its refusal", async (query, parameters) => {
    const { record } = await recorded("GET", `/v1/audit/logs${query}`);
    expect(record).toMatchObject({ http_status: 400, request_parameters: parameters });
  });
});

/** The newest record of an action. */
async function recordOf(action: string) {
  const { data } = await app.call("GET", `/v1/audit/logs?action=${action}`, { key });
  const [newest] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
  return { record: (await app.call("GET", `/v1/audit/logs/${newest?.id}`, { key })).data };
}

test("list and detail name the key, the position and the memory", async () => {
  const id = await createMemory(app, { content: "Tea is at four.", memory_type: "fact" }, key);
  const { data } = await app.call("GET", `/v1/audit/logs?memory_id=${id}`, { key });
  const entry = app.records(project.id).find((each) => each.entry.memory === id)?.entry;
  expect(data.logs).toEqual([
    expect.objectContaining({ seq: entry?.seq, key_id: entry?.key, memory_id: id }),
  ]);
});
