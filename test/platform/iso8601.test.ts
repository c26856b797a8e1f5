// Tests the times of audit queries: every form of ISO 8601 is understood, what it covers is right, and what it does not allow is
// refused with the reason.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fromMoment, readMoment } from "../../src/platform/time/iso8601.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";

const ends = (text: string) => {
  const moment = fromMoment(text);
  return moment === null ? null : [toTimestamp(moment.firstMs), toTimestamp(moment.lastMs)];
};

describe("an instant", () => {
  test.each([
    ["2026-11-22T00:00Z", "2026-11-22T00:00:00.000Z"],
    ["2026-11-22T09:30:15Z", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22t09:30:15z", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22T09:30:15", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22T09:30", "2026-11-22T09:30:00.000Z"],
    ["2026-11-22T09", "2026-11-22T09:00:00.000Z"],
    ["2026-11-22T09Z", "2026-11-22T09:00:00.000Z"],
    ["2026-11-22T00:00:00+0000", "2026-11-22T00:00:00.000Z"],
    ["2026-11-22T00:00:00+01", "2026-11-21T23:00:00.000Z"],
    ["2026-11-22T00:00+01:30", "2026-11-21T22:30:00.000Z"],
    ["2026-11-22T00:00:00-00:00", "2026-11-22T00:00:00.000Z"],
    ["2026-11-22T00:00:00\u221201:00", "2026-11-22T01:00:00.000Z"],
    ["2026-11-22T00:00:00 01:00", "2026-11-21T23:00:00.000Z"],
    ["2026-11-22T00:00:00 0100", "2026-11-21T23:00:00.000Z"],
    // As Python's str(datetime), SQL and others write times; the last two with a plus that was not percent-encoded.
    ["2026-11-22 09:30:15", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22 09:30:15.123456", "2026-11-22T09:30:15.123Z"],
    ["2026-11-22 09:30", "2026-11-22T09:30:00.000Z"],
    ["2026-11-22 09:30:15.123456+00:00", "2026-11-22T09:30:15.123Z"],
    ["2026-11-22 09:30:15-05:00", "2026-11-22T14:30:15.000Z"],
    ["2026-11-22 09:30:15Z", "2026-11-22T09:30:15.000Z"],
    ["20261122 093015+0100", "2026-11-22T08:30:15.000Z"],
    ["2026-11-22 09:30:15.123456 00:00", "2026-11-22T09:30:15.123Z"],
    ["2026-11-22 09:30:15 0100", "2026-11-22T08:30:15.000Z"],
    ["20261122T000000Z", "2026-11-22T00:00:00.000Z"],
    ["20261122T093015+0100", "2026-11-22T08:30:15.000Z"],
    ["20261122T0930", "2026-11-22T09:30:00.000Z"],
    ["20261122T09", "2026-11-22T09:00:00.000Z"],
    ["2026-11-22T09:30:15,5Z", "2026-11-22T09:30:15.500Z"],
    ["2026-11-22T09:30:15.123456789Z", "2026-11-22T09:30:15.123Z"],
    ["2026-11-22T09:30:15.9999Z", "2026-11-22T09:30:15.999Z"],
    ["2026-11-22T09:30,25Z", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22T09.5Z", "2026-11-22T09:30:00.000Z"],
    ["2026-W47-7T09:30:15Z", "2026-11-22T09:30:15.000Z"],
    ["2026W477T093015Z", "2026-11-22T09:30:15.000Z"],
    ["2026-326T09:30:15Z", "2026-11-22T09:30:15.000Z"],
    ["2026326T093015Z", "2026-11-22T09:30:15.000Z"],
    ["2026-11-22T24:00Z", "2026-11-23T00:00:00.000Z"],
    ["2026-12-31T24:00:00.0Z", "2027-01-01T00:00:00.000Z"],
    ["20261122T24", "2026-11-23T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s", (text, instant) => {
    expect(ends(text)).toEqual([instant, instant]);
  });
});

describe("a date covers its whole day, week, month or year", () => {
  test.each([
    ["2026-11-22", "2026-11-22", "2026-11-22"],
    ["20261122", "2026-11-22", "2026-11-22"],
    ["2026-W47-7", "2026-11-22", "2026-11-22"],
    ["2026W477", "2026-11-22", "2026-11-22"],
    ["2026-326", "2026-11-22", "2026-11-22"],
    ["2026326", "2026-11-22", "2026-11-22"],
    ["2024-366", "2024-12-31", "2024-12-31"],
    ["2026-W47", "2026-11-16", "2026-11-22"],
    ["2026W01", "2025-12-29", "2026-01-04"],
    ["2026-W53", "2026-12-28", "2027-01-03"],
    ["2025-W52-7", "2025-12-28", "2025-12-28"],
    ["2026-11", "2026-11-01", "2026-11-30"],
    ["2024-02", "2024-02-01", "2024-02-29"],
    ["2026-12", "2026-12-01", "2026-12-31"],
    ["2026", "2026-01-01", "2026-12-31"],
    ["0000", "0000-01-01", "0000-12-31"],
    ["9999", "9999-01-01", "9999-12-31"],
  ])("%s", (text, first, last) => {
    expect(ends(text)).toEqual([`${first}T00:00:00.000Z`, `${last}T23:59:59.999Z`]);
  });
});

describe("what is refused, and why", () => {
  test.each([
    ["", /must be an ISO 8601 date or time/],
    ["yesterday", /must be an ISO 8601/],
    ["2026-11-22  01:00", /must be an ISO 8601/],
    ["2026-11-22 ", /must be an ISO 8601/],
    [" 2026-11-22 01:00", /must be an ISO 8601/],
    ["2026-11-22 01:00T02:00", /must be an ISO 8601/],
    ["2026-11-22T01:00 02:00 03:00", /must be an ISO 8601/],
    [" 2026-11-22", /must be an ISO 8601/],
    ["2026-11-22T09:30:00Z\n", /must be an ISO 8601/],
    ["202611", /must be an ISO 8601/],
    ["261122", /must be an ISO 8601/],
    ["2026-11-22Z", /must be an ISO 8601/],
    ["2026-11-22T", /must be an ISO 8601/],
    ["2026-11T09:30Z", /must be an ISO 8601/],
    ["2026-W47T09:30Z", /must be an ISO 8601/],
    ["2026T09:30Z", /must be an ISO 8601/],
    ["T09:30Z", /must be an ISO 8601/],
    ["2026-11-22T09:30:00.Z", /must be an ISO 8601/],
    ["2026-11-22T9:30Z", /must be an ISO 8601/],
    ["2026-11-22T09:30:00+1", /must be an ISO 8601/],
    ["2026-11-22T09:30:00GMT", /must be an ISO 8601/],
    ["2026-11-22T09:30T10:30", /must be an ISO 8601/],
    ["2026-11-01/2026-11-22", /must be an ISO 8601/],
    ["٢٠٢٦-11-22", /must be an ISO 8601/],
    ["20261122T09:30Z", /mixes the extended format/],
    ["2026-11-22T0930Z", /mixes the extended format/],
    ["2026-1122", /must be an ISO 8601/],
    ["2026-02-30", /2026-02 has the days 01 to 28/],
    ["2026-13", /has the month 13/],
    ["2026-11-00", /names a day that does not exist/],
    ["2025-366", /2025, which has the days 001 to 365/],
    ["2026-000", /has the days 001/],
    ["2025-W53", /has the weeks 01 to 52/],
    ["2026-W00-1", /has the week 0/],
    ["2026-W47-8", /has the weekday 8/],
    ["2026-11-22T24:01Z", /has the hour 24; hours are 00 to 23, and 24:00 is the end/],
    ["2026-11-22T24:00:01Z", /has the hour 24; hours are 00 to 23, and 24:00 is the end/],
    ["2026-11-22T25:00Z", /has the hour 25; hours are 00 to 23, and 24:00 is the end/],
    ["20261122T2401Z", /has the hour 24; hours are 00 to 23, and 24:00 is the end/],
    ["2026-11-22T23:60Z", /has the minute 60/],
    ["2026-11-22T23:59:61Z", /has the second 61/],
    ["2026-11-22T23:59:00+24:00", /has the offset \+24:00/],
    ["2026-11-22T23:59:00-0160", /has the offset -0160/],
    ["+002026-11-22", /has the year \+002026; years are 0000 to 9999, with four digits and no sign/],
    ["+002026-11-22T00:00Z", /has the year \+002026; years are 0000 to 9999, with four digits and no sign/],
    [" 002026-11-22", /must be an ISO 8601/],
    ["-000001-11-22", /has the year -000001;/],
    ["+2026-11-22", /has the year \+2026;/],
    ["10000-01-01", /has the year 10000; years are 0000 to 9999/],
    ["99999-01-01T00:00:00Z", /has the year 99999; years are 0000 to 9999/],
    ["12026-W01", /has the year 12026;/],
    ["20261122-10:00", /must be an ISO 8601/],
    ["0000-01-01T00:00:00+00:01", /outside the years 0000 to 9999/],
    ["9999-12-31T24:00Z", /outside the years 0000 to 9999/],
    ["9999-W52-7", /outside the years 0000 to 9999/],
  ])("%p", (text, reason) => {
    const { moment, fault } = readMoment(text);
    expect(moment).toBeNull();
    expect(fault).toMatch(reason);
  });
});

const dayMs = 86_400_000;
const pad = (value: number, length: number) => String(value).padStart(length, "0");

/** The same day in every form, worked out by counting days. */
function datesOf(ms: number): { readonly extended: string[]; readonly basic: string[] } {
  const [date = ""] = toTimestamp(ms).split("T");
  const year = date.slice(0, 4);
  let dayOfYear = 1;
  while (toTimestamp(ms - dayOfYear * dayMs).startsWith(`${year}-`)) dayOfYear += 1;
  const weekday = new Date(ms).getUTCDay() || 7;
  const thursday = ms + (4 - weekday) * dayMs;
  const weekYear = toTimestamp(thursday).slice(0, 4);
  let week = 1;
  while (toTimestamp(thursday - week * 7 * dayMs).startsWith(`${weekYear}-`)) week += 1;
  const extended = [date, `${year}-${pad(dayOfYear, 3)}`, `${weekYear}-W${pad(week, 2)}-${weekday}`];
  return { extended, basic: extended.map((text) => text.replaceAll("-", "")) };
}

test("every instant is the same in every form, with every offset", () => {
  const instants = fc.integer({ min: Date.parse("0001-01-05"), max: Date.parse("9998-12-25") });
  const offsets = fc.integer({ min: -1439, max: 1439 });
  fc.assert(
    fc.property(instants, offsets, (instant, offset) => {
      const local = instant + offset * 60_000;
      const time = toTimestamp(local).slice(11, -1);
      const { extended, basic } = datesOf(local - (((local % dayMs) + dayMs) % dayMs));
      const zone = [pad(Math.floor(Math.abs(offset) / 60), 2), pad(Math.abs(offset) % 60, 2)];
      const sign = offset < 0 ? "-" : "+";
      const texts = [
        ...extended.map((date) => `${date}T${time.replace(".", ",")}${sign}${zone.join(":")}`),
        ...basic.map((date) => `${date}T${time.replaceAll(":", "")}${sign}${zone.join("")}`),
      ];
      for (const text of texts) expect([text, fromMoment(text)?.firstMs]).toEqual([text, instant]);
    }),
    { numRuns: 300 },
  );
});

test("days, weeks, months and years follow each other without a gap", () => {
  const days = fc.integer({ min: -700_000, max: 2_900_000 });
  fc.assert(
    fc.property(days, (day) => {
      const [today, tomorrow] = [datesOf(day * dayMs), datesOf((day + 1) * dayMs)];
      for (const [index, text] of today.extended.entries()) {
        const next = fromMoment(tomorrow.extended[index] ?? "");
        expect(next?.firstMs).toBe((fromMoment(text)?.lastMs ?? 0) + 1);
        for (const length of index === 2 ? [8] : index === 0 ? [7, 4] : []) {
          const [part, nextPart] = [text.slice(0, length), (tomorrow.extended[index] ?? "").slice(0, length)];
          const [covering, following] = [fromMoment(part), fromMoment(nextPart)];
          expect(covering?.lastMs).toBe(
            part === nextPart ? following?.lastMs : (following?.firstMs ?? 0) - 1,
          );
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("no text makes it throw, and what it understands can be written", () => {
  const characters = fc.constantFrom(..."0123456789-:TWZ+., ");
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 30 }), (text) => {
      const moment = fromMoment(text);
      if (moment === null) return;
      expect(moment.firstMs).toBeLessThanOrEqual(moment.lastMs);
      for (const ms of [moment.firstMs, moment.lastMs]) expect(toTimestamp(ms)).toMatch(/^\d{4}-/);
    }),
    { numRuns: 5_000 },
  );
});
