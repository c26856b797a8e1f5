// Tests the period that a query asks for: what each expression means, what is no date, and that hostile texts are read in linear time.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayMs } from "../../../src/platform/dates/calendar.ts";
import { periodOf } from "../../../src/platform/dates/query-period.ts";

/** A Wednesday. */
const now = Date.parse("2026-11-25T10:00:00Z");
const asked = (query: string) => {
  const period = periodOf(query, now);
  return period === null ? null : [toText(period.from), toText(period.until)];
};

/** Midnight without its time. */
function toText(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T00:00", "");
}

describe("a period of the query, from the first day to the day after the last one", () => {
  const cases: readonly (readonly [query: string, from: string, until: string])[] = [
    ["What did I do today?", "2026-11-25", "2026-11-26"],
    ["Where did we eat tonight", "2026-11-25", "2026-11-26"],
    ["what happened yesterday", "2026-11-24", "2026-11-25"],
    ["yesterday's meeting", "2026-11-24", "2026-11-25"],
    ["What did we cook last night?", "2026-11-24", "2026-11-25"],
    ["Whom did I meet the day before yesterday?", "2026-11-23", "2026-11-24"],
    ["What is planned for tomorrow?", "2026-11-26", "2026-11-27"],
    ["this week", "2026-11-23", "2026-11-30"],
    ["What did we decide last week?", "2026-11-16", "2026-11-23"],
    ["What did we decide last  week?", "2026-11-16", "2026-11-23"],
    ["the week before last", "2026-11-09", "2026-11-16"],
    ["What is due next week?", "2026-11-30", "2026-12-07"],
    ["last month", "2026-10-01", "2026-11-01"],
    ["this year", "2026-01-01", "2027-01-01"],
    ["last year's conference", "2025-01-01", "2026-01-01"],
    ["last quarter", "2026-07-01", "2026-10-01"],
    ["last weekend", "2026-11-21", "2026-11-23"],
    ["What do we do this weekend?", "2026-11-28", "2026-11-30"],
    ["What was I reading this weekend?", "2026-11-21", "2026-11-23"],
    ["last summer", "2026-06-01", "2026-09-01"],
    ["last spring", "2026-03-01", "2026-06-01"],
    ["this autumn", "2026-09-01", "2026-12-01"],
    ["this winter", "2026-12-01", "2027-03-01"],
    ["Where did we ski this winter?", "2025-12-01", "2026-03-01"],
    ["What did we see last winter?", "2025-12-01", "2026-03-01"],
    ["Where were we in the summer?", "2026-06-01", "2026-09-01"],
    ["3 days ago", "2026-11-22", "2026-11-23"],
    ["ten days ago", "2026-11-14", "2026-11-17"],
    ["What did I buy three weeks ago?", "2026-10-30", "2026-11-09"],
    ["a couple of weeks ago", "2026-10-30", "2026-11-19"],
    ["two months ago", "2026-09-09", "2026-10-12"],
    ["10 years ago", "2015-07-26", "2018-03-27"],
    ["an hour ago", "2026-11-25T08:34", "2026-11-25T09:26"],
    ["the past few days", "2026-11-20", "2026-11-26"],
    ["in the last three months", "2026-08-26", "2026-11-26"],
    ["in the past year", "2025-11-25", "2026-11-26"],
    ["in the next two weeks", "2026-11-25", "2026-12-10"],
    ["on Monday", "2026-11-23", "2026-11-24"],
    ["What will we do on Monday?", "2026-11-30", "2026-12-01"],
    ["What was decided on Wednesday 18 November?", "2026-11-18", "2026-11-19"],
    ["What was decided on Wednesday, November 18th?", "2026-11-18", "2026-11-19"],
    ["What was decided on Monday the 9th of November 2026?", "2026-11-09", "2026-11-10"],
    ["last Wednesday", "2026-11-18", "2026-11-19"],
    ["next Friday", "2026-11-27", "2026-11-28"],
    ["Monday of last week", "2026-11-16", "2026-11-17"],
    ["last week on Friday", "2026-11-20", "2026-11-21"],
    ["Which discount is valid until Friday?", "2026-11-27", "2026-11-28"],
    ["last May", "2026-05-01", "2026-06-01"],
    ["last December", "2025-12-01", "2026-01-01"],
    ["this May", "2026-05-01", "2026-06-01"],
    ["in May", "2026-05-01", "2026-06-01"],
    ["What is planned for December?", "2026-12-01", "2027-01-01"],
    ["What did we do in december?", "2025-12-01", "2026-01-01"],
    ["in May last year", "2025-05-01", "2025-06-01"],
    ["in may 2023", "2023-05-01", "2023-06-01"],
    ["in May of 2023", "2023-05-01", "2023-06-01"],
    ["in mid-May", "2026-05-01", "2026-06-01"],
    ["the March release", "2026-03-01", "2026-04-01"],
    ["What did I do on 8 May 2023?", "2023-05-08", "2023-05-09"],
    ["8 May, 2023", "2023-05-08", "2023-05-09"],
    ["May 8, 2023", "2023-05-08", "2023-05-09"],
    ["the 8th of May 2023", "2023-05-08", "2023-05-09"],
    ["May 8th", "2026-05-08", "2026-05-09"],
    ["What happens on Dec. 24?", "2026-12-24", "2026-12-25"],
    ["What happens on Dec. 31?", "2025-12-31", "2026-01-01"],
    ["What did we do on Dec. 24?", "2025-12-24", "2025-12-25"],
    ["on 25 November", "2026-11-25", "2026-11-26"],
    ["29 February", "2024-02-29", "2024-03-01"],
    ["2023-05-08", "2023-05-08", "2023-05-09"],
    ["since the deployment of 2026-11-20T10:00:00Z", "2026-11-20", "2026-11-21"],
    ["2023-05", "2023-05-01", "2023-06-01"],
    ["2023/05/08", "2023-05-08", "2023-05-09"],
    ["5/13/2023", "2023-05-13", "2023-05-14"],
    ["13/5/2023", "2023-05-13", "2023-05-14"],
    ["on 1.2.2023", "2023-02-01", "2023-02-02"],
    ["in 2022", "2022-01-01", "2023-01-01"],
    ["What did Ann study in 2022 and where?", "2022-01-01", "2023-01-01"],
    ["early 2022", "2022-01-01", "2023-01-01"],
    ["music of the 1990s", "1990-01-01", "2000-01-01"],
    ["Q1 2024", "2024-01-01", "2024-04-01"],
    ["revenue in Q3", "2026-07-01", "2026-10-01"],
    ["2024-Q2", "2024-04-01", "2024-07-01"],
    ["the last quarter of 2023", "2023-10-01", "2024-01-01"],
    ["the summer of 2022", "2022-06-01", "2022-09-01"],
    ["winter 2021/22", "2021-12-01", "2022-03-01"],
    ["What has changed since March?", "2026-03-01", "2026-11-26"],
    ["since yesterday", "2026-11-24", "2026-11-26"],
    ["after last Friday", "2026-11-21", "2026-11-26"],
    ["before last May", "0000-01-01", "2026-05-01"],
    ["before the end of 2022", "0000-01-01", "2022-01-01"],
    ["between May and July", "2026-05-01", "2026-08-01"],
    ["between November and February 2024", "2023-11-01", "2024-03-01"],
    ["between 3 and 10 May 2023", "2023-05-03", "2023-05-11"],
    ["from 28 December to 3 January 2024", "2023-12-28", "2024-01-04"],
    ["from May 3 to June 10, 2023", "2023-05-03", "2023-06-11"],
    ["between 2020 and 2022", "2020-01-01", "2023-01-01"],
    ["between 2023-05-08 and 2023-06-01", "2023-05-08", "2023-06-02"],
    ["two weeks before August 11, 2023", "2023-07-24", "2023-08-01"],
    ["the week of 8 May 2023", "2023-05-05", "2023-05-12"],
    ["since May and before July", "2026-05-01", "2026-07-01"],
    ["in 2023, on 8 May 2023", "2023-05-08", "2023-05-09"],
    ["yesterday, and not in 2019", "2026-11-24", "2026-11-25"],
  ];
  for (const [query, from, until] of cases) test(query, () => expect(asked(query)).toEqual([from, until]));
});

