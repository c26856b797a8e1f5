// Proves that the signing key can change while older notes stay valid, and that one command signs checkpoints for the whole database.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../cli/command.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-keys-"));
const dataDir = join(folder, "data");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = (...words: string[]) => run([...words, "--data-dir", dataDir, "--log-level", "warn"]);

test("notes of a previous key stay valid, and one command signs a checkpoint of every chain", async () => {
  expect((await command("project", "create", "--name", "one")).exitCode).toBe(0);
  expect((await command("audit", "rotate-key", "--yes")).exitCode).toBe(0);
  expect((await command("project", "create", "--name", "two")).exitCode).toBe(0);
  expect(readFileSync(join(dataDir, "audit.pub"), "utf8").trim().split("\n")).toHaveLength(2);
  expect((await command("audit", "verify")).exitCode).toBe(10);

  const { stdout } = await command("audit", "checkpoint");
  const kept = join(folder, "kept.note");
  writeFileSync(kept, stdout);
  const verified = await command("audit", "verify", "--checkpoint", kept);
  expect({ exitCode: verified.exitCode, stdout: verified.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining("INTACT"),
  });
});
