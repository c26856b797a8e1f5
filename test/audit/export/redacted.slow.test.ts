// Proves that an erasure also takes what exports hold: their files go, and nobody can download them any more.

import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { changeDatabase } from "../../cli/change-database.ts";
import { cleanUp, createFolder, run, runJson, serve } from "../../cli/command.ts";
import { begin, dataOf, exportAll, fatten, send, type Target } from "./exporting.ts";

afterAll(cleanUp);

const secret = "Ada lives at 21 Example Lane";

async function start() {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const target: Target = { url: server.url, key: String(server.ready.api_key) };
  return { dataDir, server, target };
}

async function remember(target: Target, content: string): Promise<string> {
  const body = { content, memory_type: "fact" };
  return String((await dataOf(await send(target, "POST", "/v1/memories", { body }))).id);
}

const filesIn = (dataDir: string) => readdirSync(join(dataDir, "exports")).toSorted();
const redact = (dataDir: string, memory: string) => [
  ...["audit", "redact", "--memory", memory, "--delete-memory", "--yes"],
  ...["--data-dir", dataDir],
];

test("exports that hold the records are removed before the answer; others stay", async () => {
  const { dataDir, server, target } = await start();
  const before = await exportAll(target);
  const memory = await remember(target, secret);
  const holding = await exportAll(target);
  expect(holding.text).toContain(secret);
  const erased = await run(redact(dataDir, memory));
  expect([erased.exitCode, erased.stdout]).toEqual([0, expect.stringContaining(holding.id)]);
  expect(erased.stdout).toContain("Delete downloaded copies yourself.");
  expect(erased.stdout).not.toContain(before.id);
  expect(filesIn(dataDir)).toEqual([`${before.id}.csv`, `${before.id}.csv.manifest`]);
  const path = `/v1/audit/logs/export/${holding.id}`;
  for (const each of [path, `${path}/download`, `${path}/manifest`])
    expect((await send(target, "GET", each)).status).toBe(404);
  expect((await exportAll(target)).text).not.toContain(secret);

  const again = await runJson(redact(dataDir, memory));
  expect([again.exitCode, again.object.error]).toMatchObject([1, { code: 2204 }]);
  expect(again.stderr).toContain("no audit record contains this memory");
  await server.end("SIGTERM");
});

test("it is the same without a running server", async () => {
  const { dataDir, server, target } = await start();
  const memory = await remember(target, secret);
  await exportAll(target);
  await server.end("SIGTERM");
  expect((await run(redact(dataDir, memory))).exitCode).toBe(0);
  expect(filesIn(dataDir)).toEqual([]);
});

test("an export that is being written ends, and leaves no file", async () => {
  const { dataDir, server, target } = await start();
  const memory = await remember(target, secret);
  await fatten(target, 400);
  const id = await begin(target);
  expect((await run(redact(dataDir, memory))).exitCode).toBe(0);
  expect(filesIn(dataDir)).toEqual([]);
  expect((await send(target, "GET", `/v1/audit/logs/export/${id}`)).status).toBe(404);
  // The next one is not kept waiting by it, and no late step brings a file back.
  const next = await exportAll(target);
  expect(next.text).not.toContain(secret);
  expect(filesIn(dataDir)).toEqual([`${next.id}.csv`, `${next.id}.csv.manifest`]);
  await server.end("SIGTERM");
});

test("files that a crash has left after the commit are removed by the next start", async () => {
  const { dataDir, server, target } = await start();
  await remember(target, secret);
  const { id } = await exportAll(target);
  await server.end("SIGTERM");
  // What the commit of the erasure leaves.
  changeDatabase(dataDir, "UPDATE audit_export SET expires_at = 0");
  expect(readFileSync(join(dataDir, "exports", `${id}.csv`), "utf8")).toContain(secret);
  const next = await serve(dataDir);
  while (filesIn(dataDir).length > 0) await Bun.sleep(10);
  await next.end("SIGTERM");
});
