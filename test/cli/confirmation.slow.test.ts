// Proves that commands which destroy something ask a person first, and do nothing where there is nobody to ask.

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../program.ts";
import { cleanUp, createFolder, run, runJson } from "./command.ts";

afterAll(cleanUp);

const dataDir = createFolder();
const at = ["--data-dir", dataDir, "--log-level", "error"];
const names = async () => {
  const { json } = await runJson(["project", "list", ...at]);
  return Array.isArray(json) ? json.map((row) => Object(row).name) : [];
};

/** Runs a command on a terminal of its own and types `answer` when it asks. */
async function type(words: readonly string[], answer: string): Promise<{ exitCode: number; shown: string }> {
  let shown = "";
  let isAsked = false;
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, main, ...words, ...at], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    terminal: {
      data(terminal, bytes) {
        shown += decoder.decode(bytes, { stream: true });
        if (isAsked || !shown.includes("to confirm: ")) return;
        isAsked = true;
        terminal.write(answer);
      },
    },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  return { exitCode, shown };
}

test("a project is deleted after its name was typed", async () => {
  for (const name of ["shop", "garden"]) await run(["project", "create", "--name", name, ...at]);
  const garden = String((await runJson(["project", "show", "garden", ...at])).object.id);

  const other = await type(["project", "delete", "shop"], "yes\r");
  expect([other.exitCode, other.shown]).toEqual([1, expect.stringContaining("Nothing was changed")]);
  expect(other.shown).toContain('deletes the project "shop" with 0 memories');
  const ended = await type(["project", "delete", "shop"], "\u0004");
  expect(ended.exitCode).toBe(1);
  const unknown = await type(["project", "delete", "nobody"], "nobody\r");
  expect([unknown.exitCode, unknown.shown]).toEqual([1, expect.stringContaining('no project "nobody"')]);
  expect(await names()).toEqual(["shop", "garden"]);

  const typed = await type(["project", "delete", "shop"], "shop\r");
  expect([typed.exitCode, await names()]).toEqual([0, ["garden"]]);
  // Named by its id it still asks for the name.
  expect((await type(["project", "delete", garden], `${garden}\r`)).exitCode).toBe(1);
  expect((await type(["project", "delete", garden], "garden\r")).exitCode).toBe(0);
});

test.each([
  [["project", "delete", "kept"]],
  [["audit", "rotate-key"]],
  [["audit", "redact", "--memory", "0".repeat(32)]],
])("%j refuses without a terminal, before it opens anything", async (words) => {
  const { exitCode, stderr } = await run([...words, "--data-dir", "/nowhere"]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("Add --yes to confirm.")]);
});

test("--yes asks nothing, on a terminal or without one", async () => {
  for (const name of ["one", "two"]) await run(["project", "create", "--name", name, ...at]);
  expect((await run(["project", "delete", "one", "--yes", ...at])).exitCode).toBe(0);
  expect((await type(["project", "delete", "two", "--yes"], "")).exitCode).toBe(0);
  expect(await names()).toEqual([]);
});

test("an erasure asks for a word", async () => {
  const words = ["audit", "redact", "--memory", "0".repeat(32)];
  expect((await type(words, "no\r")).exitCode).toBe(1);
  const erased = await type(words, "erase\r");
  expect([erased.exitCode, erased.shown]).toEqual([1, expect.stringContaining("no audit record contains")]);
});

test("a change that shortens the retention says how many records it deletes, and asks", async () => {
  await run(["project", "create", "--name", "kept", ...at]);
  const update = async (...words: string[]) => run(["project", "update", "kept", ...words, ...at]);
  const shown = async () => (await runJson(["project", "show", "kept", ...at])).object;
  for (const words of [
    ["--plan", "pro"],
    ["--retention-days", "400"],
  ]) {
    const refused = await update(...words);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("Add --yes to confirm.")]);
    expect(refused.stderr).toContain("permanently deletes 0 records");
  }
  expect(await shown()).toMatchObject({ plan: "custom", retention_days: null });
  // Longer, or something else: nothing is lost.
  expect((await update("--retention-days", "400", "--yes")).exitCode).toBe(0);
  expect((await update("--retention-days", "500", "--reason", "Policy 2")).exitCode).toBe(0);
  expect((await update("--credits", "5")).exitCode).toBe(0);
  // The project's own days hold on every plan.
  expect((await update("--plan", "pro")).exitCode).toBe(0);
  expect((await update("--retention-days", "plan")).exitCode).toBe(1);
  const words = ["project", "update", "kept", "--retention-days", "3"];
  expect((await type(words, "no\r")).exitCode).toBe(1);
  expect((await type(words, "kept\r")).exitCode).toBe(0);
  expect(await shown()).toMatchObject({ plan: "pro", retention_days: 3 });
  const zero = await update("--retention-days", "0", "--yes");
  expect([zero.exitCode, zero.stderr]).toEqual([
    1,
    expect.stringContaining("--retention-days must be a whole number from 1"),
  ]);
  expect((await run(["project", "create", "--name", "none", "--retention-days", "0", ...at])).exitCode).toBe(
    1,
  );
});

test("a change of the signing key asks for a word, and says what is destroyed", async () => {
  const key = () => readFileSync(join(dataDir, "audit.key"), "utf8");
  const before = key();
  const other = await type(["audit", "rotate-key"], "yes\r");
  expect([other.exitCode, key()]).toEqual([1, before]);
  expect(other.shown).toContain("The previous private key in the data directory is deleted");
  expect((await type(["audit", "rotate-key"], "rotate\r")).exitCode).toBe(0);
  expect(key()).not.toBe(before);
});
