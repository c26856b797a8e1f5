// Tests whether a memory is of a period: its own dates, those that the extractor writes, and the time of its creation.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { datesOf, shareOfPeriod } from "../../../src/memory/memory-period.ts";
import { unknownOrigin } from "../../../src/memory/origin.ts";
import { dayMs } from "../../../src/platform/dates/calendar.ts";
import { periodOf } from "../../../src/platform/dates/query-period.ts";

const now = Date.parse("2026-11-25T10:00:00Z");
const may = { from: Date.UTC(2023, 4), until: Date.UTC(2023, 5) };
const share = (content: string, createdAt = now) => shareOfPeriod({ content, createdAt, origins: [] }, may);

describe("a memory with its own dates is of their period, whenever it was created", () => {
  for (const content of [
    "[8 May 2023] Ann: I moved to Porto.",
    "[1:56 pm on 8 May, 2023] Caroline: I went to a group yesterday.",
    "[2023-05-08 18:20] Ann: I moved.",
    "(2023-05-08) moved to Porto",
    "2023-05-08: moved to Porto",
    "Ann moved to Porto on 8 May 2023.",
    "Ann moved to Porto on May 8th, 2023.",
    "Ann moved to Porto in May 2023.",
    "Ann was born in 1990 and moved in May 2023.",
    "Ann was away from 3 to 10 May 2023.",
    "Ann painted on the weekend of 6 May 2023.",
    "Ann was ill in the week before 31 May 2023.",
    "Ann left two weeks before 31 May 2023.",
    "[2 June 2023] Ann: I moved three weeks ago.",
    "[24 June 2023] Ann: I moved last month.",
  ])
    test(content, () => {
      expect(share(content)).toBe(1);
      expect(share(content, Date.UTC(2023, 4, 8))).toBe(1);
    });
});

describe("a memory with its own dates outside of the period is not of it, even if it was created in it", () => {
  for (const content of [
    "[8 May 2022] Ann: I moved to Porto.",
    "Ann moved to Porto on 1 June 2023.",
    "Ann moved to Porto in 2019.",
    "[24 July 2023] Ann: I moved last month.",
  ])
    test(content, () => expect(share(content, Date.UTC(2023, 4, 8))).toBe(0));
});

describe("a memory without its own date is of the time of its creation", () => {
  for (const content of [
    "Ann moved to Porto.",
    "We pay on 8 May.",
    "The timeout is 2000 ms.",
    "Ann moved yesterday.",
    "The port is 2022, the version 2.0.20.",
    "Ann may move in time.",
  ])
    test(content, () => {
      expect(datesOf(content)).toEqual([]);
      expect(share(content, Date.UTC(2023, 4, 31, 23))).toBe(1);
      expect(share(content, Date.UTC(2023, 5, 1))).toBe(0);
    });
});

test("a memory of a year is of its month in part", () => {
  expect(share("Ann moved in 2023.")).toBeCloseTo(31 / 365);
});

describe("a relative date in what was said at a time is the date that a query names with the same words", () => {
  for (const words of [
    ..."yesterday|the day before yesterday|last week|last weekend|last month|last year|last Friday".split(
      "|",
    ),
    ..."last summer|three days ago|two weeks ago|four months ago|10 years ago|a few weeks ago|this morning".split(
      "|",
    ),
  ])
    test(words, () => {
      const said = Date.UTC(2026, 0, 14, 12);
      const content = `I met Ann ${words}.`;
      const origins = [{ ...unknownOrigin, saidAt: said }];
      const period = periodOf(`Whom did I meet ${words}?`, said);
      expect(datesOf(content, said)).toHaveLength(1);
      expect(period).not.toBeNull();
      if (period !== null)
        expect(shareOfPeriod({ content, createdAt: now, origins }, period)).toBeGreaterThan(0.45);
    });
});

test("any text has a share from 0 to 1, and hostile ones are read in part", () => {
  const part = fc.constantFrom(
    ..."8 May 2023|[|]|2023|in 2022|from 3 to 10 May 2023|yesterday|last week|: |\n|two weeks before 8 May 2023|a".split(
      "|",
    ),
  );
  const text = fc.array(fc.oneof(part, fc.string({ unit: "binary", maxLength: 9 })), { maxLength: 30 });
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 1, max: 1_000 }), (parts, start, days) => {
      const period = { from: start * dayMs * 1e-3, until: start * dayMs * 1e-3 + days * dayMs };
      const found = shareOfPeriod({ content: parts.join(" "), createdAt: now, origins: [] }, period);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
  expect(datesOf("8 May 2023 ".repeat(10_000)).length).toBeLessThan(200);
});
