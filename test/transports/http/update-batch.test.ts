// Tests changes and deletions of many memories over HTTP: the result of each item, the undo, and the one record.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const path = "/v1/memories/batch";
let key = "";
let project = "";
let ids: readonly [string, string, string] = ["", "", ""];

beforeEach(async () => {
  ({ key, id: project } = await app.createProject("custom"));
  const memories = [
    { content: "Deploy on Tuesday.", memory_type: "fact", importance: 0.4, tags: ["a"] },
    { content: "Use bun.", memory_type: "rule" },
    { content: "On call.", memory_type: "context", expires_at: "2020-01-01T00:00:00Z" },
  ];
  const { data } = await app.call("POST", path, { key, body: { memories } });
  const [first = "", second = "", third = ""] = [data.results]
    .flat()
    .map((result) => (isObject(result) ? String(result.id) : ""));
  ids = [first, second, third];
});

async function update(memories: readonly unknown[], as = key): Promise<JsonObject> {
  const { status, data, text } = await app.call("PUT", path, { key: as, body: { memories } });
  expect({ status, text }).toMatchObject({ status: 200 });
  return data;
}

const read = async (id: string | undefined) => (await app.call("GET", `/v1/memories/${id}`, { key })).data;

describe("an update of many memories", () => {
  test("changes each as its item says, and the previous values undo it", async () => {
    const before = await Promise.all(ids.map(read));
    const data = await update([
      { memory_id: ids[0], is_active: false, importance: 1, add_tags: ["b"], remove_tags: ["a", "none"] },
      { memory_id: ids[1], memory_type: "fact", expires_at: "2098-12-31T23:00:00Z", tags: ["c"] },
      { memory_id: ids[2], is_active: true },
    ]);
    expect(data).toEqual({
      updated: 2,
      unchanged: 1,
      refused: 0,
      results: [
        {
          index: 0,
          status: "updated",
          id: ids[0],
          updated_at: expect.any(String),
          former: { importance: 0.4, is_active: true, tags: ["a"] },
        },
        {
          index: 1,
          status: "updated",
          id: ids[1],
          updated_at: expect.any(String),
          former: { memory_type: "rule", expires_at: null, tags: [] },
        },
        { index: 2, status: "unchanged", id: ids[2] },
      ],
    });
    expect(await read(ids[0])).toMatchObject({ is_active: false, importance: 1, tags: ["b"] });
    expect(await read(ids[1])).toMatchObject({ memory_type: "fact", expires_at: "2098-12-31T23:00:00.000Z" });
    expect((await read(ids[2])).updated_at).toBe(before[2]?.updated_at ?? null);
    const undone = [data.results]
      .flat()
      .flatMap((result) =>
        isObject(result) && isObject(result.former)
          ? [{ memory_id: String(result.id), ...result.former }]
          : [],
      );
    expect(await update(undone)).toMatchObject({ updated: 2 });
    const withoutTimes = ({ updated_at: _, last_accessed_at: __, ...memory }: JsonObject) => memory;
    expect((await Promise.all(ids.map(read))).map(withoutTimes)).toEqual(before.map(withoutTimes));
    const records = app.records(project).filter(({ action }) => action === "memory.update_batch");
    expect(records.map(({ status }) => status)).toEqual([200, 200]);
    expect(records[0]?.payload.response_body).toMatchObject({ data });
  });

  test("refuses items alone, and says why", async () => {
    const other = await app.createProject("pro");
    const { data: foreign } = await app.call("POST", "/v1/memories", {
      key: other.key,
      body: { content: "Foreign.", memory_type: "fact" },
    });
    const many = Array.from({ length: 16 }, (_, at) => `t${at}`);
    const data = await update([
      { memory_id: ids[0], importance: 2 },
      { memory_id: ids[0] },
      { memory_id: foreign.id, importance: 1 },
      { memory_id: "0".repeat(32), importance: 1 },
      { memory_id: ids[0], add_tags: many },
      { memory_id: ids[0], tags: [], add_tags: ["x"] },
      { memory_id: ids[0], content: "" },
      "text",
      { memory_id: ids[1], importance: 0.9 },
    ]);
    expect(data).toMatchObject({ updated: 1, unchanged: 0, refused: 8 });
    expect(data.results).toMatchObject([
      { code: 1400, data: { field: "importance" } },
      { code: 1400, message: expect.stringContaining("Send at least one of") },
      { code: 2100 },
      { code: 2100 },
      { code: 1400, message: expect.stringContaining("would give the memory 17 tags; it can have 16") },
      { code: 1400, message: expect.stringContaining("not both") },
      { code: 1400, data: { field: "content" } },
      { code: 1400, message: "The item must be a JSON object." },
      { status: "updated", id: ids[1] },
    ]);
    expect(await read(ids[0])).toMatchObject({ importance: 0.4, tags: ["a"] });
  });

  test("gives no two valid memories one content", async () => {
    const body = { content: "On call.", memory_type: "context" };
    expect((await app.call("POST", "/v1/memories", { key, body })).status).toBe(201);
    const data = await update([{ memory_id: ids[2], expires_at: null }]);
    expect(data).toMatchObject({ refused: 1, results: [{ code: 2104 }] });
  });

  test("changes contents, which searches then find, and undoes them", async () => {
    const data = await update([
      { memory_id: ids[0], content: "Releases go out on Wednesday." },
      { memory_id: ids[1], content: "On call." },
      { memory_id: ids[2], content: "Use bun.", importance: 0.9 },
      { memory_id: ids[2], content: "Deploy on Tuesday." },
    ]);
    // The content of an expired memory is free, and that of the others is free after their change.
    expect(data).toMatchObject({
      updated: 4,
      results: [
        { former: { content: "Deploy on Tuesday." } },
        { former: { content: "Use bun." } },
        { former: { content: "On call.", importance: 0.5 } },
        { former: { content: "Use bun." } },
      ],
    });
    expect(await read(ids[0])).toMatchObject({ content: "Releases go out on Wednesday.", tags: ["a"] });
    const body = { query: "When do releases go out?", top_k: 1 };
    const { results } = (await app.call("POST", "/v1/memories/search", { key, body })).data;
    expect(results).toMatchObject([{ memory: { id: ids[0] } }]);
    const [hit] = [results].flat().filter(isObject);
    expect(Number(hit?.similarity)).toBeGreaterThan(0.6);
    expect(await update([{ memory_id: ids[1], content: "Releases go out on Wednesday." }])).toMatchObject({
      refused: 1,
      results: [{ code: 2104, data: { memory_id: ids[0] } }],
    });
    const back = { memory_id: ids[0], content: "Deploy on Tuesday." };
    expect(await update([back, back])).toMatchObject({ updated: 1, unchanged: 1 });
    const { events } = (await app.call("GET", `/v1/memories/${ids[0]}/history`, { key })).data;
    expect(events).toMatchObject([
      { kind: "changed", values: { content: "Deploy on Tuesday." } },
      { kind: "changed", values: { content: "Releases go out on Wednesday." } },
      { kind: "created" },
    ]);
  });

  test("refuses the items whose memory was changed meanwhile", async () => {
    const seen = (await read(ids[0])).updated_at;
    await update([{ memory_id: ids[0], importance: 0.7 }]);
    const present = (await read(ids[0])).updated_at;
    expect(
      await update([
        { memory_id: ids[0], importance: 0.1, if_updated_at: seen },
        { memory_id: ids[0], importance: 0.2, if_updated_at: present },
        { memory_id: ids[0], importance: 0.3, if_updated_at: present },
        { memory_id: ids[0], if_updated_at: present },
      ]),
    ).toMatchObject({
      updated: 1,
      results: [
        { code: 2108, data: { updated_at: present } },
        { status: "updated" },
        { code: 2108 },
        { code: 1400 },
      ],
    });
    expect(await read(ids[0])).toMatchObject({ importance: 0.2 });
    // Sent again because the answer was lost.
    const again = { memory_id: ids[0], importance: 0.2, if_updated_at: present };
    expect(await update([again])).toMatchObject({ unchanged: 1, refused: 0 });
    const one = { importance: 0.2, if_updated_at: present ?? null };
    expect((await app.call("PUT", `/v1/memories/${ids[0]}`, { key, body: one })).code).toBe(1000);
  });

  test("is refused as a whole only for what is no batch", async () => {
    const status = async (memories: unknown) =>
      (await app.call("PUT", path, { key, body: { memories } as JsonObject })).status;
    expect(await status([])).toBe(400);
    expect(await status("all")).toBe(400);
    expect(await status(Array.from({ length: 1001 }, () => ({ memory_id: ids[0], importance: 1 })))).toBe(
      400,
    );
    const reader = await app.createKey(project, ["memory.read"]);
    expect((await app.call("PUT", path, { key: reader.key, body: { memories: [{}] } })).status).toBe(403);
    expect((await app.call("DELETE", path, { key: reader.key, body: { memory_ids: [...ids] } })).status).toBe(
      403,
    );
  });
});

