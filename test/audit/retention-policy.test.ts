// Proves the rules of retention and checkpoints without a database: what may go, which clock they trust, when a checkpoint is due.

import { describe, expect, test } from "bun:test";
import { type CheckpointState, hasUnsigned, isCheckpointDue } from "../../src/audit/checkpoint-schedule.ts";
import { choosePruning, retentionCutOff } from "../../src/audit/retention.ts";
import { type ClockTrust, observeClock } from "../../src/audit/retention-clock.ts";

const [minuteMs, dayMs] = [60_000, 86_400_000];

describe("what retention may remove", () => {
  test("is older than the days that records stay, and nothing without a limit", () => {
    expect(retentionCutOff(30, 100 * dayMs)).toBe(70 * dayMs);
    expect(retentionCutOff(null, 100 * dayMs)).toBeNull();
  });

  const none = { last: 100, exportFirst: null, oldThrough: 0, oldPayloadsThrough: 0 };
  test.each([
    ["nothing when nothing is too old", {}, { through: 0, payloadsThrough: 0, keptForExportFrom: null }],
    ["what is too old", { oldThrough: 40 }, { through: 40, payloadsThrough: 0, keptForExportFrom: null }],
    [
      "never the newest record, nor its payload",
      { oldThrough: 100, oldPayloadsThrough: 100 },
      { through: 99, payloadsThrough: 99, keptForExportFrom: null },
    ],
    [
      "nothing of a chain with one record",
      { last: 1, oldThrough: 1, oldPayloadsThrough: 1 },
      { through: 0, payloadsThrough: 0, keptForExportFrom: null },
    ],
    ["nothing of an empty chain", { last: 0 }, { through: 0, payloadsThrough: 0, keptForExportFrom: null }],
    [
      "only what is before a running export",
      { exportFirst: 31, oldThrough: 40, oldPayloadsThrough: 60 },
      { through: 30, payloadsThrough: 30, keptForExportFrom: 31 },
    ],
    [
      "all that is too old when the export begins later",
      { exportFirst: 41, oldThrough: 40, oldPayloadsThrough: 40 },
      { through: 40, payloadsThrough: 40, keptForExportFrom: null },
    ],
    [
      "nothing when the export begins at the first record",
      { exportFirst: 1, oldThrough: 40, oldPayloadsThrough: 40 },
      { through: 0, payloadsThrough: 0, keptForExportFrom: 1 },
    ],
  ])("%s", (_, chain, pruning) => {
    expect(choosePruning({ ...none, ...chain })).toEqual(pruning);
  });
});

describe("the clock of retention", () => {
  const start = 1_000 * dayMs;
  /** Each reading: monotonic milliseconds since the start, and how far the system clock is ahead of them. */
  const observe = (readings: readonly (readonly [elapsed: number, ahead: number])[]) => {
    let trust: ClockTrust | null = null;
    return readings.map(([elapsed, ahead]) => {
      const observed = observeClock(trust, { now: start + elapsed + ahead, elapsed });
      trust = observed.trust;
      return { time: observed.time - start, hasJumped: observed.hasJumped };
    });
  };

  test("trusts the first reading, and follows a clock that runs", () => {
    expect(
      observe([
        [0, 0],
        [5_000, 0],
      ]),
    ).toEqual([
      { time: 0, hasJumped: false },
      { time: 5_000, hasJumped: false },
    ]);
  });

  test("follows a jump forward only after a day, and reports it once", () => {
    const ahead = 400 * dayMs;
    expect(
      observe([
        [0, 0],
        [1, ahead],
        [dayMs, ahead],
        [dayMs + 1, ahead],
      ]),
    ).toEqual([
      { time: 0, hasJumped: false },
      { time: 1, hasJumped: true },
      { time: dayMs, hasJumped: false },
      { time: dayMs + 1 + ahead, hasJumped: false },
    ]);
  });

  test("does not report a small jump", () => {
    expect(
      observe([
        [0, 0],
        [1, minuteMs],
      ]).map(({ hasJumped }) => hasJumped),
    ).toEqual([false, false]);
    expect(
      observe([
        [0, 0],
        [1, minuteMs + 1],
      ]).map(({ hasJumped }) => hasJumped),
    ).toEqual([false, true]);
  });

  test("forgets a jump forward that was taken back, and waits a whole day after the next one", () => {
    const ahead = 400 * dayMs;
    const times = observe([
      [0, 0],
      [1, ahead],
      [2, 0],
      [3, ahead],
      [dayMs + 1, ahead],
      [dayMs + 3, ahead],
    ]);
    expect(times.map(({ time }) => time)).toEqual([0, 1, 2, 3, dayMs + 1, dayMs + 3 + ahead]);
  });

  test("follows a jump back at once", () => {
    expect(
      observe([
        [0, 0],
        [1, -dayMs],
        [2, 0],
      ]).map(({ time }) => time),
    ).toEqual([0, 1 - dayMs, 2 - dayMs]);
  });
});

describe("a checkpoint", () => {
  const now = 1_000 * dayMs;
  test.each<[string, CheckpointState, boolean]>([
    ["is not due without records", { seq: 0, size: null, signedAt: null }, false],
    ["is due for a chain that has none", { seq: 1, size: null, signedAt: null }, true],
    ["is due after 1,000 records", { seq: 1_500, size: 500, signedAt: now }, true],
    ["is not due after 999 records", { seq: 1_499, size: 500, signedAt: now }, false],
    ["is due ten minutes after the last one", { seq: 6, size: 5, signedAt: now - 10 * minuteMs }, true],
    ["is not due before", { seq: 6, size: 5, signedAt: now - 10 * minuteMs + 1 }, false],
    ["is due once a day when nothing happens", { seq: 5, size: 5, signedAt: now - dayMs }, true],
    ["is not due earlier when nothing happens", { seq: 5, size: 5, signedAt: now - dayMs + 1 }, false],
    ["is due when the clock was set back", { seq: 6, size: 5, signedAt: now + 10 * minuteMs }, true],
  ])("%s", (_, state, isDue) => {
    expect(isCheckpointDue(state, now)).toBe(isDue);
  });

  test("covers everything when no record follows it", () => {
    expect(hasUnsigned({ seq: 5, size: 5, signedAt: now })).toBe(false);
    expect(hasUnsigned({ seq: 6, size: 5, signedAt: now })).toBe(true);
    expect(hasUnsigned({ seq: 0, size: null, signedAt: null })).toBe(false);
  });
});
