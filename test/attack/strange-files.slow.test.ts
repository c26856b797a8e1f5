// Attack: pipes, links and foreign journals in place of the files that verification and the server read. Nobody may wait for one, and
// nobody may read another ledger than the one that lies there.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";

afterAll(cleanUp);

let honest = "";

beforeAll(async () => {
  honest = createFolder();
  const server = await serve(honest);
  await createFact(server.url, server.ready.api_key, "one");
  await call(server.url, server.ready.api_key);
  await server.end("SIGTERM");
});

function copy(): string {
  const folder = join(createFolder(), "data");
  cpSync(honest, folder, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  return folder;
}

function makePipe(path: string): void {
  rmSync(path, { force: true });
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

const pipes = ["memledger.db", "memledger.db-wal", "audit.pub", "audit.rotations"];

test.each(pipes)("a pipe in place of %s is unusable, and the server does not start with it", async (name) => {
  const folder = copy();
  makePipe(join(folder, name));
  const verified = await runJson(["audit", "verify", folder]);
  expect([verified.exitCode, verified.object.message]).toEqual([
    40,
    expect.stringContaining(`${name} is not a regular file`),
  ]);
  const { exitCode, stderr } = await run(["serve", "--port", "0", "--data-dir", folder]);
  const unusable = new RegExp(`${name} (is not a regular file|cannot be used: it is a pipe)`);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(unusable)]);
});

test("a pipe in place of checkpoints, of a given file or of an export is unusable", async () => {
  const folder = copy();
  const [notes = ""] = readdirSync(join(folder, "checkpoints"));
  const pipe = join(folder, "pipe");
  makePipe(pipe);
  writeFileSync(`${pipe}.manifest`, "");
  for (const words of [[folder, "--checkpoint", pipe], [folder, "--public-key", pipe], [pipe]]) {
    const { exitCode, object } = await runJson(["audit", "verify", ...words]);
    expect([exitCode, object.message]).toEqual([40, expect.stringContaining("pipe is not a regular file")]);
  }
  makePipe(join(folder, "checkpoints", notes));
  expect((await runJson(["audit", "verify", folder])).exitCode).toBe(40);
  const { exitCode, stderr } = await run(["serve", "--port", "0", "--data-dir", folder]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is not a regular file")]);
});

test("a linked database is verified with the files beside what the link names; the server refuses it", async () => {
  const folder = copy();
  const elsewhere = join(createFolder(), "real.db");
  renameSync(join(folder, "memledger.db"), elsewhere);
  symlinkSync(elsewhere, join(folder, "memledger.db"));
  expect((await runJson(["audit", "verify", folder])).exitCode).toBe(10);
  const { exitCode, stderr } = await run(["serve", "--port", "0", "--data-dir", folder]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("set --data-dir")]);
  writeFileSync(`${elsewhere}-journal`, "hot");
  expect((await runJson(["audit", "verify", folder])).exitCode).toBe(40);
});

test("a foreign journal is not put back into the database", async () => {
  const folder = copy();
  writeFileSync(join(folder, "memledger.db-journal"), Buffer.alloc(1024, 7));
  const { exitCode, stderr } = await run(["serve", "--port", "0", "--data-dir", folder]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("-journal exists beside the database")]);
  expect(readdirSync(folder)).toContain("memledger.db-journal");
});
