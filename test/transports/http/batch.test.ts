// Tests batches over HTTP: the result of each item, what makes items equal, limits of plans, and the one record that names every item.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { runScenarios } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const path = "/v1/memories/batch";
const recordedFor = app.projectId;
const objects = (value: unknown): JsonObject[] => [value].flat().filter(isObject);

async function send(memories: readonly unknown[], key = app.apiKey): Promise<JsonObject> {
  const reply = await app.call("POST", path, { key, body: { memories } });
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
  return reply.data;
}

const idsOf = (data: JsonObject) => objects(data.results).map(({ id }) => String(id));
const statusesOf = (data: JsonObject) => objects(data.results).map(({ status }) => status);
const fact = (content: string, fields: JsonObject = {}) => ({ content, memory_type: "fact", ...fields });

describe("a batch", () => {
  runScenarios(app, [
    {
      name: "stores valid items although others are refused, each with its index, code and message",
      method: "POST",
      path,
      options: {
        body: {
          memories: [
            fact("The bakery opens at six.", { importance: 0.9, tags: ["b", "a", "b"], source_id: "shop:1" }),
            fact(""),
            { content: "Answer in French.", memory_type: "rule", is_active: false },
            fact("x", { improtance: 1 }),
            "The bakery closes at five.",
            fact("The bakery\n opens  at six."),
            null,
          ],
        },
      },
      status: 200,
      code: 1000,
      data: {
        created: 2,
        existing: 1,
        refused: 4,
        results: [
          { index: 0, status: "created" },
          { index: 1, status: "refused", code: 1400, data: { field: "content" } },
          { index: 2, status: "created" },
          { index: 3, status: "refused", code: 1400, data: { field: "improtance" } },
          { index: 4, status: "refused", code: 1400, message: "The item must be a JSON object." },
          { index: 5, status: "existing" },
          { index: 6, status: "refused", code: 1400 },
        ],
      },
      recordedFor,
    },
    {
      name: "needs an item",
      method: "POST",
      path,
      options: { body: { memories: [] } },
      status: 400,
      code: 1400,
      message: /"memories" is empty; send at least 1 item/,
      recordedFor,
    },
    {
      name: "has at most 1,000 items",
      method: "POST",
      path,
      options: { body: { memories: Array.from({ length: 1_001 }, () => ({})) } },
      status: 400,
      code: 1400,
      message: /has 1001 items; the maximum is 1000/,
      recordedFor,
    },
    {
      name: "has no items that the ledger cannot store",
      method: "POST",
      path,
      options: { body: '{"memories":[{"content":"\\ud800","memory_type":"fact"}]}' },
      status: 400,
      code: 1400,
      message: /"memories\/0\/content" contains a lone surrogate/,
      recordedFor,
    },
  ]);

  test("stores all fields of an item", async () => {
    const [id] = idsOf(
      await send([
        { content: "The fair is in town.", memory_type: "context", expires_at: "2090-01-01T00:00:00+01:00" },
      ]),
    );
    const { data } = await app.call("GET", `/v1/memories/${id}`);
    expect(data).toMatchObject({ content: "The fair is in town.", memory_type: "context", importance: 0.5 });
    expect(data).toMatchObject({ expires_at: "2089-12-31T23:00:00.000Z", is_active: true });
    const listed = await app.call("GET", "/v1/memories?tag=a");
    expect(objects(listed.data.memories)).toMatchObject([{ importance: 0.9, tags: ["a", "b"] }]);
    const inactive = await app.call("GET", "/v1/memories?memory_type=rule");
    expect(objects(inactive.data.memories)).toMatchObject([{ is_active: false }]);
  });

  test("leaves one record that names every item, and whose results are the new memories", async () => {
    const before = app.countRecords(app.projectId);
    const first = await send([
      fact("The lake is cold."),
      fact("The lake is deep."),
      fact("The lake is cold."),
    ]);
    const [record, ...others] = app.records(app.projectId, before);
    expect(others).toEqual([]);
    expect(record?.action).toBe("memory.create_batch");
    const detail = await app.call("GET", `/v1/audit/logs/${record?.entry.id}`);
    expect(detail.data.memory_query).toEqual(["The lake is cold.", "The lake is deep.", "The lake is cold."]);
    const [cold, deep] = idsOf(first);
    expect(idsOf(first)[2]).toBe(String(cold));
    expect(detail.data.memory_results).toMatchObject([
      {
        id: cold,
        content: "The lake is cold.",
        memory_type: "fact",
        importance: 0.5,
        similarity: 1,
        source: "direct",
      },
      { id: deep, content: "The lake is deep." },
    ]);
    expect(objects(Object(detail.data.response_body).data)).toEqual([first]);
  });
});

