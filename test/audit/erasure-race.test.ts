// Tests a read that was prepared before an erasure and is settled after it: its record, and its answer, must not hold the erased text.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../../src/calls/contract/answer.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { preparationAttemptsMax } from "../../src/platform/limits.ts";
import { startTestApp } from "../fixture.ts";

/** Happens between the preparation and the transaction of calls of these operations. */
let between: (() => Promise<void>) | null = null;
let operations: readonly string[] = [];
/** The answers of their commits, in their order. */
let committed: Answer[] = [];

const app = await startTestApp({}, undefined, async (call, commit) => {
  if (!operations.includes(call.operation)) return commit(call);
  await between?.();
  const answer = await commit(call);
  committed.push(answer);
  return answer;
});
afterAll(() => app.stop());

beforeEach(() => {
  between = null;
  operations = [];
  committed = [];
});

const secret = "Ada lives at 12 Example Lane.";

async function openProject() {
  const { id, key } = await app.createProject("custom");
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body === undefined ? { key } : { key, body });
  const create = async (content: string) => {
    const { data } = await call("POST", "/v1/memories", { content, memory_type: "rule" });
    return String(data.id);
  };
  const memory = await create(secret);
  await create("Releases go out on Tuesdays.");
  return { id, call, create, memory };
}

const query = { query: "Where does Ada live?" };

describe("an erasure that is committed after a call was prepared", () => {
  test.each<[string, string, (memory: string) => string, unknown]>([
    ["memory.search", "POST", () => "/v1/memories/search", query],
    ["memory.inject", "POST", () => "/v1/memories/inject", query],
    ["memory.list", "GET", () => "/v1/memories", undefined],
    ["memory.read", "GET", (memory) => `/v1/memories/${memory}`, undefined],
  ])("is not undone by the record of %s", async (operation, method, pathOf, body) => {
    const { id, call, memory } = await openProject();
    operations = [operation];
    between = async () => {
      between = null;
      const erased = await app.administer(eraseRecords, { memory, delete_memory: true });
      expect(erased).toMatchObject({ redacted: 1, memory: "deleted" });
    };
    const before = app.countRecords(id);
    const reply = await call(method, pathOf(memory), body);
    expect(reply.status).toBe(operation === "memory.read" ? 404 : 200);
    expect(reply.text).not.toContain(secret);
    // One record of the call, beside those of the erasure.
    const records = app.records(id, before);
    expect(records.map(({ action }) => action)).toEqual(["memory.delete", "audit.redact", operation]);
    for (const { payload } of app.records(id)) expect(JSON.stringify(payload)).not.toContain(secret);
  });

  test("is not undone by the answers with audit records", async () => {
    const { call, memory } = await openProject();
    const { data } = await call("GET", "/v1/audit/logs?action=memory.create&page_size=2");
    const record = (data.logs as { id: string }[]).at(-1)?.id;
    operations = ["audit.read"];
    between = async () => {
      between = null;
      await app.administer(eraseRecords, { memory });
    };
    const reply = await call("GET", `/v1/audit/logs/${record}`);
    expect(reply).toMatchObject({ status: 200, data: { redacted: false, request_body: null } });
    expect(reply.text).not.toContain(secret);
  });

  test("of another memory leaves the answer as it is, and the call has one record", async () => {
    const { id, call, create } = await openProject();
    const other = await create("The cafeteria closes at three.");
    operations = ["memory.search"];
    between = async () => {
      between = null;
      await app.administer(eraseRecords, { memory: other, delete_memory: true });
    };
    const reply = await call("POST", "/v1/memories/search", query);
    expect(reply.data.results).toMatchObject([{ memory: { content: secret } }, {}]);
    expect(app.records(id).filter(({ action }) => action === "memory.search")).toHaveLength(1);
    expect(committed).toHaveLength(2);
  });

  test("each time the call is prepared again is answered with 1503 and a record without the text", async () => {
    const { id, call, create } = await openProject();
    const others: string[] = [];
    for (let at = 0; at < preparationAttemptsMax; at++) others.push(await create(`number ${at}`));
    operations = ["memory.search"];
    between = async () => {
      const memory = others.pop();
      if (memory !== undefined) await app.administer(eraseRecords, { memory, delete_memory: true });
    };
    const reply = await call("POST", "/v1/memories/search", query);
    expect(reply).toMatchObject({ status: 503, code: 1503 });
    expect(reply.message).toContain("Send the call again.");
    const searches = app.records(id).filter(({ action }) => action === "memory.search");
    expect(searches).toMatchObject([{ status: 503, payload: { error_msg: reply.message } }]);
    expect(JSON.stringify(searches)).not.toContain(secret);
    between = null;
    expect((await call("POST", "/v1/memories/search", query)).status).toBe(200);
  });
});

test.each([
  ["the same project", true],
  ["another project", false],
])("after the erasure of a subject in %s", async (_, isSame) => {
  const { call, memory } = await openProject();
  const { call: callOther } = await openProject();
  const eraseIn = isSame ? call : callOther;
  const subject = { content: "Bo lives elsewhere.", memory_type: "fact", subject: "user:1" };
  await eraseIn("POST", "/v1/memories", subject);
  operations = ["memory.read"];
  between = async () => {
    between = null;
    expect((await eraseIn("POST", "/v1/subjects/user%3A1/erase", {})).data).toMatchObject({ erased: true });
  };
  expect((await call("GET", `/v1/memories/${memory}`)).status).toBe(200);
  expect(committed).toHaveLength(isSame ? 2 : 1);
});

test("the deletion of a memory does not make what was prepared outdated", async () => {
  const { call, memory } = await openProject();
  operations = ["memory.search"];
  between = async () => {
    between = null;
    expect((await call("DELETE", `/v1/memories/${memory}`)).status).toBe(204);
  };
  const reply = await call("POST", "/v1/memories/search", query);
  expect(reply.text).toContain(secret);
  expect(committed).toHaveLength(1);
});

test("a restart does not make calls outdated, and forgets no erasure", async () => {
  const { id, call, memory } = await openProject();
  await app.administer(eraseRecords, { memory, delete_memory: true });
  await app.restart();
  operations = ["memory.list"];
  expect((await call("GET", "/v1/memories")).status).toBe(200);
  expect(committed).toHaveLength(1);
  expect(app.records(id).filter(({ action }) => action === "memory.list")).toHaveLength(1);
});
