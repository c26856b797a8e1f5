// Runs the conformance suite with an engine in memory, and starts the whole server on it: the interface can be implemented without a
// database, but for the parts that are named here.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../../src/server/app.ts";
import { loadConfig } from "../../../src/server/config/config.ts";
import { describeEngine } from "../../calls/storage/conformance.ts";
import { createMemoryEngine } from "./engine.ts";

describeEngine({
  name: "in memory",
  open: createMemoryEngine,
  lacks: {
    durability: "the data ends with the process",
    "word forms": "it has no stemmer; SQLite's full-text index brings one",
    "export files": "nothing works on exports",
    retention: "nothing removes old records",
  },
});

test("a server on another engine creates, finds and lists memories, and records each call", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "memledger-memory-engine-"));
  const { config } = loadConfig({ flags: { "data-dir": dataDir, port: "0", "log-level": "warn" } });
  const complaints: string[] = [];
  const complain = (message: string) => void complaints.push(message);
  const app = await startApp(config, {
    logger: { debug() {}, info() {}, warn: complain, error: complain },
    chooseEngine: () => createMemoryEngine(dataDir),
  });
  try {
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${app.apiKey}`, "Content-Type": "application/json" };
      const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${app.url}/v1${path}`, init);
      return { status: response.status, data: Object(await response.json()).data };
    };
    const make = (content: string) => call("POST", "/memories", { content, memory_type: "fact" });
    const release = await make("Releases go out on Tuesdays.");
    await make("The cafeteria closes at three.");
    expect((await make("Releases go out on Tuesdays.")).status).toBe(409);
    const found = await call("POST", "/memories/search", { query: "When do we ship?", top_k: 1 });
    expect(found.data.results).toMatchObject([{ memory: { id: release.data.id } }]);
    const listed = await call("GET", "/memories");
    expect(listed.data.pagination).toMatchObject({ total: 2 });
    expect(listed.data.memories[1].last_accessed_at).toBeString();
    const { logs } = (await call("GET", "/audit/logs")).data;
    expect(logs.map(({ action, http_status }: Record<string, unknown>) => [action, http_status])).toEqual([
      ["memory.list", 200],
      ["memory.search", 200],
      ["memory.create", 409],
      ["memory.create", 201],
      ["memory.create", 201],
    ]);
    const verified = await call("GET", "/audit/verify");
    expect(verified.data).toMatchObject({ verified: 6, complete: true, failure: null });
    expect((await fetch(`${app.url}/health/ready`)).status).toBe(200);
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
  expect(complaints).toEqual([]);
});
