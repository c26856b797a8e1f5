// Tests `memledger mcp` with real processes and real traffic: official clients, messages of all kinds, a server elsewhere, the end. Many
// clients and killed processes are in many-clients.slow.test.ts.

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { findBackgroundServer } from "../../../src/server/find-background-server.ts";
import { cleanUp, run, runJson, serve, spawn } from "../../cli/command.ts";
import { startFakeLlm } from "../../models/extraction/fake-llm.ts";
import { main } from "../../program.ts";
import { endServersAfterEach } from "../local-access/background.ts";
import { endShimsAfterEach, initialize } from "./shim.ts";
import { textOf } from "./stdio-client.ts";

const { directory, serverOf } = endServersAfterEach();
const startShim = endShimsAfterEach();
afterAll(cleanUp);

const at = (dataDir: string, ...words: string[]) => ({ words: ["--data-dir", dataDir, ...words] });
const save = (content: string) => ({ content, type: "fact" });

describe("official clients", () => {
  const command = (dataDir: string) => ({
    command: process.execPath,
    args: [main, "mcp", "--data-dir", dataDir],
    stderr: "pipe" as const,
  });

  test("of both eras save and find in one memory, and the ledger names them", async () => {
    const dataDir = directory();
    const pinned = new Client(
      { name: "pinned", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const legacy = new Client({ name: "legacy", version: "2" }, { versionNegotiation: { mode: "legacy" } });
    const former = new PreviousClient({ name: "former", version: "3" });
    await Promise.all([
      pinned.connect(new StdioClientTransport(command(dataDir))),
      legacy.connect(new StdioClientTransport(command(dataDir))),
      former.connect(new PreviousTransport(command(dataDir))),
    ]);
    await serverOf(dataDir);
    for (const client of [pinned, legacy, former]) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("memory_save");
    }
    await pinned.callTool({ name: "memory_save", arguments: save("The deploy is on Thursday.") });
    await legacy.callTool({ name: "memory_save", arguments: save("The office is in Lisbon.") });
    await former.callTool({ name: "memory_save", arguments: save("Dana prefers tea.") });
    for (const client of [pinned, legacy, former]) {
      const found = await client.callTool({
        name: "memory_search",
        arguments: { query: "Where is the office?" },
      });
      expect(JSON.stringify(found.content)).toContain("Lisbon");
      const rules = await client.readResource({ uri: "memledger://rules" });
      expect(rules.contents).toHaveLength(1);
    }
    await Promise.all([pinned, legacy, former].map((client) => client.close()));
    const exported = join(dataDir, "..", "records.json");
    const span = ["--from", "2020-01-01", "--to", "2099-01-01", "--format", "json", "--out", exported];
    await runJson(["audit", "export", "--project", "default", ...span, "--data-dir", dataDir]);
    const records = readFileSync(exported, "utf8");
    expect(records.split('"action":"memory.create"')).toHaveLength(4);
    expect((await runJson(["audit", "verify", "--data-dir", dataDir])).exitCode).toBe(10);
  }, 120_000);
});

test("progress of an extraction passes through, and a cancelled one ends and is not answered", async () => {
  const llm = await startFakeLlm();
  const dataDir = directory();
  const variables = { MEMLEDGER_LLM_BASE_URL: llm.url, MEMLEDGER_LLM_MODEL: "some-model" };
  const shim = startShim({ ...at(dataDir), variables });
  const extract = (progressToken: string) => ({
    name: "memory_extract",
    arguments: { text: `Dana prefers tea, ${progressToken}.`, dry_run: true },
    _meta: { progressToken },
  });
  await shim.ask("initialize", initialize);
  await serverOf(dataDir);
  expect(await shim.ask("tools/call", extract("one"))).toHaveProperty("result");
  const progress = shim.messages.filter(({ method }) => method === "notifications/progress");
  expect(progress.length).toBeGreaterThan(0);
  expect(progress[0]).toMatchObject({ params: { progressToken: "one" } });

  // The model never answers.
  llm.otherwise(() => {});
  const before = llm.requests.length;
  shim.send({ jsonrpc: "2.0", id: "cancelled", method: "tools/call", params: extract("two") });
  await llm.arrived(before + 1);
  shim.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "cancelled" } });
  expect(await llm.requests.at(-1)?.abandoned).toBe(true);
  expect(textOf(await shim.tool("memory_save", save("after")))).toStartWith("created");
  expect((await shim.end()).exitCode).toBe(0);
  expect(shim.messages.filter(({ id }) => id === "cancelled")).toEqual([]);
  await llm.stop();
});

describe("the end", () => {
  test("of stdin waits for the answers", async () => {
    const dataDir = directory();
    const shim = startShim(at(dataDir));
    for (let id = 0; id < 5; id++) {
      const params = { name: "memory_save", arguments: save(`last ${id}`) };
      shim.send({ jsonrpc: "2.0", id, method: "tools/call", params });
    }
    const { exitCode, stderr } = await shim.end();
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(shim.messages.map(({ id }) => id).toSorted()).toEqual([0, 1, 2, 3, 4]);
    await serverOf(dataDir);
  });

  test("of stdin before anything was sent starts nothing and writes nothing", async () => {
    const dataDir = directory();
    const shim = startShim(at(dataDir));
    expect(await shim.end()).toEqual({ exitCode: 0, stderr: "" });
    expect(shim.messages).toEqual([]);
    expect(existsSync(dataDir)).toBe(false);
    expect(await findBackgroundServer(dataDir)).toBeNull();
  });
});

