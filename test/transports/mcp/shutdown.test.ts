// Proves what a shutdown does to clients of MCP: running calls are answered, and no stream is left open.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { type FakeLlm, items, startFakeLlm } from "../../models/extraction/fake-llm.ts";
import { connect, eras, post, rpc } from "./clients.ts";

let llm: FakeLlm;
let app: TestApp;
beforeAll(async () => {
  llm = await startFakeLlm();
  app = await startTestApp({ "llm-base-url": llm.url, "llm-model": "fake-model" });
});
afterAll(async () => {
  await app.stop();
  await llm.stop();
});

test.each(eras)(
  "a call of a client of %s that runs at the shutdown is answered and recorded",
  async (era) => {
    const client = await connect(app, app.apiKey, era);
    const before = app.countRecords(app.projectId);
    const stopping = Promise.withResolvers<void>();
    const answer = items({
      content: "Releases go out on Tuesdays.",
      evidence: "Releases go out on Tuesdays.",
    });
    llm.otherwise(async (request, response) => {
      await stopping.promise;
      await answer(request, response);
    });
    const asked = llm.arrived(llm.requests.length + 1);
    const call = client.call("memory_extract", { text: "Ana: Releases go out on Tuesdays.", dry_run: true });
    await asked;
    const restarted = app.restart();
    // The server listens no more, and the call still runs.
    while (await isListening()) await Bun.sleep(5);
    stopping.resolve();
    expect(await call).toMatchObject({ isError: false, structured: { items: [{ action: "created" }] } });
    await restarted;
    expect(app.records(app.projectId, before).map(({ action, status }) => [action, status])).toEqual([
      ["memory.extract", 200],
    ]);
    await client.close();
  },
);

const isListening = () =>
  fetch(`${app.url}/health/live`).then(
    () => true,
    () => false,
  );

test("a client that listens for changes hears at once that there are none, so no stream stays open", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" };
  const listen = rpc("subscriptions/listen", { _meta, notifications: { toolsListChanged: true } });
  const { text } = await post(app.url, app.apiKey, listen, headers);
  expect(text).toContain('"notifications":{}');
  expect(text).toContain('"resultType":"complete"');
});
