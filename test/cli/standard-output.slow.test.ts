// Tests commands whose standard output cannot be written: a full disk, and a reader that has gone. /dev/full is a file of Linux.

import { afterAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linux, testWith } from "../needs.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, run, serve } from "./command.ts";

afterAll(cleanUp);
const dataDir = createFolder();
await (await serve(dataDir)).end("SIGTERM");

/** Runs the command in a shell, which connects its standard output: `> FILE`, or a program that reads it. */
async function runInShell(output: string, ...words: readonly string[]) {
  const script = `"$@" ${output}; exit \${PIPESTATUS[0]}`;
  const child = Bun.spawn(["bash", "-c", script, "bash", process.execPath, main, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: dataDir },
    stdout: "ignore",
    stderr: "pipe",
  });
  return { stderr: await child.stderr.text(), exitCode: await child.exited };
}

testWith(linux)(
  "a result that a full disk does not take is one line on stderr, and exit code 1",
  async () => {
    const named = ["--data-dir", dataDir];
    for (const words of [
      ["audit", "checkpoint", ...named],
      ["project", "list", ...named, "--json"],
      ["man"],
    ]) {
      const { stderr, exitCode } = await runInShell("> /dev/full", ...words);
      const lines = stderr
        .trimEnd()
        .split("\n")
        .filter((line) => !line.startsWith("{"));
      expect(lines).toEqual([
        "memledger: Standard output cannot be written: no space is left on the disk. Free disk space. If the command changes data, the change was made.",
      ]);
      expect(exitCode).toBe(1);
    }
  },
);

testWith(linux)("help that a full disk does not take prints no stack trace", async () => {
  expect((await runInShell("> /dev/full", "--help")).stderr).toBe("");
});

testWith(linux)("an export to a full disk or to a reader that has gone ends with one line", async () => {
  const input = new TextEncoder().encode("- One.\n- Two.\n");
  const target = ["--project", "default", "--data-dir", dataDir];
  expect((await run(["memory", "import", "-", ...target], {}, input)).exitCode).toBe(0);
  const words = ["memory", "export", "--out", "-", ...target];
  expect((await runInShell("> /dev/full", ...words)).stderr).toBe(
    "memledger: Standard output cannot be written: no space is left on the disk. Free disk space.\n",
  );
  const closed = await runInShell("| true", ...words);
  expect(closed).toEqual({
    exitCode: 1,
    stderr: "memledger: Standard output was closed before everything was written to it.\n",
  });
  await run(["stop", "--data-dir", dataDir]);
});

testWith(linux)("a server whose ready message cannot be written serves", async () => {
  const script = 'exec "$@" > /dev/full';
  const words = [main, "serve", "--port", "0", "--data-dir", dataDir, "--log-level", "info"];
  const child = Bun.spawn(["bash", "-c", script, "bash", process.execPath, ...words], {
    env: { PATH: process.env.PATH ?? "", HOME: dataDir },
    stdout: "ignore",
    stderr: Bun.file(join(dataDir, "messages.txt")),
  });
  try {
    const text = () => readFileSync(join(dataDir, "messages.txt"), "utf8");
    while (!text().includes("Standard output cannot be written") && child.exitCode === null)
      await Bun.sleep(20);
    expect(await run(["health", "--data-dir", dataDir])).toMatchObject({ exitCode: 0 });
    expect(text()).not.toContain("    at ");
  } finally {
    child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
});
