// A program that hangs must fail the smoke test, and the failure must name the step.

import { expect, test } from "bun:test";
import { withinStepLimit } from "./step-limit.ts";

test("a process that hangs is ended, and the error says what was waited for", async () => {
  const child = Bun.spawn(["sleep", "600"]);
  const waiting = withinStepLimit("the program to end", child.exited, () => child.kill("SIGKILL"), 50);
  await expect(waiting).rejects.toThrow("waited 0.05 seconds in vain for the program to end");
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
});

test("what ends in time gives its result, and what fails its own error", async () => {
  const abandon = () => expect.unreachable();
  expect(await withinStepLimit("the result", Promise.resolve("done"), abandon)).toBe("done");
  const failed = Promise.reject(new Error("it failed"));
  await expect(withinStepLimit("the result", failed, abandon)).rejects.toThrow("it failed");
});
