// Tests what clients send that is not exactly what the API describes, and means it: identifiers in upper case, memories as they were read,
// parameters that caches need, texts of white space, times as other languages write them.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { createMemory, expectClean } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let count = 0;
const create = (fields: JsonObject = {}) =>
  createMemory(app, { content: `Number ${++count} is stored.`, memory_type: "fact", ...fields });
const lastRecord = () => app.records(app.projectId).at(-1);

describe("an identifier in upper case", () => {
  test("names its memory in every call", async () => {
    const id = await create();
    const upper = id.toUpperCase();
    expect((await app.call("GET", `/v1/memories/${upper}`)).data.id).toBe(id);
    expect(lastRecord()?.entry).toMatchObject({ action: "memory.read", memory: id });
    const put = await app.call("PUT", `/v1/memories/${upper}`, { body: { importance: 0.9 } });
    expect(put).toMatchObject({ status: 200, data: { id, importance: 0.9 } });
    const items = { memories: [{ memory_id: upper, importance: 0.1 }] };
    const batch = await app.call("PUT", "/v1/memories/batch", { body: items });
    expect(batch.data).toMatchObject({ updated: 1, results: [{ id }] });
    const history = await app.call("GET", `/v1/memories/${upper}/history`);
    expect(history.data.events).toHaveLength(3);
    const logs = await app.call("GET", `/v1/audit/logs?memory_id=${upper}`);
    expect(Number(logs.data.total)).toBeGreaterThanOrEqual(2);
    const body = { query: "stored", expected_memory_id: upper };
    const check = await app.call("POST", "/v1/checks", { body });
    expect(check.data.expected_memory_id).toBe(id);
    expect((await app.call("DELETE", `/v1/checks/${String(check.data.id).toUpperCase()}`)).status).toBe(204);
    expect((await app.call("DELETE", `/v1/memories/${upper}`)).status).toBe(204);
    const gone = await app.call("DELETE", "/v1/memories/batch", { body: { memory_ids: [upper] } });
    expect(gone.data).toMatchObject({ refused: 1, results: [{ code: 2100 }] });
  });

  test("names its record, its key and its export", async () => {
    const { data } = await app.call("GET", "/v1/audit/logs?page_size=1");
    const [record] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    const upper = (name: string) => String(record?.[name]).toUpperCase();
    expect((await app.call("GET", `/v1/audit/logs/${upper("id")}`)).data.id).toBe(record?.id ?? "");
    const logs = await app.call("GET", `/v1/audit/logs?key_id=${upper("key_id")}`);
    expect(Number(logs.data.total)).toBeGreaterThan(0);
    const body = { start_time: new Date().toISOString().slice(0, 10), end_time: "2099-01-01" };
    const { data: made } = await app.call("POST", "/v1/audit/logs/export", { body });
    const read = await app.call("GET", `/v1/audit/logs/export/${String(made.export_id).toUpperCase()}`);
    expect(read.data.export_id).toBe(made.export_id ?? "");
  });
});

describe("a memory that is sent back as it was read", () => {
  const readBack = async (id: string) => (await app.call("GET", `/v1/memories/${id}`)).data;

  test.each<[string, JsonObject]>([
    ["plain", {}],
    ["with tags and an expiry", { tags: ["a", "b"], expires_at: "2099-01-01T00:00:00+02:00" }],
  ])("is accepted: %s", async (_, fields) => {
    const id = await create(fields);
    const read = await readBack(id);
    const same = await app.call("PUT", `/v1/memories/${id}`, { body: read });
    // The time of the access that this read was may be stored before or after the change.
    const { updated_at: _former, last_accessed_at: _earlier, ...values } = read;
    expect(same).toMatchObject({ status: 200, data: values });
    const changed = await app.call("PUT", `/v1/memories/${id}`, { body: { ...same.data, importance: 0.25 } });
    expect(changed).toMatchObject({ status: 200, data: { id, importance: 0.25 } });
  });

  test("is accepted with nulls for what it does not have, and with an older time of access", async () => {
    const id = await create();
    const read = await readBack(id);
    const body = {
      ...read,
      superseded_by: null,
      last_accessed_at: null,
      id: id.toUpperCase(),
      importance: 1,
    };
    expect(await app.call("PUT", `/v1/memories/${id}`, { body })).toMatchObject({ status: 200 });
  });

  test("is accepted in a batch", async () => {
    const id = await create();
    const memories = [{ memory_id: id, ...(await readBack(id)), importance: 0.75 }];
    const { data } = await app.call("PUT", "/v1/memories/batch", { body: { memories } });
    expect(data).toMatchObject({ updated: 1, refused: 0 });
  });

  test.each<[string, string | null]>([
    ["id", "0".repeat(32)],
    ["id", "another"],
    ["created_at", "2020-01-01T00:00:00Z"],
    ["updated_at", "2099-01-01T00:00:00Z"],
    ["last_accessed_at", "2099-01-01T00:00:00Z"],
    ["superseded_by", "0".repeat(32)],
    ["superseded_by", "another"],
  ])("is refused with another %s: %s", async (field, value) => {
    const id = await create();
    const read = (await app.call("GET", `/v1/memories/${id}`)).data;
    const body = { ...read, importance: 1, [field]: value };
    const reply = await app.call("PUT", `/v1/memories/${id}`, { body });
    expect(reply).toMatchObject({ status: 400, code: 1400, data: { field } });
    expect(reply.message).toContain("read-only");
    const memories = [{ ...body, memory_id: id }];
    const batch = await app.call("PUT", "/v1/memories/batch", { body: { memories } });
    expect(batch.data).toMatchObject({ refused: 1, results: [{ code: 1400, data: { field } }] });
    expect((await app.call("GET", `/v1/memories/${id}`)).data.importance).toBe(0.5);
  });

  test("is refused with 2108 if somebody else has changed it meanwhile", async () => {
    const id = await create();
    const read = (await app.call("GET", `/v1/memories/${id}`)).data;
    await app.call("PUT", `/v1/memories/${id}`, { body: { importance: 0.25 } });
    const reply = await app.call("PUT", `/v1/memories/${id}`, { body: { ...read, importance: 1 } });
    expect(reply).toMatchObject({ status: 409, code: 2108 });
  });

  test("changes nothing if it has no field that can be changed", async () => {
    const id = await create();
    expect(await app.call("PUT", `/v1/memories/${id}`, { body: { id } })).toMatchObject({ code: 1400 });
  });
});

