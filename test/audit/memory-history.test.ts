// Tests the history of a memory: every way to make, change, delete and find one leaves its event.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let key = "";
let project = "";
beforeEach(async () => {
  ({ key, id: project } = await app.createProject("custom"));
});

async function send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const { status, text, data } = await app.call(method, path, { key, ...(body && { body }) });
  if (status >= 300) throw new Error(text);
  return data;
}

async function history(id: unknown, query = ""): Promise<{ events: JsonObject[]; next: unknown }> {
  const data = await send("GET", `/v1/memories/${id}/history?${query}`);
  return { events: [data.events].flat().filter(isObject), next: data.next_cursor };
}

const kinds = (events: readonly JsonObject[]) => events.map(({ kind, action }) => `${kind} ${action}`);
const create = (content: string, fields: JsonObject = {}) =>
  send("POST", "/v1/memories", { content, memory_type: "fact", ...fields });

describe("the changes of a memory", () => {
  test("have what each call made of it, and what it was before", async () => {
    const { id } = await create("Deploy on Tuesday.", { tags: ["a"] });
    await create("Another memory.");
    await send("PUT", `/v1/memories/${id}`, { content: "Deploy on Friday.", importance: 0.9 });
    await send("PUT", "/v1/memories/batch", {
      memories: [{ memory_id: String(id), is_active: false, add_tags: ["b"], remove_tags: ["a"] }],
    });
    await app.call("PUT", `/v1/memories/${id}`, { key, body: { importance: 7 } });
    await send("GET", `/v1/memories/${id}`);
    await send("DELETE", `/v1/memories/${id}`);
    const { events, next } = await history(id);
    expect(next).toBeNull();
    const { logs } = await send("GET", "/v1/audit/logs?action=memory.history&page_size=1");
    expect(logs).toMatchObject([{ memory_id: id ?? "" }]);
    expect(events).toMatchObject([
      { kind: "deleted", action: "memory.delete", values: null, former: null },
      {
        kind: "changed",
        action: "memory.update_batch",
        values: { is_active: false, tags: ["b"] },
        former: { is_active: true, tags: ["a"] },
      },
      {
        kind: "changed",
        action: "memory.update",
        values: { content: "Deploy on Friday.", importance: 0.9, tags: ["a"] },
        former: { content: "Deploy on Tuesday.", importance: 0.5 },
      },
      {
        kind: "created",
        values: { content: "Deploy on Tuesday.", memory_type: "fact", tags: ["a"] },
        former: null,
      },
    ]);
    expect(events.every((event) => event.redacted === false && typeof event.key_id === "string")).toBe(true);
    const detail = await send("GET", `/v1/audit/logs/${events[0]?.audit_id}`);
    expect(detail).toMatchObject({ action: "memory.delete", memory_id: id });
  });

  test("include batches, extractions with their evidence, and deletions by conditions", async () => {
    const made = await send("POST", "/v1/memories/batch", {
      memories: [
        { content: "Tea at four.", memory_type: "fact", tags: ["x"], source_id: "s:1" },
        { content: "Tea at five.", memory_type: "context" },
      ],
    });
    const [fact, context] = [made.results]
      .flat()
      .filter(isObject)
      .map(({ id }) => id);
    const text = "Ana: I moved to Porto last year. I prefer tea in the morning.";
    const { extracted } = await send("POST", "/v1/memories/extract", { text });
    const [item] = [extracted].flat().filter(isObject);
    await send("DELETE", "/v1/memories", { memory_type: "rule" });
    await send("DELETE", "/v1/memories", { tags: ["x"] });
    await send("DELETE", "/v1/memories/batch", { memory_ids: [String(context)] });
    expect(kinds((await history(fact)).events)).toEqual([
      "deleted memory.delete_all",
      "created memory.create_batch",
    ]);
    const { events } = await history(context);
    expect(kinds(events)).toEqual(["deleted memory.delete_batch", "created memory.create_batch"]);
    expect(events[1]?.values).toEqual({
      content: "Tea at five.",
      memory_type: "context",
      importance: 0.5,
      is_active: true,
      expires_at: null,
      tags: [],
      metadata: null,
    });
    expect((await history(item?.id)).events).toMatchObject([
      {
        kind: "created",
        action: "memory.extract",
        evidence: item?.evidence,
        values: { content: item?.content },
      },
    ]);
  });

  test("come in pages, and a cursor belongs to its memory", async () => {
    const { id } = await create("Version 0.");
    const other = await create("Other.");
    for (let at = 1; at <= 4; at++) await send("PUT", `/v1/memories/${id}`, { importance: at / 10 });
    const seen: unknown[] = [];
    let query = "page_size=2";
    for (;;) {
      const { events, next } = await history(id, query);
      seen.push(...events.map(({ seq }) => seq));
      if (typeof next !== "string") break;
      query = `page_size=2&cursor=${next}`;
      expect((await app.call("GET", `/v1/memories/${other.id}/history?cursor=${next}`, { key })).code).toBe(
        1400,
      );
    }
    expect(seen).toEqual([6, 5, 4, 3, 1]);
  });
});

test("the uses of a memory have the query and the scores", async () => {
  const { id } = await create("The office opens at nine.");
  const rule = await create("Answer briefly.", { memory_type: "rule" });
  await send("POST", "/v1/memories/search", { query: "When does the office open?" });
  await send("POST", "/v1/memories/inject", { query: "office opening" });
  await send("GET", `/v1/memories/${id}`);
  const { events } = await history(id, "include=uses");
  expect(events).toMatchObject([
    { kind: "read", query: null, similarity: null },
    { kind: "injected", query: "office opening", similarity: expect.any(Number) },
    { kind: "found", query: "When does the office open?", final_score: expect.any(Number) },
  ]);
  // Rules are injected without a comparison. The search compares them with the query.
  expect((await history(rule.id, "include=uses")).events[0]).toMatchObject({
    kind: "injected",
    similarity: null,
  });
});

test("nothing of another project, of erased records, or for keys without the permission", async () => {
  const { id } = await create("Secret of the project.");
  await send("PUT", `/v1/memories/${id}`, { importance: 1 });
  const other = await app.createProject("pro");
  expect((await app.call("GET", `/v1/memories/${id}/history`, { key: other.key })).data.events).toEqual([]);
  expect((await app.call("GET", "/v1/memories/nothing/history", { key })).code).toBe(1400);
  const reader = await app.createKey(project, ["memory.read"]);
  expect((await app.call("GET", `/v1/memories/${id}/history`, { key: reader.key })).status).toBe(403);
  await app.administer(eraseRecords, { memory: String(id), delete_memory: true });
  const { events } = await history(id);
  expect(JSON.stringify(events)).not.toContain("Secret");
  expect(events).toMatchObject([
    { kind: "deleted", redacted: false },
    { kind: "changed", values: null, former: null, redacted: true },
    { kind: "created", values: null, redacted: true },
  ]);
  // Its own record has no answer, so that nothing is stored a second time.
  const [record] = app
    .records(project)
    .filter(({ action, status }) => action === "memory.history" && status === 200);
  expect(record?.payload).not.toContainKey("response_body");
});
