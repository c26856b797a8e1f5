// Tests checks over HTTP: what passes, why others fail, their number, and what an erasure and a deleted project leave of them.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let key = "";
let project = "";
let office = "";
beforeEach(async () => {
  ({ key, id: project } = await app.createProject("custom"));
  office = await create("The office opens at nine.");
  await create("Bananas are yellow.");
});

async function create(content: string, fields: JsonObject = {}): Promise<string> {
  const body = { content, memory_type: "fact", ...fields };
  return String((await app.call("POST", "/v1/memories", { key, body })).data.id);
}

async function save(expected_memory_id: string, fields: JsonObject = {}): Promise<JsonObject> {
  const body = { query: "When does the office open?", expected_memory_id, ...fields };
  const { status, data, text } = await app.call("POST", "/v1/checks", { key, body });
  expect({ status, text }).toMatchObject({ status: 201 });
  return data;
}

async function run() {
  const { status, data, text } = await app.call("POST", "/v1/checks/run", { key });
  expect({ status, text }).toMatchObject({ status: 200 });
  return { data, results: [data.results].flat().filter(isObject) };
}

test("a check passes while its memory is among the first results", async () => {
  const first = await save(office, { within: 1 });
  expect(first).toMatchObject({ mode: "hybrid", within: 1, expected_memory_id: office });
  const { data } = await app.call("GET", "/v1/checks", { key });
  expect(data.checks).toEqual([first]);
  expect(first.memory).toMatchObject({ id: office, content: "The office opens at nine." });
  const { data: passed, results } = await run();
  expect(passed).toMatchObject({ passed: 1, failed: 0 });
  expect(results[0]).toMatchObject({ check_id: first.id, passed: true, position: 1, reasons: [] });
  await create("The office opens, the office opens, when does the office open?", { importance: 1 });
  expect((await run()).results[0]).toMatchObject({ passed: false, position: 2, reasons: ["rank"] });
  expect(app.records(project).filter(({ action }) => action === "check.run")).toHaveLength(2);
  const memory = await app.call("GET", "/v1/memories", { key });
  expect(
    [memory.data.memories]
      .flat()
      .filter(isObject)
      .every((each) => each.last_accessed_at === null),
  ).toBe(true);
});

test("a check that fails says why", async () => {
  const [inactive, expired, deleted] = await Promise.all([
    create("The office opens at eight on Mondays."),
    create("The office opens at ten in August."),
    create("The office opens at noon on Sundays."),
  ]);
  await save(inactive);
  await save(expired, { memory_type: "rule" });
  await save(deleted);
  await save(office, { tags: ["none"] });
  await save(office, { min_similarity: 0.99 });
  const changes = [
    { memory_id: inactive, is_active: false },
    { memory_id: expired, expires_at: "2020-01-01T00:00:00Z" },
  ];
  await app.call("PUT", "/v1/memories/batch", { key, body: { memories: changes } });
  await app.call("DELETE", `/v1/memories/${deleted}`, { key });
  const { checks } = (await app.call("GET", "/v1/checks", { key })).data;
  expect([checks].flat().filter((check) => isObject(check) && check.memory === null)).toMatchObject([
    { expected_memory_id: deleted },
  ]);
  const { data, results } = await run();
  expect(data).toMatchObject({ passed: 0, failed: 5 });
  expect(results.map(({ reasons }) => reasons)).toEqual([
    ["inactive"],
    ["type", "expired"],
    ["deleted"],
    ["tags"],
    ["below_floor"],
  ]);
  expect(results[4]?.similarity).toBeLessThan(0.99);
});

test("checks belong to a project, and are refused with what to do", async () => {
  const other = await app.createProject("pro");
  const { id } = await save(office);
  const refused = async (method: string, path: string, body?: JsonObject, as = key) => {
    const { code } = await app.call(method, path, { key: as, ...(body && { body }) });
    return code;
  };
  expect(await refused("DELETE", `/v1/checks/${id}`, undefined, other.key)).toBe(2105);
  expect((await app.call("GET", "/v1/checks", { key: other.key })).data.checks).toEqual([]);
  expect(await refused("POST", "/v1/checks", { query: "x", expected_memory_id: office }, other.key)).toBe(
    2100,
  );
  expect(await refused("POST", "/v1/checks", { query: "x", expected_memory_id: "x" })).toBe(1400);
  expect(await refused("POST", "/v1/checks", { query: "x", expected_memory_id: office, within: 51 })).toBe(
    1400,
  );
  const reader = await app.createKey(project, ["memory.read"]);
  const body = { query: "x", expected_memory_id: office };
  expect(await refused("POST", "/v1/checks", body, reader.key)).toBe(1403);
  expect(await refused("POST", "/v1/checks/run", undefined, reader.key)).toBe(1000);
  expect((await app.call("DELETE", `/v1/checks/${id}`, { key })).status).toBe(204);
  expect(await refused("DELETE", `/v1/checks/${id}`)).toBe(2105);
});

test("a project can have 200 checks, and they survive a restart", async () => {
  for (let at = 0; at < 200; at++) await save(office, { query: `office ${at}` });
  const body = { query: "one more", expected_memory_id: office };
  const { code, message } = await app.call("POST", "/v1/checks", { key, body });
  expect({ code, message }).toEqual({
    code: 2107,
    message: "The project has 200 checks already. Delete one that is not needed any more.",
  });
  await app.restart();
  const { data, results } = await run();
  expect(results).toHaveLength(200);
  expect(Number(data.passed) + Number(data.failed)).toBe(200);
});

test("an erasure of the memory deletes its checks", async () => {
  await save(office);
  const bananas = await create("Bananas are cheap.");
  const kept = await save(bananas);
  expect(await app.administer(eraseRecords, { memory: office, delete_memory: true })).toMatchObject({
    memory: "deleted",
    checks: 1,
  });
  const { data } = await app.call("GET", "/v1/checks", { key });
  expect(data.checks).toEqual([kept]);
});