describe("an unknown parameter", () => {
  const header = "memledger-ignored-parameters";
  test.each([
    ["GET", "/v1/memories?_=1", "_"],
    ["GET", "/v1/memories?_=1&page=1&cachebuster=x&_=2", "_, cachebuster"],
    ["GET", "/v1/audit/logs?utm_source=mail", "utm_source"],
    ["GET", "/v1/memories?%0d%0aSet-Cookie:%20a=1", "%0D%0ASet-Cookie%3A%20a"],
    ["GET", `/v1/memories/${"0".repeat(32)}?_=1`, "_"],
    ["POST", "/v1/memories/search?_=1", "_"],
    ["DELETE", "/v1/memories/batch?v=2", "v"],
    ["GET", `/v1/memories?${Array.from({ length: 30 }, (_, at) => `x${at}=1`).join("&")}`, /^x0, .*, x19$/],
  ])("is ignored and named: %s %s", async (method, path, names) => {
    const reply = await app.call(method, path, method === "GET" ? {} : { body: { query: "a" } });
    expect(reply.message).not.toContain("parameter");
    expect(reply.headers.get(header)).toEqual(
      typeof names === "string" ? names : expect.stringMatching(names),
    );
    expectClean(reply, method, path);
  });

  test.each([
    ["GET", "/v1/memories?pagesize=1", "pagesize", /did you mean "page_size"/],
    ["GET", "/v1/memories?memory_typ=fact", "memory_typ", /did you mean "memory_type"/],
    ["GET", "/v1/memories?type=fact", "type", /did you mean "memory_type"/],
    ["GET", "/v1/audit/logs?_=1&start=2026-01-01", "start", /did you mean "start_time"/],
    ["GET", `/v1/memories/${"0".repeat(32)}?memory_id=1`, "memory_id", /in the path/],
    ["POST", "/v1/memories/search?query=a", "query", /in the body/],
    ["POST", "/v1/memories/search?topk=1", "topk", /in the body/],
    ["DELETE", "/v1/memories?memory_type=fact", "memory_type", /in the body/],
    ["DELETE", "/v1/memories?filter=fact", "filter", /in the body/],
  ])("that may be meant is refused: %s %s", async (method, path, field, reason) => {
    const reply = await app.call(method, path, method === "GET" ? {} : { body: { query: "a" } });
    expect(reply).toMatchObject({ status: 400, code: 1400, data: { field } });
    expect(reply.message).toMatch(reason);
    expect(reply.headers.has(header)).toBe(false);
  });

  test("is not in the answer to a call without one", async () => {
    expect((await app.call("GET", "/v1/memories?page=1")).headers.has(header)).toBe(false);
  });
});

describe("white space", () => {
  const blanks = [" ", "\n\t", "\u00a0\u2003\u3000", "\u0085", "\ufeff"];
  test.each(blanks)("is a query: %j", async (query) => {
    for (const mode of ["semantic", "hybrid"]) {
      const reply = await app.call("POST", "/v1/memories/search", { body: { query, mode } });
      expect(reply).toMatchObject({ status: 200, data: { query } });
    }
    const inject = await app.call("POST", "/v1/memories/inject", { body: { query } });
    expect(inject).toMatchObject({ status: 200, data: { query: null } });
    const list = await app.call("GET", `/v1/memories?text=${encodeURIComponent(query)}`);
    const all = await app.call("GET", "/v1/memories");
    expect(list).toMatchObject({ status: 200, data: { pagination: all.data.pagination } });
  });

  test.each(blanks)("is a text in which nothing is found: %j", async (text) => {
    const reply = await app.call("POST", "/v1/memories/extract", { body: { text } });
    expect(reply).toMatchObject({ status: 200, data: { extracted: [], deduplicated: 0, updated: 0 } });
  });

  test("is no content", async () => {
    const body = { content: " \n", memory_type: "fact" };
    expect((await app.call("POST", "/v1/memories", { body })).code).toBe(1400);
  });
});

test("times of audit queries may be written with a space, and with a plus that is not encoded", async () => {
  const total = async (start: string) => {
    const { status, data } = await app.call("GET", `/v1/audit/logs?start_time=${start}&end_time=2099-01-01`);
    return [status, Number(data.total) > 0];
  };
  expect(await total("2026-01-01 09:30:15.123456+00:00")).toEqual([200, true]);
  expect(await total("2026-01-01%2009:30:15.123456%2B00:00")).toEqual([200, true]);
  expect(await total("2026-01-01+09:30:15")).toEqual([200, true]);
  expect(await total("2026-01-01T09:30:15+00:00")).toEqual([200, true]);
  const body = {
    start_time: `${new Date().toISOString().slice(0, 10)} 00:00:00+00:00`,
    end_time: "2099-01-01 00:00",
  };
  const reply = await app.call("POST", "/v1/audit/logs/export", { body });
  expect([1000, 2203]).toContain(reply.code ?? 0);
});