describe("no period", () => {
  for (const query of [
    "When do we release?",
    "May I use npm?",
    "this may be wrong",
    "Which tests may 20 users run?",
    "12 may be too many",
    "may 2000 requests arrive at once?",
    "they march on",
    "to march 5 steps",
    "a second opinion, the second one",
    "the last name of Ann",
    "the last version",
    "the last time, the next step, this day",
    "version 2.0.20",
    "version 1.2.2023",
    "in 2000 ms",
    "in 2000 lines",
    "a limit of 2000",
    "down from 2000 to 1500",
    "between 2000 and 1500 ms",
    "port 2022",
    "RFC 2044",
    "error 2013 in line 1999",
    "05/08/2023",
    "2023-13-40",
    "build-2023-05-08",
    "What did April say to June?",
    "Spring Boot in the fallback",
    "every Monday, on Mondays",
    "ago",
    "before Christmas",
    "after the migration",
    "123456-2023-05-08-1",
    "10.0.0.1, 192.168.2.2023",
    "",
  ])
    test(JSON.stringify(query), () => expect(asked(query)).toBeNull());
});

const pieces = [
  ..."yesterday|last|this|next|week|May|may|march|8|31|2023|1999|since|before|after|between|and|to|from|in|on|of".split(
    "|",
  ),
  ..."Monday|ago|three|a couple of|weeks|days|Q1|summer|2023-05-08|12/13/2023|the|-|,|.|\n|’|İ|🎉|\ud800".split(
    "|",
  ),
];
const query = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 12 })
  .chain((parts) => fc.constantFrom(" ", "").map((separator) => parts.join(separator)));

test("a period is never empty, and the same query asks for the same period in any white space", () => {
  const times = fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(2098, 0) });
  fc.assert(
    fc.property(query, times, (text, time) => {
      const period = periodOf(text, time);
      if (period !== null) expect(period.from).toBeLessThan(period.until);
      expect(periodOf(text.replace(/\s+/g, "\n\t "), time)).toEqual(period);
    }),
    { numRuns: 2_000 },
  );
});

test("the period moves with the present by whole weeks", () => {
  const week = 7 * dayMs;
  for (const text of [
    "yesterday",
    "last week",
    "last Friday",
    "3 days ago",
    "two weeks ago",
    "this weekend",
  ]) {
    const [first, second] = [periodOf(text, now), periodOf(text, now + week)];
    expect(second).toEqual({ from: (first?.from ?? 0) + week, until: (first?.until ?? 0) + week });
  }
});

test("a hostile text of 100,000 characters is read in linear time", () => {
  for (const part of [...pieces, "8 May 2023 ", "between 2020 and ", "1", " ", "a ", "2023-", "half a "]) {
    const timeOf = (characters: number) => {
      const text = part.repeat(Math.ceil(characters / part.length));
      const start = performance.now();
      periodOf(text, now);
      return performance.now() - start;
    };
    timeOf(1_000);
    // Quadratic time would be a hundred times as long as for a tenth, and seconds in any case.
    expect(timeOf(100_000)).toBeLessThan(5_000);
  }
});