describe("a server elsewhere", () => {
  test("is used with the key of the environment, at the address of the API or of its endpoint", async () => {
    const server = await serve(directory());
    const variables = { MEMLEDGER_API_KEY: String(server.ready.api_key) };
    for (const url of [server.url, `${server.url}/`, `${server.url}/mcp`]) {
      const shim = startShim({ words: ["--url", url], variables });
      const text = textOf(await shim.tool("memory_save", save("Far away.")));
      expect(text).toMatch(/^(created|already known)/);
      expect(await shim.end()).toEqual({ exitCode: 0, stderr: "" });
    }
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
  });

  test("that has ended is named, and the program goes on", async () => {
    const server = await serve(directory());
    await server.end("SIGTERM");
    const variables = { MEMLEDGER_API_KEY: String(server.ready.api_key) };
    const shim = startShim({ words: ["--url", server.url], variables });
    for (let turn = 0; turn < 2; turn++)
      expect(await shim.ask("initialize", initialize)).toMatchObject({
        error: { message: expect.stringContaining(`${server.url} cannot be reached`) },
      });
    const { exitCode, stderr } = await shim.end();
    expect([exitCode, stderr.includes(variables.MEMLEDGER_API_KEY)]).toEqual([0, false]);
  });

  test("is asked on, although nobody reads the errors any more", async () => {
    const child = spawn(
      ["mcp", "--url", "http://127.0.0.1:9"],
      { MEMLEDGER_API_KEY: "k" },
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'),
    );
    await child.stderr.cancel();
    expect((await child.stdout.text()).trim().split("\n")).toHaveLength(2);
    expect(await child.exited).toBe(0);
  });

  test.each([
    [["--url", "http://127.0.0.1:9"], {}, "Set the environment variable MEMLEDGER_API_KEY"],
    [["--url", "http://127.0.0.1:9"], { MEMLEDGER_API_KEY: "a\nb" }, "visible ASCII"],
    [["--url", "http://ada:secret@127.0.0.1:9"], { MEMLEDGER_API_KEY: "k" }, "without credentials"],
    [["--url", "127.0.0.1:9"], { MEMLEDGER_API_KEY: "k" }, "must be an http or https URL"],
    [["--url", "http://127.0.0.1:9", "--project", "x"], { MEMLEDGER_API_KEY: "k" }, "cannot be used with"],
    [["--key", "ml_secret"], {}, "unknown option"],
  ])(
    "with the options %p and the variables %p: an error before the first message",
    async (words, variables, expected) => {
      const { exitCode, stdout, stderr } = await run(["mcp", ...words], { ...variables });
      expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(expected)]);
      expect(stderr).not.toContain("secret@");
    },
  );
});

test("a person who starts it on a terminal is told what it is for, and how to end it", async () => {
  let shown = "";
  const child = Bun.spawn([process.execPath, main, "mcp", "--data-dir", directory()], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    terminal: {
      data(terminal, bytes) {
        shown += new TextDecoder().decode(bytes);
        // Ctrl+D
        if (shown.includes("Ctrl+D")) terminal.write("\u0004");
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  expect(shown).toContain("memledger connect");
});

test("each request of a batch is answered", async () => {
  const dataDir = directory();
  const shim = startShim(at(dataDir));
  const requests = [
    { id: 1, method: "ping" },
    { id: 2, method: "tools/call", params: { name: "memory_save", arguments: save("Tea is at four.") } },
    { id: 3, method: "tools/list" },
    { method: "notifications/initialized" },
  ];
  shim.send(JSON.stringify(requests.map((request) => ({ jsonrpc: "2.0", ...request }))));
  const answers = [await shim.next(), await shim.next(), await shim.next()];
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  expect(answers.every((answer) => "result" in answer)).toBe(true);
  await serverOf(dataDir);
});

test("what is no message is answered as JSON-RPC says, and the next message is read", async () => {
  const dataDir = directory();
  const shim = startShim(at(dataDir));
  for (const text of ["nonsense", '{"jsonrpc":', "x".repeat(9 * 1024 * 1024)]) {
    shim.send(text);
    expect(await shim.next()).toMatchObject({ id: null, error: { code: -32700 } });
  }
  shim.send("\r\n\n  \n");
  for (const text of ["[]", "7", '{"jsonrpc":"2.0","id":null,"method":"ping"}']) {
    shim.send(text);
    expect(await shim.next()).toMatchObject({ error: { code: -32600 } });
  }
  expect(await shim.ask("nope")).toMatchObject({ error: { code: -32601 } });
  const large = await shim.tool("memory_save", save("x".repeat(2 * 1024 * 1024)));
  expect(JSON.stringify(large)).toMatch(/maximum|larger|most/);
  expect(await shim.ask("initialize", initialize)).toHaveProperty("result");
  await serverOf(dataDir);
});
