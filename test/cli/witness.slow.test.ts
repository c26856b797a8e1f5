// Runs `memledger witness` as a process: what it prints, what a kill leaves, and how it ends.

import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeLog } from "../audit/witness/made-log.ts";
import { startServer } from "../crash/server.ts";
import { cleanUp, createFolder, run } from "./command.ts";

afterAll(cleanUp);

const log = makeLog("example.com/log");
const start = (dataDir: string) =>
  startServer({ dataDir, starts: "witness", flags: ["--log", log.key.text] });
const submit = (url: string, body: Uint8Array) => fetch(`${url}/add-checkpoint`, { method: "POST", body });

test("what it has answered survives a kill", async () => {
  const dataDir = join(createFolder(), "witness");
  let size = 0;
  for (const next of [3, 4, 9, 20]) {
    const witness = await start(dataDir);
    expect((await submit(witness.url, log.request(size, next))).status).toBe(200);
    await witness.kill();
    size = next;
  }
  const witness = await start(dataDir);
  const old = await submit(witness.url, log.request(9, 21));
  expect([old.status, await old.text()]).toEqual([409, "20\n"]);
  expect((await submit(witness.url, log.request(20, 21))).status).toBe(200);
  expect(await witness.stop()).toBe(0);
}, 60_000);

test("prints its verifier key, keeps the private one to itself, and takes no folder of a server", async () => {
  const dataDir = join(createFolder(), "witness");
  const witness = await start(dataDir);
  await witness.stop();
  const key = readFileSync(join(dataDir, "witness.pub"), "utf8").trim();
  expect(key).toMatch(/^memledger-witness\+[0-9a-f]{8}\+B/);
  for (const [name, mode] of [
    ["witness.key", 0o600],
    ["", 0o700],
  ] as const)
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(mode);
  const wrong = await run(["witness", "--log", key, "--data-dir", dataDir]);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("verifier key of a log")]);
  const without = await run(["witness", "--data-dir", dataDir]);
  expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining("--log")]);
  const server = join(createFolder(), "data");
  await run(["project", "create", "--name", "one", "--data-dir", server]);
  const taken = await run(["witness", "--log", log.key.text, "--data-dir", server]);
  expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining("folder of its own")]);
}, 60_000);
