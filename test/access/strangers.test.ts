// Proves that calls without a key cannot fill the disk, and that their number is still told.

import { expect, test } from "bun:test";
import { createStrangers } from "../../src/access/strangers.ts";
import { startTestApp } from "../fixture.ts";

test("ten a second are recorded, the rest is told once a minute", () => {
  const judge = createStrangers();
  const burst = Array.from({ length: 15 }, () => judge("203.0.113.9", 0));
  expect(burst.map(({ kind }) => kind)).toEqual([...Array(10).fill("record"), ...Array(5).fill("limit")]);
  expect(burst[10]).toEqual({ kind: "limit", waitSeconds: 1, uncounted: 1 });
  expect(burst[14]).toEqual({ kind: "limit", waitSeconds: 1, uncounted: null });
  for (let index = 0; index < 10; index++) judge("203.0.113.9", 60_000);
  expect(judge("203.0.113.9", 60_000)).toEqual({ kind: "limit", waitSeconds: 1, uncounted: 5 });
  expect(judge("203.0.113.10", 0).kind).toBe("record");
});

test("a flood leaves eleven records", async () => {
  const app = await startTestApp();
  const before = app.countRecords(null);
  const replies = await Promise.all(
    Array.from({ length: 60 }, () => app.call("GET", "/v1/memories", { key: null })),
  );
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  expect(count(401)).toBeGreaterThanOrEqual(10);
  expect(count(401) + count(429)).toBe(60);
  expect(app.countRecords(null) - before).toBe(count(401) + 1);
  const last = app.records(null).find(({ status }) => status === 429);
  expect(last?.entry.code).toBe(1429);
  expect(String(last?.payload.error_msg)).toMatch(/without a valid key: 1 from this address/);
  await app.stop();
});
