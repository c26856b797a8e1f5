// Tests the tools of MCP with the official clients of both eras against a real server, and that each call has its own record.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, connectFormer, eras } from "./clients.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe.each(eras)("a client of %s", (era) => {
  test("saves a memory and finds it, with a record of each call", async () => {
    const client = await connect(app.url, app.apiKey, era);
    const { projectId } = app;
    const content = `Releases of ${era} go out on Tuesdays.`;
    const before = app.countRecords(projectId);
    const saved = await client.callTool({ name: "memory_save", arguments: { content, type: "fact" } });
    expect(saved.structuredContent).toEqual({
      status: "created",
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const found = await client.callTool({
      name: "memory_search",
      arguments: { query: `When do we release ${era}?` },
    });
    expect(found.structuredContent).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ content, type: "fact" })]),
    });
    const records = app.records(projectId, before);
    expect(records.map(({ action, status }) => [action, status])).toEqual([
      ["memory.create", 201],
      ["memory.search", 200],
    ]);
    for (const { payload } of records) {
      expect(payload).toMatchObject({
        transport: "mcp",
        client_name: "test-client/1.2.3",
        ip_address: "127.0.0.1",
        user_agent: expect.stringContaining("Bun"),
      });
    }
    await client.close();
  });
});

test("the SDK of the 2025 protocols finds a memory", async () => {
  const client = await connectFormer(app.url, app.apiKey);
  const content = "The canteen closes at three.";
  await client.callTool({ name: "memory_save", arguments: { content, type: "fact" } });
  const found = await client.callTool({
    name: "memory_search",
    arguments: { query: "When does the canteen close?" },
  });
  expect(found.structuredContent).toMatchObject({
    results: expect.arrayContaining([expect.objectContaining({ content })]),
  });
  await client.close();
});
