// Tests what a client is told before it calls a tool: few words, in a fixed order, only what its key may do, and what operations say.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer";
import { permissions } from "../../../src/access/key.ts";
import { instructions } from "../../../src/transports/mcp/instructions.ts";
import { tools } from "../../../src/transports/mcp/tools.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, eras, post, rpc } from "./clients.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const all = [
  "memory_search",
  "memory_save",
  "memory_update",
  "memory_delete",
  "memory_list",
  "memory_context",
  "memory_extract",
];
const suggesting = ["memory_propose", "suggestion_list", "suggestion_accept", "suggestion_refuse"];
const reading = ["memory_search", "memory_list", "memory_context"];

describe.each(eras)("a client of %s", (era) => {
  const namesOf = async (key: string) => {
    // The rate of the smallest plan is less than what a client asks.
    app.passTime(60_000);
    const { sdk, close } = await connect(app, key, era);
    app.passTime(60_000);
    const { tools: listed } = await sdk.listTools();
    const { resources } = await sdk.listResources();
    const { prompts } = await sdk.listPrompts();
    const instructed = sdk.getInstructions();
    await close();
    return {
      listed,
      names: listed.map(({ name }) => name),
      extras: resources.length + prompts.length,
      instructed,
    };
  };

  test("sees all tools in their order, and the instructions", async () => {
    const { names, listed, extras, instructed } = await namesOf(app.apiKey);
    expect(names).toEqual([...all, ...suggesting]);
    expect(extras).toBe(2);
    expect(instructed).toBe(instructions);
    for (const { name, annotations } of listed) {
      const effects = tools.find((tool) => tool.name === name)?.operation.effects;
      expect<unknown>(annotations).toEqual({
        readOnlyHint: effects?.readOnly,
        destructiveHint: effects?.destructive,
        idempotentHint: effects?.idempotent,
        openWorldHint: false,
      });
    }
  });

  test("sees only what its key and its plan allow, and nothing is recorded", async () => {
    const before = app.countRecords(app.projectId);
    const reader = await app.createKey(app.projectId, ["memory.read"]);
    expect(await namesOf(reader.key)).toMatchObject({ names: reading, extras: 2 });
    const writer = await app.createKey(app.projectId, ["memory.write"]);
    expect(await namesOf(writer.key)).toMatchObject({
      names: all.filter((name) => !reading.includes(name)),
      extras: 0,
    });
    const proposer = await app.createKey(app.projectId, ["memory.propose"]);
    expect(await namesOf(proposer.key)).toMatchObject({ names: ["memory_propose"], extras: 0 });
    const agent = await app.createKey(app.projectId, ["memory.read", "memory.propose"]);
    expect(await namesOf(agent.key)).toMatchObject({
      names: [...reading, "memory_propose", "suggestion_list"],
      extras: 2,
    });
    const usual = await app.createKey(app.projectId, ["memory.read", "memory.write"]);
    expect(await namesOf(usual.key)).toMatchObject({ names: all, extras: 2 });
    const auditor = await app.createKey(
      app.projectId,
      permissions.filter((each) => each.startsWith("audit.")),
    );
    expect(await namesOf(auditor.key)).toMatchObject({ names: [], extras: 0 });
    const free = await app.createProject("free");
    expect(await namesOf(free.key)).toMatchObject({ names: [], extras: 0 });
    expect(app.countRecords(app.projectId)).toBe(before);
    expect(app.countRecords(free.id)).toBe(0);
  });
});

test("the list of tools stays below 1,500 tokens", async () => {
  const { key } = await app.createKey(app.projectId, ["memory.read", "memory.write"]);
  const { json, text } = await post(app.url, key, rpc("tools/list"));
  expect(JSON.stringify(json)).toContain("memory_extract");
  expect(encode(text).length).toBeLessThan(1500);
});

test("the instructions stay below 1 KB", () => {
  expect(Buffer.byteLength(instructions)).toBeLessThan(1024);
});

test("what is listed may be used again for a while, by this client only", async () => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (const method of ["server/discover", "tools/list", "resources/list", "prompts/list"]) {
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
    const { json } = await post(app.url, app.apiKey, rpc(method, { _meta }), headers);
    expect([method, json.result]).toMatchObject([method, { ttlMs: 60_000, cacheScope: "private" }]);
  }
});

test("no tool touches the ledger, administers, or deletes all memories", () => {
  expect(tools.map(({ operation }) => operation.name)).toEqual([
    "memory.search",
    "memory.create",
    "memory.update",
    "memory.delete",
    "memory.list",
    "memory.inject",
    "memory.extract",
    "suggestion.create",
    "suggestion.list",
    "suggestion.accept",
    "suggestion.refuse",
  ]);
});
