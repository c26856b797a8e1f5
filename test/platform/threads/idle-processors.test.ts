// Tests the count of idle processors with times of the system that are known.

import { expect, test } from "bun:test";
import { cpus } from "node:os";
import { createIdleProcessors } from "../../../src/platform/threads/idle-processors.ts";

const processor = (user: number, sys: number, idle: number) => ({
  times: { user, nice: 0, sys, idle, irq: 0 },
});

test("processors that were idle since the last question are counted with a fraction", () => {
  const readings = [
    [processor(100, 10, 890), processor(0, 0, 1_000)],
    [processor(150, 60, 890), processor(25, 0, 1_075)],
    [processor(150, 60, 990), processor(25, 0, 1_175)],
    [processor(250, 60, 990), processor(125, 0, 1_175)],
  ];
  const idle = createIdleProcessors(() => readings.shift() ?? []);
  expect([idle(), idle(), idle()]).toEqual([0.75, 2, 0]);
});

test("a system that does not tell it has idle processors", () => {
  expect(createIdleProcessors(() => [])()).toBe(Number.POSITIVE_INFINITY);
});

test("the system's own times are those of its processors", async () => {
  const idle = createIdleProcessors();
  await Bun.sleep(100);
  const found = idle();
  expect(found).toBeGreaterThanOrEqual(0);
  expect(found).toBeLessThanOrEqual(cpus().length);
});
