// Tests what build.ts says when it cannot build. That it can is shown by .ci/run, on the executable itself.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { workerEntries } from "../../../src/platform/threads/spawn.ts";
import { workerFiles } from "../../program.ts";

const root = join(import.meta.dir, "../../..");

test.each<[readonly string[], RegExp]>([
  [["--target", "plan9-x64"], /Cannot build for plan9-x64\..*linux-x64, linux-arm64/s],
  [["--target", "linux-x64-musl"], /no library for musl; build linux-x64/],
  [["--model", "nowhere"], /model directory .*nowhere does not exist/],
  [["--colour", "red"], /colour/],
])("%p fails and says why", (options, message) => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "build.ts", ...options], { cwd: root });
  expect(stderr.toString()).toMatch(message);
  expect(stderr.toString()).not.toContain("    at ");
  expect(exitCode).toBe(1);
});

test("every worker that is built exists", () => {
  for (const entry of Object.values(workerEntries)) expect(existsSync(join(root, "src", entry))).toBe(true);
});

test("test/program.ts names every worker, so that tests follow its changes", () => {
  const entries = Object.values(workerEntries).map((entry) => join(root, "src", entry));
  expect([...new Set(entries)].toSorted()).toEqual(workerFiles.toSorted());
});
