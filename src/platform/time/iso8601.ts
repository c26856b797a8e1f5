// Owns parsing the times of audit queries: dates and times of ISO 8601-1 with a year of four digits. Times of memories are RFC 3339
// timestamps (timestamp.ts), whose checks and reasons are reused here.

import { dayMs, mondayOf } from "../dates/calendar.ts";
import { earliestMs, latestMs } from "./timestamp.ts";
import { dayFault, offsetFault, outsideYears, timeOfDayFault, yearFault } from "./timestamp-fault.ts";

/** An instant, or a whole day, week, month or year. Milliseconds since 1970, both ends inclusive. */
export interface Moment {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A moment, or why the text is invalid: `fault` completes a sentence such as `Field "start_time" ...`. */
type MomentReading =
  | { readonly moment: Moment; readonly fault: null }
  | { readonly moment: null; readonly fault: string };

const dateForm =
  /^(?<year>\d{4})(?:(?<dash>-?)(?:W(?<week>\d{2})(?:\k<dash>(?<weekday>\d))?|(?<ordinal>\d{3})|(?<month>\d{2})(?:\k<dash>(?<day>\d{2}))?))?$/;
const timeForm =
  /^(?<hour>\d{2})(?:(?<colon>:?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2}))?)?(?:[.,](?<fraction>\d+))?(?<zone>[Zz]|[+\-\u2212]\d{2}(?::?\d{2})?)?$/;
/** A `+` that was not percent-encoded in a URL is received as a space. Between a time and an offset, a space can only be a `+`. */
const lostPlus = /^([^ ]+[Tt ][^ ]+) (\d{2}(?::?\d{2})?)$/;
/** Many languages write a space between date and time, as RFC 3339 allows. */
const separator = /[Tt ]/;

const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];

/** Reads a date, or a date with a time; UTC without a time zone. `24:00` is the end of a day. A leap second counts as the next second. */
export function readMoment(text: string): MomentReading {
  const [date = "", time, ...rest] = text.replace(lostPlus, "$1+$2").split(separator);
  const found = readDate(date);
  if (found === null || rest.length > 0) return faulty(formFault(text));
  if ("fault" in found) return faulty(found.fault);
  if (time === undefined) return within(found);
  const instant = readTime(time, found);
  if (instant === null) return faulty(formFault(text));
  return typeof instant === "string" ? faulty(instant) : within({ firstMs: instant, lastMs: instant });
}

/** The moment of an ISO 8601 text, or null when the text is not one. */
export function fromMoment(text: string): Moment | null {
  return readMoment(text).moment;
}

interface FoundDate extends Moment {
  /** Null: both formats write the date in the same way. */
  readonly isBasic: boolean | null;
}

/** Null when the text does not have the form of a date. */
function readDate(text: string): FoundDate | { readonly fault: string } | null {
  const parts = dateForm.exec(text)?.groups;
  if (parts === undefined) return null;
  const { dash, week, weekday, ordinal, month, day } = parts;
  const year = Number(parts.year);
  const isBasic = dash === undefined ? null : dash === "";
  if (week !== undefined) return { ...readWeek(year, Number(week), weekday), isBasic };
  if (ordinal !== undefined) {
    const days = (startOf(year + 1) - startOf(year)) / dayMs;
    const number = Number(ordinal);
    if (number >= 1 && number <= days) return { ...span(startOf(year, 1, number), dayMs), isBasic };
    return { fault: `names the day ${ordinal} of ${parts.year}, which has the days 001 to ${days}` };
  }
  if (month === undefined) return { firstMs: startOf(year), lastMs: startOf(year + 1) - 1, isBasic };
  // In ISO 8601, six digits are a date without its century.
  if (day === undefined && isBasic) return null;
  const fault = dayFault(year, Number(month), Number(day ?? 1));
  if (fault !== null) return { fault };
  if (day !== undefined) return { ...span(startOf(year, Number(month), Number(day)), dayMs), isBasic };
  return { firstMs: startOf(year, Number(month)), lastMs: startOf(year, Number(month) + 1) - 1, isBasic };
}

