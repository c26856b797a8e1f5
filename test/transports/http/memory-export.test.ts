// Tests the export of memories over HTTP: its pages, its vectors, its cursors, and its record.

import { afterAll, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const objects = (value: unknown): JsonObject[] => [value].flat().filter(isObject);
const items = Array.from({ length: 5 }, (_, at) => ({
  content: `Drawer ${at} is locked.`,
  memory_type: at === 2 ? "rule" : "fact",
  ...(at > 2 && { tags: ["desk"] }),
}));
await app.call("POST", "/v1/memories/batch", { body: { memories: items } });

const read = (query: string, key = app.apiKey) => app.call("GET", `/v1/memories/export?${query}`, { key });
const contents = (data: JsonObject) => objects(data.memories).map(({ content }) => content);

test("pages have all memories once, in the order of creation", async () => {
  const found: unknown[] = [];
  for (let cursor = ""; ; ) {
    const { data } = await read(`page_size=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    found.push(...contents(data));
    if (data.next_cursor === null) break;
    cursor = String(data.next_cursor);
  }
  expect(found).toEqual(items.map(({ content }) => content));
  expect(contents((await read("memory_type=rule")).data)).toEqual(["Drawer 2 is locked."]);
  expect(contents((await read("tag=desk")).data)).toEqual(["Drawer 3 is locked.", "Drawer 4 is locked."]);
});

test("vectors are those of the texts, and only the answer has them", async () => {
  const before = app.countRecords(app.projectId);
  const { data } = await read("include_vectors=true&page_size=1");
  const [memory] = objects(data.memories);
  const bytes = Buffer.from(String([data.vectors].flat()[0]), "base64");
  const vector = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
  expect(data.model).toMatchObject({
    dimensions: vector.length,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  const [record] = app.records(app.projectId, before);
  expect(record?.action).toBe("memory.export");
  expect(record?.payload.response_body).toEqual({
    success: true,
    code: 1000,
    message: "success",
    data: { memories: [memory ?? null], next_cursor: data.next_cursor ?? null, model: data.model ?? null },
  });
  const detail = await app.call("GET", `/v1/audit/logs/${record?.entry.id}`);
  expect(objects(detail.data.memory_results)).toMatchObject([{ id: memory?.id, content: memory?.content }]);
});

test("a cursor belongs to its list, its project and its process, and is not a number", async () => {
  const cursor = String((await read("page_size=1")).data.next_cursor);
  const other = await app.createProject("pro");
  const refused = { status: 400, code: 1400, data: { field: "cursor" } };
  expect(await read(`cursor=${cursor}&memory_type=fact`)).toMatchObject(refused);
  expect(await read(`cursor=${cursor}`, other.key)).toMatchObject(refused);
  expect(await read("cursor=abc")).toMatchObject(refused);
  expect(Buffer.from(cursor, "base64url")).toHaveLength(16);
  const again = String((await read("page_size=1&memory_type=fact")).data.next_cursor);
  expect(again).not.toBe(cursor);
  await app.restart();
  const late = await read(`cursor=${cursor}`);
  expect(late).toMatchObject(refused);
  expect(late.message).toMatch(/begin again without it/);
});

test("a key without memory.read cannot export", async () => {
  const { key } = await app.createKey(app.projectId, ["memory.write"]);
  expect(await read("", key)).toMatchObject({ status: 403, code: 1403 });
});
