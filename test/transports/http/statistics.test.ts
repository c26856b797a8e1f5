// The numbers of memories and of records over HTTP: each needs its own permission, and hashes need a plan that shows them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestApp, type TestApp } from "../../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test("memories are counted, and an estimate says that it is one", async () => {
  const { key } = await app.createProject("custom");
  const add = (from: number, count: number) =>
    app.call("POST", "/v1/memories/batch", {
      key,
      // Equal lengths, so the estimate is exact. One word each, so that embedding them takes little time.
      body: {
        memories: Array.from({ length: count }, (_, at) => ({
          content: `m${from + at}`,
          memory_type: "fact",
        })),
      },
    });
  expect((await add(1000, 600)).data).toMatchObject({ created: 600 });
  const exact = await app.call("GET", "/v1/memories/statistics", { key });
  expect(exact.data).toMatchObject({
    total: 600,
    searchable: 600,
    content_bytes: 3000,
    content_bytes_estimated: false,
  });
  expect((await add(2000, 600)).data).toMatchObject({ created: 600 });
  const estimated = await app.call("GET", "/v1/memories/statistics", { key });
  expect(estimated.data).toMatchObject({ total: 1200, content_bytes: 6000, content_bytes_estimated: true });
  expect(estimated.data.last_changed_at).toMatch(/^20.*Z$/);
});

test("records are counted without the record of the call", async () => {
  const { key, id } = await app.createProject("pro");
  await app.call("GET", "/v1/memories", { key });
  const first = await app.call("GET", "/v1/audit/statistics", { key });
  expect(first.data).toMatchObject({ records: 1, head_seq: 1, head_hash: null });
  const second = await app.call("GET", "/v1/audit/statistics", { key });
  expect(second.data).toMatchObject({ records: 2, head_seq: 2, first_at: first.data.first_at });
  expect(app.countRecords(id)).toBe(3);
  const shown = await app.call("GET", "/v1/audit/statistics");
  expect(shown.data.head_hash ?? "").toMatch(/^([0-9a-f]{64})?$/);
});

test("a key needs the permission of what is counted", async () => {
  const { id } = await app.createProject("pro");
  const [memories, records] = [
    await app.createKey(id, ["memory.read"]),
    await app.createKey(id, ["audit.read"]),
  ];
  const status = async (path: string, key: string) => (await app.call("GET", path, { key })).status;
  expect(await status("/v1/memories/statistics", memories.key)).toBe(200);
  expect(await status("/v1/memories/statistics", records.key)).toBe(403);
  expect(await status("/v1/audit/statistics", memories.key)).toBe(403);
  expect(await status("/v1/audit/statistics", records.key)).toBe(200);
});
