// Tests that a thread which computes yields, and only that thread.

import { expect } from "bun:test";
import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { linux, testWith } from "../../needs.ts";

const module = new URL("../../../src/platform/threads/priority.ts", import.meta.url);
const source = `
  import { getPriority } from "node:os";
  import { parentPort } from "node:worker_threads";
  import { yieldToOthers } from ${JSON.stringify(module)};
  yieldToOthers();
  parentPort.postMessage(getPriority(0));
`;

testWith(linux)("a thread that yields leaves the others as they are", async () => {
  const before = getPriority(0);
  const worker = new Worker(source, { eval: true });
  const yielded = await new Promise((resolve) => worker.once("message", resolve));
  await worker.terminate();
  expect(yielded).toBe(Math.min(19, before + 5));
  expect(getPriority(0)).toBe(before);
});
