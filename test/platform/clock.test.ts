// Tests timestamps: what RFC 3339 allows is understood, what it does not is refused, and what is understood can be said again.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { createClock } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime, setClock } from "../../src/platform/time/clock-shift.ts";
import { fromTimestamp, toTimestamp } from "../../src/platform/time/timestamp.ts";

describe("a timestamp is understood", () => {
  test.each([
    ["2026-11-21T09:30:00Z", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21t09:30:00z", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21 09:30:00Z", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21T09:30:00.5Z", "2026-11-21T09:30:00.500Z"],
    ["2026-11-21T09:30:00.123456789Z", "2026-11-21T09:30:00.123Z"],
    ["2026-11-21T09:30:00.9999Z", "2026-11-21T09:30:00.999Z"],
    ["2026-11-21T09:30:00+05:30", "2026-11-21T04:00:00.000Z"],
    ["2026-11-21T09:30:00-00:00", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21T23:59:59-23:59", "2026-11-22T23:58:59.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s", (text, same) => {
    const ms = fromTimestamp(text);
    expect(ms === null ? null : toTimestamp(ms)).toBe(same);
  });
});

describe("what is no timestamp is refused", () => {
  test.each([
    "",
    "2026-11-21",
    "2026-11-21T09:30:00",
    "2026-11-21T09:30Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T09:60:00Z",
    "2026-11-21T09:30:61Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-11-21T09:30:00+24:00",
    "2026-11-21T09:30:00+0530",
    "2026-11-21T09:30:00.Z",
    "+002026-11-21T09:30:00Z",
    "٢٠٢٦-11-21T09:30:00Z",
    " 2026-11-21T09:30:00Z",
    "2026-11-21T09:30:00Z\n",
    // These cannot be said in UTC with four digits for the year.
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "9999-12-31T23:59:60Z",
  ])("%s", (text) => {
    expect(fromTimestamp(text)).toBeNull();
  });
});

test("every timestamp that is understood can be answered and understood again", () => {
  const two = (maximum: number) =>
    fc.integer({ min: 0, max: maximum }).map((n) => String(n).padStart(2, "0"));
  const parts = fc.tuple(
    fc.oneof(fc.constantFrom(0, 1, 9999), fc.integer({ min: 0, max: 9999 })),
    ...[two(13), two(32), two(24), two(60), two(61)],
    fc.constantFrom("Z", "+23:59", "-23:59", "+00:00", "-00:01"),
  );
  fc.assert(
    fc.property(parts, ([year, month, day, hour, minute, second, zone]) => {
      const text = `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
      const ms = fromTimestamp(text);
      if (ms === null) return;
      expect(toTimestamp(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(fromTimestamp(toTimestamp(ms))).toBe(ms);
    }),
    { numRuns: 5_000 },
  );
});

test("a shared shift moves the clock of whoever holds it", () => {
  const shift = createClockShift();
  const clock = createClock(shift);
  const [now, elapsed] = [clock.now(), clock.elapsed()];
  passTime(shift, 3_600_000);
  expect(clock.now() - now).toBeGreaterThanOrEqual(3_600_000);
  expect(clock.elapsed() - elapsed).toBeGreaterThanOrEqual(3_600_000);
  expect(clock.now() - now).toBeLessThan(3_610_000);
  setClock(shift, -7_200_000);
  expect(clock.now() - now).toBeLessThan(-3_500_000);
  expect(clock.elapsed() - elapsed).toBeGreaterThanOrEqual(3_600_000);
});

describe("timers", () => {
  const hourMs = 3_600_000;

  test("fire in order when the clock is moved past them, not before, and not after cancel", async () => {
    const shift = createClockShift();
    const clock = createClock(shift);
    const fired: string[] = [];
    const slept = clock.sleep(3 * hourMs).then(() => fired.push("slept"));
    clock.after(hourMs, () => fired.push("first"));
    clock.after(hourMs, () => fired.push("cancelled")).cancel();
    const second = clock.after(2 * hourMs, () => fired.push("second"));
    passTime(shift, hourMs - 60_000);
    clock.catchUp();
    expect(fired).toEqual([]);
    passTime(shift, 60_000);
    clock.catchUp();
    expect(fired).toEqual(["first"]);
    passTime(shift, 2 * hourMs);
    await slept;
    expect(fired).toEqual(["first", "second", "slept"]);
    second.cancel();
  });

  test("that repeat run once for a move over several periods, until they are cancelled", async () => {
    const shift = createClockShift();
    const clock = createClock(shift);
    let runs = 0;
    const timer = clock.every(60_000, () => {
      runs += 1;
    });
    for (const [move, expected] of [
      [59_000, 0],
      [hourMs, 1],
      [59_000, 1],
      [60_000, 2],
    ] as const) {
      passTime(shift, move);
      clock.catchUp();
      expect(runs).toBe(expected);
    }
    timer.cancel();
    passTime(shift, hourMs);
    clock.catchUp();
    expect(runs).toBe(2);
  });

  test("do not follow a clock that is only set", async () => {
    const shift = createClockShift();
    const clock = createClock(shift);
    let runs = 0;
    const timer = clock.after(hourMs, () => {
      runs += 1;
    });
    setClock(shift, 2 * hourMs);
    clock.catchUp();
    expect(runs).toBe(0);
    timer.cancel();
  });

  test("fire with the time of the system, too, and of another thread before it answers what is asked after the move", async () => {
    const clock = createClock();
    const before = clock.elapsed();
    await clock.sleep(5);
    expect(clock.elapsed() - before).toBeGreaterThanOrEqual(5);
    const shift = createClockShift();
    const worker = new Worker(
      `import { parentPort, workerData } from "node:worker_threads";
       import { createClock } from ${JSON.stringify(join(import.meta.dir, "../../src/platform/time/clock.ts"))};
       let fired = 0;
       const clock = createClock(workerData);
       clock.every(60_000, () => { fired += 1; });
       parentPort.on("message", () => {
         clock.catchUp();
         parentPort.postMessage(fired);
       });
       parentPort.postMessage(fired);`,
      { eval: true, workerData: shift },
    );
    const told = () => new Promise<number>((resolve) => worker.once("message", resolve));
    expect(await told()).toBe(0);
    for (let moves = 1; moves <= 50; moves++) {
      passTime(shift, 60_000);
      worker.postMessage("how many?");
      expect(await told()).toBe(moves);
    }
    await worker.terminate();
  });
});
