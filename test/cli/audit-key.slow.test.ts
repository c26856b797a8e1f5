// Proves that the key which signs the ledger never changes without a word: who starts with another one, or with none, is told.

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSigningKey } from "../../src/audit/signed-note.ts";
import { changeDatabase } from "./change-database.ts";
import { cleanUp, createFolder, run, runJson } from "./command.ts";

afterAll(cleanUp);

const made = createFolder();
const project = (name: string, ...words: string[]) => ["project", "create", "--name", name, ...words];
const inMade = ["--data-dir", made, "--log-level", "warn"];
await run([...project("one"), ...inMade]);
const publicKey = readFileSync(join(made, "audit.pub"), "utf8").trim();
const otherKey = join(createFolder(), "other.key");
writeFileSync(otherKey, createSigningKey());

/** A copy of the data directory without a file. */
function copyWithout(...names: string[]): string {
  const folder = createFolder();
  cpSync(made, folder, { recursive: true });
  for (const name of names) rmSync(join(folder, name));
  return folder;
}

test("a new installation makes its key, for its owner only", () => {
  expect(statSync(join(made, "audit.key")).mode & 0o777).toBe(0o600);
  expect(publicKey).toMatch(/^memledger\+[0-9a-f]{8}\+\S{44}$/);
});

describe("without the key", () => {
  test.each([
    ["serve", ["serve", "--port", "0"]],
    ["a command", project("two")],
  ])("%s refuses, names the choices and makes none", async (_, words) => {
    const dataDir = copyWithout("audit.key");
    const { exitCode, stderr } = await run([...words, "--data-dir", dataDir]);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(`memledger: The audit key ${join(dataDir, "audit.key")} is missing`);
    for (const choice of ["backup", "--audit-key FILE", publicKey]) expect(stderr).toContain(choice);
    expect(existsSync(join(dataDir, "audit.key"))).toBe(false);
    expect(readFileSync(join(dataDir, "audit.pub"), "utf8").trim()).toBe(publicKey);
  });

  test("and without the verifier key beside it, nothing is made either: the database knows it", async () => {
    const dataDir = copyWithout("audit.key", "audit.pub");
    const { exitCode, stderr } = await run([...project("two"), "--data-dir", dataDir]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(publicKey)]);
    expect(existsSync(join(dataDir, "audit.key"))).toBe(false);
  });

  test("its copy elsewhere serves, and so does the file once it is back", async () => {
    const dataDir = copyWithout("audit.key");
    const copy = join(made, "audit.key");
    const named = await run([...project("two"), "--data-dir", dataDir], { MEMLEDGER_AUDIT_KEY: copy });
    expect(named.exitCode).toBe(0);
    copyFileSync(copy, join(dataDir, "audit.key"));
    expect((await run([...project("three"), "--data-dir", dataDir])).exitCode).toBe(0);
    expect((await run(["audit", "verify", "--data-dir", dataDir])).exitCode).toBe(10);
  });
});

describe("another key", () => {
  test("named with --audit-key is refused, and signs nothing", async () => {
    const dataDir = copyWithout();
    const refused = await runJson([...project("two"), "--data-dir", dataDir], {
      MEMLEDGER_AUDIT_KEY: otherKey,
    });
    expect([refused.exitCode, refused.object]).toEqual([
      1,
      { error: expect.objectContaining({ message: expect.stringContaining(publicKey) }) },
    ]);
    expect(readFileSync(join(dataDir, "audit.pub"), "utf8").trim()).toBe(publicKey);
  });

  test("in place of audit.key is refused", async () => {
    const dataDir = copyWithout();
    copyFileSync(otherKey, join(dataDir, "audit.key"));
    const { exitCode, stderr } = await run([...project("two"), "--data-dir", dataDir]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("not the key that signs this ledger")]);
    // The advised command works as it is, except for the path of the previous key.
    const [, advised = ""] =
      /To change the key of the ledger to this one: memledger (.+?)\. If the previous/.exec(stderr) ?? [];
    const words = advised.replace("PREVIOUS-KEY-FILE", join(made, "audit.key")).split(" ");
    const changed = await run([...words, "--yes"]);
    expect([changed.exitCode, changed.stdout]).toEqual([
      0,
      expect.stringContaining("Start the server without --audit-key"),
    ]);
    expect((await run([...project("two"), "--data-dir", dataDir])).exitCode).toBe(0);
  });

  test.each([[["audit.key"]], [["audit.key", "audit.pub"]]])(
    "is refused in a database of an older program, which did not write its key down, without %j",
    async (missing) => {
      const dataDir = copyWithout(...missing);
      changeDatabase(dataDir, "DELETE FROM installation WHERE name = 'audit_key'");
      const without = await run([...project("two"), "--data-dir", dataDir]);
      expect([without.exitCode, without.stderr]).toEqual([1, expect.stringContaining("is missing")]);
      expect(without.stderr).toContain(publicKey.slice(0, "memledger+00000000".length));
      const other = await run([...project("two"), "--data-dir", dataDir], { MEMLEDGER_AUDIT_KEY: otherKey });
      expect(other.exitCode).toBe(1);
      const right = { MEMLEDGER_AUDIT_KEY: join(made, "audit.key") };
      expect((await run([...project("two"), "--data-dir", dataDir], right)).exitCode).toBe(0);
      const now = await run([...project("three"), "--data-dir", dataDir], { MEMLEDGER_AUDIT_KEY: otherKey });
      expect(now.exitCode).toBe(1);
    },
  );
});

test("a key that lies in an empty data directory before the first start is used", async () => {
  const dataDir = createFolder();
  copyFileSync(otherKey, join(dataDir, "audit.key"));
  expect((await run([...project("one"), "--data-dir", dataDir])).exitCode).toBe(0);
  expect(readFileSync(join(dataDir, "audit.key"), "utf8")).toBe(readFileSync(otherKey, "utf8"));
});
