// Attack: records are removed, and the next scheduled `audit checkpoint` would replace the only checkpoint that shows it.

import { afterAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, createFolder, run, runJson } from "../cli/command.ts";

afterAll(cleanUp);

const dataDir = createFolder();
const place = createFolder();
const kept = join(place, "kept.note");
const checkpoint = (...words: string[]) =>
  run(["audit", "checkpoint", "--out", kept, ...words, "--data-dir", dataDir]);

test("a kept checkpoint is replaced by one that covers it, and by no other", async () => {
  await run(["project", "create", "--name", "first", "--plan", "pro", "--data-dir", dataDir]);
  expect((await checkpoint()).exitCode).toBe(0);
  expect(readdirSync(place)).toEqual(["kept.note"]);
  expect((await run(["audit", "verify", dataDir, "--checkpoint", kept])).exitCode).toBe(0);
  copyFileSync(join(dataDir, "memledger.db"), join(place, "older.db"));
  await run(["project", "create", "--name", "second", "--plan", "pro", "--data-dir", dataDir]);
  expect((await checkpoint()).exitCode).toBe(0);
  const evidence = readFileSync(kept, "utf8");

  // A command that fails leaves the file.
  const failed = await run(["audit", "checkpoint", "--out", kept, "--data-dir", join(place, "none")]);
  expect([failed.exitCode, readFileSync(kept, "utf8")]).toEqual([1, evidence]);
  const one = await checkpoint("--project", "first");
  expect([one.exitCode, one.stderr]).toEqual([1, expect.stringContaining("do not contain this chain")]);

  // An older copy, with the files of checkpoints that it had.
  const other = createFolder();
  copyFileSync(join(place, "older.db"), join(other, "memledger.db"));
  for (const name of ["audit.key", "audit.pub"]) copyFileSync(join(dataDir, name), join(other, name));
  const lost = await run(["audit", "checkpoint", "--out", kept, "--data-dir", other]);
  expect([lost.exitCode, lost.stderr]).toEqual([
    1,
    expect.stringMatching(
      /kept.note was not replaced: it states that chain [0-9a-f]{32} had \d+ records, but/,
    ),
  ]);
  expect(readFileSync(kept, "utf8")).toBe(evidence);
  const forced = await runJson(["audit", "checkpoint", "--out", kept, "--force", "--data-dir", other]);
  expect([forced.exitCode, forced.object.file]).toEqual([0, kept]);
  expect(readFileSync(kept, "utf8")).not.toBe(evidence);
});

test("a file of another kind is not replaced", async () => {
  writeFileSync(kept, "a shopping list");
  const { exitCode, stderr } = await checkpoint();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is not a file of checkpoints")]);
  expect(existsSync(join(dataDir, "memledger.db"))).toBe(true);
});