test("the undo of an update leaves what somebody else has changed since", async () => {
  const { results } = await update(ids.slice(0, 2).map((memory_id) => ({ memory_id, is_active: false })));
  await app.call("PUT", `/v1/memories/${ids[0]}`, { key, body: { importance: 0.9 } });
  const undone = [results]
    .flat()
    .filter(isObject)
    .map(({ id, former, updated_at }) => ({
      ...(isObject(former) ? former : {}),
      memory_id: String(id),
      if_updated_at: String(updated_at),
    }));
  expect(await update(undone)).toMatchObject({
    updated: 1,
    refused: 1,
    results: [{ status: "refused", code: 2108 }, { status: "updated" }],
  });
  expect(await read(ids[0])).toMatchObject({ is_active: false, importance: 0.9 });
  expect(await read(ids[1])).toMatchObject({ is_active: true });
});

describe("a deletion of many memories", () => {
  test("deletes those that exist, once, with one record without their contents", async () => {
    const [first, second] = ids;
    const memory_ids = [first, "0".repeat(32), first, second];
    const { status, data } = await app.call("DELETE", path, { key, body: { memory_ids } });
    expect({ status, data }).toEqual({
      status: 200,
      data: {
        deleted: 2,
        refused: 2,
        results: [
          { index: 0, status: "deleted", id: first },
          { index: 1, status: "refused", code: 2100, message: expect.any(String), data: {} },
          { index: 2, status: "refused", code: 2100, message: expect.any(String), data: {} },
          { index: 3, status: "deleted", id: second },
        ],
      },
    });
    expect((await app.call("GET", `/v1/memories/${first}`, { key })).code).toBe(2100);
    const [record] = app.records(project).filter(({ action }) => action === "memory.delete_batch");
    expect(record?.payload.deleted_memories).toEqual([
      { id: first, memory_type: "fact", importance: 0.4 },
      { id: second, memory_type: "rule", importance: 0.5 },
    ]);
    expect(JSON.stringify(record?.payload)).not.toContain("Deploy");
    const logs = await app.call("GET", "/v1/audit/logs?action=memory.delete_batch", { key });
    const [listed] = [logs.data.logs].flat().filter(isObject);
    const detail = await app.call("GET", `/v1/audit/logs/${listed?.id}`, { key });
    expect(detail.data.memory_results).toMatchObject([{ id: first, content: "" }, { id: second }]);
  });

  test("leaves what somebody else has changed since, and says so", async () => {
    const known = await Promise.all(ids.map(read));
    await app.call("PUT", `/v1/memories/${ids[1]}`, { key, body: { content: "Use bun 1.4." } });
    const body = { memory_ids: [...ids], if_updated_at: known.map(({ updated_at }) => updated_at) };
    const { data } = await app.call("DELETE", path, { key, body });
    expect(data).toMatchObject({
      deleted: 2,
      refused: 1,
      results: [
        { status: "deleted" },
        { status: "refused", code: 2108, data: { updated_at: (await read(ids[1])).updated_at ?? "" } },
        { status: "deleted" },
      ],
    });
    const [refused] = [data.results].flat().filter((result) => isObject(result) && result.code === 2108);
    expect(isObject(refused) ? refused.message : "").toMatch(
      /^The memory was changed meanwhile.*delete it again/,
    );
    expect(await read(ids[1])).toMatchObject({ content: "Use bun 1.4." });
  });

  test("needs a time for each id, if any, so that none is deleted by mistake", async () => {
    const [time] = await Promise.all(ids.map(read)).then((all) => all.map(({ updated_at }) => updated_at));
    for (const if_updated_at of [[time], [], [time, time, time, time], ["yesterday", time, time], time]) {
      const reply = await app.call("DELETE", path, { key, body: { memory_ids: [...ids], if_updated_at } });
      expect([reply.code, reply.message]).toEqual([1400, expect.stringContaining("if_updated_at")]);
    }
    expect((await app.call("GET", "/v1/memories", { key })).data.pagination).toMatchObject({ total: 3 });
  });

  test("needs ids, so a call without them deletes nothing", async () => {
    for (const body of [{}, { memory_ids: [] }, { memory_ids: "all" }]) {
      expect((await app.call("DELETE", path, { key, body })).code).toBe(1400);
    }
    expect((await app.call("DELETE", path, { key })).code).toBe(1400);
    expect((await app.call("GET", "/v1/memories", { key })).data.pagination).toMatchObject({ total: 3 });
  });
});

test("the record of an update has the previous values", async () => {
  await app.call("PUT", `/v1/memories/${ids[0]}`, {
    key,
    body: { content: "Deploy on Friday.", importance: 0.4 },
  });
  const [record] = app.records(project).filter(({ action }) => action === "memory.update");
  expect(record?.payload.former_values).toEqual({ content: "Deploy on Tuesday." });
});
