// The backup before a migration: it is made once, has the previous format, and can be restored; without one, nothing is migrated.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatVersion } from "../../../src/engines/sqlite/schema/migrate.ts";
import { cleanUp, createFolder, run, runJson } from "../../cli/command.ts";

afterAll(cleanUp);

const former = join(import.meta.dir, "../../engines/sqlite/version-0.1.0");
/** PRAGMA user_version in the header of the file. */
const formatOf = (folder: string) => readFileSync(join(folder, "memledger.db")).readInt32BE(60);

function copyOfPrevious(): string {
  const folder = createFolder();
  cpSync(former, folder, { recursive: true });
  rmSync(join(folder, "audit.key.pub"), { force: true });
  chmodSync(join(folder, "audit.key"), 0o600);
  return folder;
}

const list = (folder: string, variables: Readonly<Record<string, string>> = {}) =>
  run(["project", "list", "--data-dir", folder, "--log-level", "warn"], variables);

test("a command that migrates makes one first, which restores the previous format", async () => {
  const folder = copyOfPrevious();
  const format = formatOf(folder);
  expect(format).toBeLessThan(formatVersion);
  expect((await list(folder)).exitCode).toBe(0);
  expect(formatOf(folder)).toBe(formatVersion);
  const made = readdirSync(join(folder, "before-migration"));
  expect(made).toEqual([expect.stringMatching(new RegExp(`^memledger-format-${format}-.*\\.tar\\.zst$`))]);
  expect((await list(folder)).exitCode).toBe(0);
  expect(readdirSync(join(folder, "before-migration"))).toEqual(made);

  const target = join(createFolder(), "data");
  const file = join(folder, "before-migration", made[0] ?? "");
  const restored = await runJson(["restore", file, "--data-dir", target]);
  expect([restored.exitCode, restored.object.database_format]).toEqual([0, format]);
  expect(formatOf(target)).toBe(format);
});

test("if it cannot be made, nothing is migrated; with the setting, it is", async () => {
  const folder = copyOfPrevious();
  const format = formatOf(folder);
  writeFileSync(join(folder, "before-migration"), "a file where the folder should be");
  const { exitCode, stderr } = await list(folder);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/must be migrated .* --migration-backup false/),
  ]);
  expect(formatOf(folder)).toBe(format);

  const elsewhere = join(createFolder(), "backups");
  expect((await list(folder, { MEMLEDGER_BACKUP_DIR: elsewhere })).exitCode).toBe(0);
  expect(readdirSync(elsewhere)).toHaveLength(1);

  const other = copyOfPrevious();
  expect((await list(other, { MEMLEDGER_MIGRATION_BACKUP: "false" })).exitCode).toBe(0);
  expect([formatOf(other), existsSync(join(other, "before-migration"))]).toEqual([formatVersion, false]);
});