describe("a source id", () => {
  test("gives the same memory when the item is sent again, even if the memory was changed meanwhile", async () => {
    const item = fact("The train leaves at nine.", { source_id: "timetable:7" });
    const first = await send([item]);
    const [id] = idsOf(first);
    expect(id).toMatch(/^[0-9a-f]{12}8[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    await app.call("PUT", `/v1/memories/${id}`, { body: { content: "The train leaves at ten." } });
    const again = await send([item, { ...item, content: "The train leaves at eleven." }]);
    expect([statusesOf(again), idsOf(again)]).toEqual([
      ["existing", "existing"],
      [id, id],
    ]);
    const { data } = await app.call("GET", `/v1/memories/${id}`);
    expect(data.content).toBe("The train leaves at ten.");
  });

  test("creates the memory again after it was deleted, alone or with all others", async () => {
    const project = await app.createProject("pro");
    const items = ["a", "b"].map((name) =>
      fact(`House ${name} is red.`, { source_id: name, tags: ["house"] }),
    );
    const first = idsOf(await send(items, project.key));
    await app.call("DELETE", `/v1/memories/${first[0]}`, { key: project.key });
    const second = await send(items, project.key);
    expect([statusesOf(second), idsOf(second)]).toEqual([["created", "existing"], first]);
    for (const body of [{}, { tags: ["house"] }, { memory_type: "fact" }]) {
      await app.call("DELETE", "/v1/memories", { key: project.key, body });
      const again = await send(items, project.key);
      expect([statusesOf(again), idsOf(again)]).toEqual([["created", "created"], first]);
    }
    const found = await app.call("POST", "/v1/memories/search", {
      key: project.key,
      body: { query: "red house" },
    });
    expect(objects(found.data.results)).toHaveLength(2);
  });

  test("of an export names the memory of the project that was exported, and nothing in another project", async () => {
    const created = await app.call("POST", "/v1/memories", { body: fact("The ferry leaves at nine.") });
    const { id } = created.data;
    await app.call("PUT", `/v1/memories/${id}`, { body: { content: "The ferry leaves at ten." } });
    const exported = fact("The ferry leaves at nine.", { source_id: `memledger:${id}` });
    const again = await send([exported]);
    expect([statusesOf(again), idsOf(again)]).toEqual([["existing"], [String(id)]]);
    const other = await app.createProject("pro");
    const elsewhere = await send([exported], other.key);
    expect(statusesOf(elsewhere)).toEqual(["created"]);
    expect(idsOf(elsewhere)).not.toEqual([String(id)]);
  });

  test("gives another id in another project", async () => {
    const item = fact("The bridge is closed.", { source_id: "bridge" });
    const other = await app.createProject("pro");
    expect(idsOf(await send([item]))).not.toEqual(idsOf(await send([item], other.key)));
  });

  test("is found whatever the content, and the content whatever the source id", async () => {
    const [id] = idsOf(await send([fact("The tower is tall.", { source_id: "tower" })]));
    const again = await send([
      fact("The tower is tall.", { source_id: "other" }),
      fact("Another text.", { source_id: "tower" }),
    ]);
    expect([statusesOf(again), idsOf(again)]).toEqual([
      ["existing", "existing"],
      [id, id],
    ]);
  });
});

test("an expired memory does not hold its content, but its source id", async () => {
  const expiring = (fields: JsonObject) =>
    fact("The sale is on.", { expires_at: new Date(Date.now() + 3_600_000).toISOString(), ...fields });
  const project = await app.createProject("pro");
  const [first] = idsOf(await send([expiring({ source_id: "sale" })], project.key));
  app.passTime(7_200_000);
  const again = await send([expiring({ source_id: "sale" }), fact("The sale is on.")], project.key);
  expect(statusesOf(again)).toEqual(["existing", "created"]);
  expect(idsOf(again)[0]).toBe(String(first));
});

test("items beyond the memory limit are refused, and the others are stored", async () => {
  const project = await app.createProject("pro", { memory_limit: 2 });
  const data = await send(
    ["one", "two", "three", "one"].map((name) => fact(`Number ${name}.`)),
    project.key,
  );
  expect(statusesOf(data)).toEqual(["created", "created", "refused", "existing"]);
  expect(objects(data.results)[2]).toMatchObject({ index: 2, code: 2101, data: { memory_limit: 2 } });
});

test("a key without memory.write cannot send a batch", async () => {
  const { key } = await app.createKey(app.projectId, ["memory.read"]);
  const reply = await app.call("POST", path, { key, body: { memories: [fact("The gate is open.")] } });
  expect(reply).toMatchObject({ status: 403, code: 1403 });
});

test("concurrent batches of the same items store each item once", async () => {
  const items = Array.from({ length: 40 }, (_, at) =>
    fact(`Room ${at} is free.`, { source_id: `room:${at}` }),
  );
  const replies = await Promise.all(Array.from({ length: 4 }, () => send(items)));
  expect(replies.map(({ created }) => Number(created)).reduce((sum, count) => sum + count)).toBe(40);
  expect(new Set(replies.map((data) => idsOf(data).join()))).toHaveLength(1);
});
