// Tests timestamps: what RFC 3339 allows is understood, what it does not is refused, and what is understood can be said again.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createClock, fromTimestamp, toTimestamp } from "../src/clock.ts";

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

test("a shared offset moves the clock of whoever holds it", () => {
  const offset = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const clock = createClock(offset);
  const [now, elapsed] = [clock.now(), clock.elapsed()];
  new Float64Array(offset)[0] = 3_600_000;
  expect(clock.now() - now).toBeGreaterThanOrEqual(3_600_000);
  expect(clock.elapsed() - elapsed).toBeGreaterThanOrEqual(3_600_000);
  expect(clock.now() - now).toBeLessThan(3_610_000);
});