/** The first week of a year contains 4 January. Weeks begin on Monday. */
function readWeek(year: number, week: number, weekday: string | undefined): Moment | { fault: string } {
  const firstMonday = mondayOf(startOf(year, 1, 4));
  const weeks = (mondayOf(startOf(year + 1, 1, 4)) - firstMonday) / (7 * dayMs);
  if (week < 1 || week > weeks)
    return { fault: `has the week ${week}; the year has the weeks 01 to ${weeks}` };
  const monday = firstMonday + (week - 1) * 7 * dayMs;
  if (weekday === undefined) return span(monday, 7 * dayMs);
  const day = Number(weekday);
  if (day < 1 || day > 7) return { fault: `has the weekday ${day}; weekdays are 1 (Monday) to 7 (Sunday)` };
  return span(monday + (day - 1) * dayMs, dayMs);
}

/** Milliseconds of a time of day, or why it is invalid; null when the text does not have the form of a time. */
function readTime(text: string, { firstMs, lastMs, isBasic }: FoundDate): number | string | null {
  const parts = timeForm.exec(text)?.groups;
  if (parts === undefined || lastMs - firstMs >= dayMs) return null;
  if (parts.colon !== undefined && isBasic !== (parts.colon === "")) return mixedForms;
  const [hour, minute, second] = [parts.hour, parts.minute, parts.second].map((part) => Number(part ?? 0));
  const unitMs = parts.second !== undefined ? secondMs : parts.minute !== undefined ? minuteMs : hourMs;
  const ofDayMs =
    (hour ?? 0) * hourMs +
    (minute ?? 0) * minuteMs +
    (second ?? 0) * secondMs +
    fractionOf(unitMs, parts.fraction ?? "");
  const isEndOfDay = ofDayMs === dayMs && hour === 24;
  const fault = isEndOfDay ? null : timeFault(hour ?? 0, minute ?? 0, second ?? 0);
  const offset = readOffset(parts.zone ?? "Z");
  return fault ?? (typeof offset === "string" ? offset : firstMs + ofDayMs - offset);
}

/** Unlike RFC 3339, ISO 8601 writes the end of a day as 24:00. */
function timeFault(hour: number, minute: number, second: number): string | null {
  if (hour > 23) return `has the hour ${hour}; hours are 00 to 23, and 24:00 is the end of a day`;
  return timeOfDayFault(hour, minute, second);
}

const mixedForms =
  "mixes the extended format (hyphens and colons) and the basic format; use the same format for date and time";

/** Whole milliseconds. Digits beyond nine are ignored. */
function fractionOf(unitMs: number, digits: string): number {
  return Math.floor((Number(digits.slice(0, 9).padEnd(9, "0")) * unitMs) / 1e9);
}

/** Milliseconds east of UTC, or why the offset is invalid. */
function readOffset(zone: string): number | string {
  if (zone === "Z" || zone === "z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(":", ""))];
  const ms = hours * hourMs + minutes * minuteMs;
  return offsetFault(zone, hours, minutes) ?? (zone.startsWith("+") ? ms : -ms);
}

/** Date.UTC interprets the years 0 to 99 as 1900 to 1999. Months and days out of range count on into the next year or month. */
function startOf(year: number, month = 1, day = 1): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function span(firstMs: number, lengthMs: number): Moment {
  return { firstMs, lastMs: firstMs + lengthMs - 1 };
}

function within({ firstMs, lastMs }: Moment): MomentReading {
  if (firstMs < earliestMs || lastMs > latestMs) return faulty(outsideYears);
  return { moment: { firstMs, lastMs }, fault: null };
}

function faulty(fault: string): MomentReading {
  return { moment: null, fault };
}

function formFault(text: string): string {
  const year = yearFault(text);
  if (year !== null) return year;
  return "must be an ISO 8601 date or time, such as 2026-11-01, 2026-11-01T09:30:00Z or 20261101T093000+0100";
}
