// Proves that calls without a key cannot fill the disk, and that their number is still told.

import { expect, test } from "bun:test";
import { createUnauthenticatedLimit } from "../../src/access/unauthenticated-limit.ts";
import { unauthenticatedNetworkRate, unauthenticatedRate } from "../../src/platform/limits.ts";
import { callFromManyNetworks } from "../attack/many-addresses.ts";
import { startTestApp } from "../fixture.ts";
import { linux, testWith } from "../needs.ts";

const { burst, perSecond } = unauthenticatedNetworkRate;

test("ten of a network are recorded at once, then one a second, and the rest is told once a minute", () => {
  const judge = createUnauthenticatedLimit();
  // Addresses of one network count as one, in either family.
  for (const addressOf of [
    (host: number) => `203.0.113.${host}`,
    (host: number) => `2001:db8:7:${host}::${host}`,
  ]) {
    const calls = Array.from({ length: burst + 5 }, (_, index) => judge(addressOf(index), 0));
    expect(calls.slice(0, burst)).toEqual(Array(burst).fill({ kind: "record" }));
    expect(calls[burst]).toMatchObject({ kind: "limit", waitSeconds: 1, unrecorded: { calls: 1 } });
    expect(calls.slice(burst + 1)).toEqual(
      Array(4).fill({ kind: "limit", waitSeconds: 1, unrecorded: null }),
    );
    expect(judge(addressOf(0), 1_000 / perSecond).kind).toBe("record");
    for (let index = 0; index < burst; index++) judge(addressOf(index), 60_000);
    expect(judge(addressOf(1), 60_000)).toMatchObject({ unrecorded: { calls: 5 } });
  }
  expect(judge("203.0.113.1", 60_000)).toEqual({ kind: "limit", waitSeconds: 1, unrecorded: null });
  expect(judge("203.0.114.1", 0).kind).toBe("record");
  expect(judge("2001:db8:8::1", 0).kind).toBe("record");
});

test("all networks together are limited, and counted together", () => {
  const judge = createUnauthenticatedLimit({ maxNetworks: 20 });
  const sweep = (nowMs: number, networks = 10_000) => {
    const verdicts = Array.from({ length: networks }, (_, index) =>
      judge(`10.${index >> 8}.${index & 255}.1`, nowMs),
    );
    const records = verdicts.filter((verdict) => verdict.kind === "record" || verdict.unrecorded !== null);
    const told = verdicts.flatMap((verdict) => (verdict.kind === "limit" ? (verdict.unrecorded ?? []) : []));
    return { records: records.length, told };
  };
  expect(sweep(0)).toEqual({ records: unauthenticatedRate.burst + 1, told: [{ calls: 1, network: null }] });
  expect(sweep(1_000)).toEqual({ records: unauthenticatedRate.perSecond, told: [] });
  const refused = 2 * 10_000 - unauthenticatedRate.burst - 1 - unauthenticatedRate.perSecond;
  expect(sweep(60_000)).toEqual({
    records: unauthenticatedRate.burst + 1,
    told: [{ calls: refused + 1, network: null }],
  });
});

test("what is forgotten of a network is told of all", () => {
  const judge = createUnauthenticatedLimit({ maxNetworks: 1 });
  for (let call = 0; call < burst + 1 + 7; call++) judge("203.0.113.1", 0);
  for (let call = 0; call < burst + 1; call++) judge("198.51.100.1", 0);
  const others = Array.from({ length: unauthenticatedRate.burst }, (_, index) => judge(`10.0.${index}.1`, 0));
  const told = others.flatMap((verdict) => (verdict.kind === "limit" ? (verdict.unrecorded ?? []) : []));
  expect(told).toEqual([{ calls: 7 + 1, network: null }]);
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
  expect(String(last?.payload.error_msg)).toContain("1 call from the network 127.0.0.0/24 was refused");
  await app.stop();
});

testWith(linux)("a flood from many networks is bounded, too", async () => {
  const app = await startTestApp();
  const before = app.countRecords(null);
  const counts = await callFromManyNetworks(app.port, 4 * unauthenticatedRate.burst);
  const recorded = counts.get(401) ?? 0;
  expect(recorded).toBeGreaterThanOrEqual(unauthenticatedRate.burst);
  expect(recorded + (counts.get(429) ?? 0)).toBe(4 * unauthenticatedRate.burst);
  expect(counts.get(429)).toBeGreaterThan(2 * unauthenticatedRate.burst);
  const records = app.records(null, before);
  expect(records.length).toBe(recorded + 1);
  const told = records.find(({ status }) => status === 429);
  expect(String(told?.payload.error_msg)).toContain("1 call from all networks was refused");
  await app.stop();
});
