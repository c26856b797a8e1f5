// A thousand calls of tools from thirty-two clients at once, of both eras and both SDKs: none is lost, each is answered with what it
// asked for, and each is one record under the name of its client, in chains that verify.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { checkChains } from "../../audit/chain-check.ts";
import { run } from "../../cli/command.ts";
import { startTestApp } from "../../fixture.ts";
import { connect, connectPrevious } from "./clients.ts";

const clients = 32;
const rounds = 4;
const app = await startTestApp({ "log-level": "silent" });
afterAll(() => app.stop());

type Call = (tool: string, input: JsonObject) => Promise<{ structured: JsonObject; isError: boolean }>;

/** A third of the clients each: the current SDK in both eras, and the SDK before it. */
async function open(number: number, key: string): Promise<{ call: Call; close(): Promise<void> }> {
  const info = { name: `load-${number}`, version: "1.0" };
  if (number % 3 !== 2) return connect(app, key, number % 3 === 0 ? "2026-07-28" : "2025-11-25", info);
  const former = await connectPrevious(app.url, key, info);
  return {
    async call(name, input) {
      const { structuredContent, isError } = await former.callTool({ name, arguments: input });
      const structured: unknown = structuredContent;
      return { structured: isObject(structured) ? structured : {}, isError: isError === true };
    },
    close: () => former.close(),
  };
}

test("every call is answered, performed once, and recorded once under the name of its client", async () => {
  const project = await app.createProject("custom");
  const before = app.countRecords(project.id);
  /** What the answers say, as records have to say it: client, action and status. */
  const told: string[] = [];
  const alive = new Map<string, string>();
  let known = 0;

  const work = async (number: number): Promise<void> => {
    const client = await open(number, project.key);
    const use = async (tool: string, input: JsonObject, action: string, status: number) => {
      const reply = await client.call(tool, input);
      expect(reply.isError).toBe(status >= 400 && status !== 409);
      told.push(`load-${number}/1.0 ${action} ${status}`);
      return reply.structured;
    };
    for (let round = 0; round < rounds; round++) {
      const content = `Client ${number} keeps box ${round} in room ${number * rounds + round}.`;
      const saved = await use("memory_save", { content, type: "fact" }, "memory.create", 201);
      const id = String(saved.id);
      expect(saved.status).toBe("created");
      const again = await use("memory_save", { content, type: "fact" }, "memory.create", 409);
      expect(again).toEqual({ status: "already known", id });
      const found = await use("memory_search", { query: content, top_k: 3 }, "memory.search", 200);
      expect([found.results].flat()[0]).toMatchObject({ id, content });
      const changed = `Client ${number} has moved box ${round} to room ${number * rounds + round}.`;
      await use("memory_update", { id, content: changed }, "memory.update", 200);
      await use("memory_list", { type: "fact" }, "memory.list", 200);
      await use("memory_context", { query: changed, max_characters: 500 }, "memory.inject", 200);
      // All clients save the same content at once: one of them creates it.
      const common = { content: `Everybody says ${round}.`, type: "context" };
      const { structured } = await client.call("memory_save", common);
      const isNew = structured.status === "created";
      known += isNew ? 0 : 1;
      if (isNew) alive.set(String(structured.id), common.content);
      told.push(`load-${number}/1.0 memory.create ${isNew ? 201 : 409}`);
      if (round % 2 === 0) {
        await use("memory_delete", { id }, "memory.delete", 204);
        await use("memory_delete", { id }, "memory.delete", 404);
      } else alive.set(id, changed);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => work(number)));

  expect(told.length).toBeGreaterThanOrEqual(1000);
  expect(known).toBe((clients - 1) * rounds);
  const records = app.records(project.id, before);
  const recorded = records.map(({ action, status, payload }) => `${payload.client_name} ${action} ${status}`);
  expect(recorded.toSorted()).toEqual(told.toSorted());
  expect(new Set(records.map(({ payload }) => payload.transport))).toEqual(new Set(["mcp"]));

  const listed = new Map<string, string>();
  for (let page = 1; page <= 2; page++) {
    const { data } = await app.call("GET", `/v1/memories?page=${page}&page_size=100`, { key: project.key });
    for (const item of [data.memories].flat()) listed.set(Object(item).id, Object(item).content);
  }
  expect(listed).toEqual(alive);
  checkChains(join(app.config.dataDir, "memledger.db"));
  // 10: every check has passed, and no checkpoint was kept elsewhere.
  const verified = await run(["audit", "verify", "--data-dir", app.config.dataDir]);
  expect([verified.exitCode, verified.stdout]).toEqual([10, expect.stringContaining("every check passed")]);
}, 120_000);
