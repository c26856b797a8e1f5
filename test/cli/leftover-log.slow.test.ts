// Proves that a backup which is copied beside the write-ahead log of a killed server is neither used nor changed, and that the start
// after a kill goes on as before.

import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { call, cleanUp, createFact, createFolder, run, serve } from "./command.ts";

afterAll(cleanUp);

test("a restored database beside the log of another one is refused untouched, until the log is moved away", async () => {
  const dataDir = createFolder();
  const database = join(dataDir, "memledger.db");
  const backup = join(createFolder(), "memledger.db");
  const first = await serve(dataDir);
  const key = first.ready.api_key;
  await createFact(first.url, key, "The fact of the backup.");
  await first.end("SIGTERM");
  cpSync(database, backup);
  const second = await serve(dataDir);
  for (let number = 0; number < 30; number += 1) await createFact(second.url, key, `Fact ${number}.`);
  await second.end("SIGTERM");
  const killed = await serve(dataDir);
  for (let number = 0; number < 5; number += 1) await createFact(killed.url, key, `Later fact ${number}.`);
  await killed.end("SIGKILL");
  const log = readFileSync(`${database}-wal`);
  cpSync(backup, database);

  const at = ["--data-dir", dataDir];
  const refused = await run(["serve", "--port", "0", ...at]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("move memledger.db-wal and memledger.db-shm out of the directory"),
  ]);
  expect(refused.stderr).toContain("the last server was not shut down cleanly");
  for (const words of [
    ["serve", "--port", "0", "--new-installation"],
    ["serve", "--port", "0", "--restored-backup"],
    ["project", "create", "--name", "x"],
    ["audit", "rotate-key", "--yes"],
    ["reembed"],
  ]) {
    const command = await run([...words, ...at]);
    expect([words, command.exitCode, command.stderr]).toEqual([
      words,
      1,
      expect.stringContaining("do not belong together"),
    ]);
  }
  expect(readFileSync(database).equals(readFileSync(backup))).toBe(true);
  expect(readFileSync(`${database}-wal`).equals(log)).toBe(true);

  const elsewhere = createFolder();
  for (const name of ["memledger.db-wal", "memledger.db-shm"])
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(elsewhere, name));
  // Now it is what it is: an older copy, which the operator may accept.
  const restored = await serve(dataDir, ["--restored-backup"]);
  expect(await (await call(restored.url, key)).text()).toContain("The fact of the backup.");
  expect((await restored.end("SIGTERM")).exitCode).toBe(0);
});

test("the log says that the last server was killed, and no more after an end in order", async () => {
  const dataDir = createFolder();
  const message = "the last server was not shut down cleanly";
  const words = ["--log-level", "info"];
  const first = await serve(dataDir, words);
  expect((await first.end("SIGKILL")).stderr).not.toContain(message);
  const second = await serve(dataDir, words);
  expect((await second.end("SIGTERM")).stderr).toContain(message);
  const third = await serve(dataDir, words);
  expect((await third.end("SIGTERM")).stderr).not.toContain(message);
});
