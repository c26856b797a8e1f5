// Tests which processes count as running when a program decides whether to start a server.

import { expect, test } from "bun:test";
import { isRunning } from "../../../src/server/start-marker.ts";

test("this process runs, and one that has ended does not", async () => {
  expect(isRunning(process.pid)).toBe(true);
  const child = Bun.spawn(["true"]);
  await child.exited;
  expect(isRunning(child.pid)).toBe(false);
});

test("a process that has ended does not run, even if its parent does not ask for its exit code", async () => {
  const parent = Bun.spawn(["sh", "-c", "true & echo $!; exec sleep 100"], { stdout: "pipe" });
  try {
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    expect(pid).toBeGreaterThan(1);
    while (isRunning(pid)) await Bun.sleep(5);
    expect(isRunning(parent.pid)).toBe(true);
  } finally {
    parent.kill("SIGKILL");
    await parent.exited;
  }
});
