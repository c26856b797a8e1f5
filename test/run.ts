// Runs tests: `bun run test [PATH...]` all but the slow ones (*.slow.test.ts), `bun run test:slow` only these, and
// `bun run test --changed [COMMIT]` those of both kinds that depend on a file that differs from COMMIT.

import { runBun } from "../release/own-bun.ts";

const slow = ".slow.test.ts";
/** The guard against tests that hang: none is meant to come near it. */
const timeoutMs = 60_000;
/** What these depend on is text to them, so imports do not tell. */
const readers = ["test/architecture.test.ts", "test/clients", "test/docs"];
const withoutSlow = ["--path-ignore-patterns", `**/*${slow}`];

const runTests = (...words: readonly string[]) =>
  runBun(["test", "--timeout", String(timeoutMs), "--parallel", ...words]);

/** The commit where this branch left main: on main itself, the last one. */
function branchPoint(): string {
  const { exitCode, stdout } = Bun.spawnSync(["git", "merge-base", "HEAD", "main"], { stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : "HEAD";
}

async function runChanged(commit = branchPoint()): Promise<number> {
  const exitCode = await runTests(`--changed=${commit}`);
  return (await runTests(...withoutSlow, ...readers)) || exitCode;
}

const [choice = "", ...rest] = process.argv.slice(2);
if (choice === "--changed") process.exitCode = await runChanged(...rest.slice(0, 1));
else if (choice === "--slow") process.exitCode = await runTests(slow, ...rest);
else process.exitCode = await runTests(...withoutSlow, ...process.argv.slice(2));
