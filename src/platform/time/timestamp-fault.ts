// Owns why a text is not an RFC 3339 timestamp. Each reason completes a sentence such as `Field "expires_at" ...`.

import { daysOfMonth, fromTimestamp, isDay, isOffset, isTimeOfDay, timestampForm } from "./timestamp.ts";

/** Common invalid forms, so that the message can say what is wrong. */
const nearly =
  /^(?<date>(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2}))(?:[Tt ](?<minutes>(?<hour>\d{2}):(?<minute>\d{2}))(?::(?<second>\d{2})(?:(?<mark>[.,])\d+)?)?(?:[Zz]|(?<offset>[+-](?<offsetHour>\d{2})(?::?(?<offsetMinute>\d{2}))?))?)?$/;
const oddYear = /^(?:[+\-\u2212]\d{4}|[+\-\u2212]?\d{5,6})(?=-)/;

export const outsideYears = "is outside the years 0000 to 9999 in UTC";

/** Null: it is a timestamp. */
export function timestampFault(text: string): string | null {
  if (fromTimestamp(text) !== null) return null;
  if (!timestampForm.test(text)) return formFault(text);
  return impossiblePart(nearly.exec(text)?.groups ?? {}) ?? outsideYears;
}

function formFault(text: string): string {
  const parts = nearly.exec(text)?.groups;
  if (parts !== undefined) return partsFault(parts);
  return yearFault(text) ?? "must be an RFC 3339 timestamp with a time zone, such as 2026-12-31T23:59:59Z";
}

/** An invalid day is reported first, because the example in other messages repeats it. */
function partsFault(parts: Readonly<Record<string, string | undefined>>): string {
  const { date, minutes, mark, offset, offsetHour, offsetMinute } = parts;
  const fault = impossiblePart(parts);
  if (fault !== null) return fault;
  if (minutes === undefined) return `has no time of day; send a timestamp such as ${date}T00:00:00Z`;
  if (parts.second === undefined) return `has no seconds; send a timestamp such as ${date}T${minutes}:00Z`;
  if (mark === ",") return "has a comma before the fraction of a second; write a period";
  if (offset === undefined) return "has no time zone; add Z or an offset such as +01:00";
  const whole = `${offset.charAt(0)}${offsetHour}:${offsetMinute ?? "00"}`;
  return `has no ${offsetMinute === undefined ? "minutes" : "colon"} in its offset; write ${whole}`;
}

function impossiblePart(parts: Readonly<Record<string, string | undefined>>): string | null {
  const number = (name: string) => Number(parts[name] ?? 0);
  return (
    dayFault(number("year"), number("month"), number("day")) ??
    timeOfDayFault(number("hour"), number("minute"), number("second")) ??
    offsetFault(parts.offset ?? "", number("offsetHour"), number("offsetMinute"))
  );
}

/** Why the year at the beginning is invalid: wrong length, or a sign; null when it is valid or there is none. */
export function yearFault(text: string): string | null {
  const year = oddYear.exec(text)?.[0];
  return year === undefined
    ? null
    : `has the year ${year}; years are 0000 to 9999, with four digits and no sign`;
}

/** Why the day does not exist in the Gregorian calendar. */
export function dayFault(year: number, month: number, day: number): string | null {
  if (month < 1 || month > 12) return `has the month ${twoDigits(month)}; months are 01 to 12`;
  if (isDay(year, month, day)) return null;
  const days = daysOfMonth(year, month);
  return `names a day that does not exist: ${String(year).padStart(4, "0")}-${twoDigits(month)} has the days 01 to ${days}`;
}

export function timeOfDayFault(hour: number, minute: number, second: number): string | null {
  if (isTimeOfDay(hour, minute, second)) return null;
  if (hour > 23) return `has the hour ${hour}; hours are 00 to 23`;
  if (minute > 59) return `has the minute ${minute}; minutes are 00 to 59`;
  return `has the second ${second}; seconds are 00 to 59, and 60 for a leap second`;
}

export function offsetFault(offset: string, hours: number, minutes: number): string | null {
  if (isOffset(hours, minutes)) return null;
  return `has the offset ${offset}; offsets are -23:59 to +23:59`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
