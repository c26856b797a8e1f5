// Tests `memledger conversation` against a real server: list, show and erase, over the API with a key and on the machine of the server.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { call, cleanUp, createFolder, run, runJson, serve } from "./command.ts";

const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});

const said = [
  { role: "user", name: "Ana", content: "The blue folder is in Oslo.", said_at: "2026-03-12T09:00:00Z" },
  { role: "assistant", content: "I will remember that.", said_at: "2026-03-12T09:00:05Z" },
];
const say = (conversation: string, fields: JsonObject = {}) =>
  app.call("POST", "/v1/memories/extract", {
    body: { messages: said, conversation, detail: "verbatim", ...fields },
  });
const key = { MEMLEDGER_API_KEY: app.apiKey };
const conversation = (...words: string[]) => run(["conversation", ...words, "--url", app.url], key);

test("conversations are listed, shown as they were, and erased with a receipt that an auditor can verify", async () => {
  await say("chat/1 é");
  await say("chat-2", { subject: "user:1" });
  const listed = await conversation("list");
  expect(listed.stdout).toContain("chat/1 é");
  expect(listed.stdout).not.toContain("chat-2");
  expect((await conversation("list", "--subject", "user:1")).stdout).toContain("chat-2");
  const shown = await conversation("show", "chat/1 é");
  expect(shown.stdout).toBe(
    "[2026-03-12T09:00:00.000Z] Ana: The blue folder is in Oslo.\n[2026-03-12T09:00:05.000Z] assistant: I will remember that.\n",
  );
  const unknown = await conversation("show", "chat-3");
  expect([unknown.exitCode === 0, unknown.stderr.includes("no such conversation")]).toEqual([false, true]);
  const counted = await conversation("erase", "chat/1 é", "--dry-run");
  expect(counted.stdout).toMatch(/memories +2/);
  // Without a terminal nobody can be asked.
  expect((await conversation("erase", "chat/1 é")).stderr).toContain("Add --yes to confirm.");
  expect((await conversation("list")).stdout).toContain("chat/1 é");
  const receipt = join(createFolder(), "receipt.json");
  const erased = await conversation("erase", "chat/1 é", "--yes", "--receipt", receipt);
  expect(erased.stdout).toMatch(/memories +2/);
  expect((await conversation("list")).stdout).toBe("There is no conversation.\n");
  const verified = await run([
    "audit",
    "verify-receipt",
    receipt,
    "--public-key",
    join(app.config.dataDir, "audit.pub"),
  ]);
  expect([verified.exitCode, verified.stdout.startsWith("VALID")]).toEqual([10, true]);
  expect(readFileSync(receipt, "utf8")).not.toContain("folder");
  // That of the subject has another one with its own words.
  expect((await conversation("show", "chat-2", "--subject", "user:1")).stdout).toContain("blue folder");
});

test("on the machine of the server no key is needed, and the records of the project can be selected by the conversation", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const body = JSON.stringify({ messages: said, conversation: "chat-1", detail: "verbatim" });
  await call(server.url, server.ready.api_key, "/v1/memories/extract", { method: "POST", body });
  const local = (...words: string[]) => runJson([...words, "--data-dir", dataDir]);
  const records = ["audit", "list", "--project", "default", "--conversation", "chat-1"];
  expect((await local(...records)).object).toMatchObject({ total: 1 });
  expect((await local("conversation", "list")).object).toMatchObject({
    conversations: [{ conversation: "chat-1", passages: 2 }],
  });
  const dryRun = await run(["conversation", "erase", "chat-3", "--dry-run", "--data-dir", dataDir]);
  expect(dryRun.stdout).toBe("There is no such conversation. Those of hooks have --subject local:user.\n");
  const unknown = await local("conversation", "erase", "chat-3", "--yes");
  expect(unknown.object).toMatchObject({ erased: false, memories: 0 });
  const erased = await local("conversation", "erase", "chat-1", "--yes");
  expect(erased.object).toMatchObject({ erased: true, memories: 2 });
  expect((await local("conversation", "list")).object).toMatchObject({ conversations: [] });
  expect((await local(...records)).object).toMatchObject({ total: 0 });
  // Killed before the next checkpoint of the installation: what the erasure has left must not look like a removal that nobody signed.
  await server.end("SIGKILL");
  const again = await serve(dataDir);
  expect(again.url).toStartWith("http://");
  await again.end("SIGTERM");
  // Nothing else attests it: no checkpoint from outside was given.
  expect((await run(["audit", "verify", dataDir])).exitCode).toBe(10);
});

test.each([
  "conversation list",
  "conversation show chat-1",
  "conversation erase chat-1 --dry-run",
  "suggestion list",
  `suggestion refuse ${"0".repeat(32)}`,
  "memory reactivate",
])("%s creates neither a data directory nor a project", async (command) => {
  const words = command.split(" ");
  const missing = join(createFolder(), "missing");
  const refused = await run([...words, "--data-dir", missing]);
  expect([refused.exitCode, existsSync(missing)]).toEqual([1, false]);
  expect(refused.stderr).toContain("There is no memledger database in");
  const { dataDir } = app.config;
  const unknown = await run([...words, "--project", "nowhere", "--data-dir", dataDir]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("project")]);
  expect((await run(["project", "list", "--data-dir", dataDir])).stdout).not.toContain("nowhere");
});
