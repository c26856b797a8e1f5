// Owns the texts of times: writing and reading RFC 3339 timestamps, and why a text is not one. Must never read a clock.

/** RFC 3339 in UTC with milliseconds, the only form in which times leave the service. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time, or why the text is invalid: `fault` completes a sentence such as `Field "expires_at" ...`. */
type TimeReading =
  | { readonly ms: number; readonly fault: null }
  | { readonly ms: null; readonly fault: string };

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-](\d{2}):(\d{2})))$/;
/** Common invalid forms, so that the message can say what is wrong. */
const nearly =
  /^(?<date>(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2}))(?:[Tt ](?<minutes>(?<hour>\d{2}):(?<minute>\d{2}))(?::(?<second>\d{2})(?:(?<mark>[.,])\d+)?)?(?:[Zz]|(?<offset>[+-](?<offsetHour>\d{2})(?::?(?<offsetMinute>\d{2}))?))?)?$/;
const oddYear = /^(?:[+\-\u2212]\d{4}|[+\-\u2212]?\d{5,6})(?=-)/;

/** With an offset, a time can be outside the years that RFC 3339 can represent in UTC. */
export const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");
export const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Reads an RFC 3339 timestamp with any offset. Stricter than Date.parse, which accepts 30 February. A leap second (`:60`) counts as
 * the second after it.
 */
export function readTimestamp(text: string): TimeReading {
  const match = rfc3339.exec(text);
  if (match === null) return faulty(formFault(text));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offset = "+00:00", offsetHour, offsetMinute] = match.slice(7);
  const fault =
    dayFault(year, month, day) ??
    timeOfDayFault(hour, minute, second) ??
    offsetFault(offset, Number(offsetHour ?? 0), Number(offsetMinute ?? 0));
  if (fault !== null) return faulty(fault);
  const leap = second === 60;
  const parsed = Date.parse((leap ? text.replace(/:60/, ":59") : text).replace(" ", "T").toUpperCase());
  return inRange(parsed + (leap ? 1000 : 0));
}

/** Milliseconds of an RFC 3339 timestamp, or null when the text is not one. */
export function fromTimestamp(text: string): number | null {
  return readTimestamp(text).ms;
}

export const outsideYears = "is outside the years 0000 to 9999 in UTC";

/** Every time that is read must also be representable in an answer. */
function inRange(ms: number): TimeReading {
  if (ms >= earliestMs && ms <= latestMs) return { ms, fault: null };
  return faulty(outsideYears);
}

function faulty(fault: string): TimeReading {
  return { ms: null, fault };
}

function formFault(text: string): string {
  const parts = nearly.exec(text)?.groups;
  if (parts !== undefined) return partsFault(parts);
  return yearFault(text) ?? "must be an RFC 3339 timestamp with a time zone, such as 2026-12-31T23:59:59Z";
}

/** An invalid day is reported first, because the example in other messages repeats it. */
function partsFault(parts: Readonly<Record<string, string | undefined>>): string {
  const { date, minutes, mark, offset, offsetHour, offsetMinute } = parts;
  const number = (name: string) => Number(parts[name] ?? 0);
  const fault =
    dayFault(number("year"), number("month"), number("day")) ??
    timeOfDayFault(number("hour"), number("minute"), number("second")) ??
    offsetFault(offset ?? "", number("offsetHour"), number("offsetMinute"));
  if (fault !== null) return fault;
  if (minutes === undefined) return `has no time of day; send a timestamp such as ${date}T00:00:00Z`;
  if (parts.second === undefined) return `has no seconds; send a timestamp such as ${date}T${minutes}:00Z`;
  if (mark === ",") return "has a comma before the fraction of a second; write a period";
  if (offset === undefined) return "has no time zone; add Z or an offset such as +01:00";
  const whole = `${offset.charAt(0)}${offsetHour}:${offsetMinute ?? "00"}`;
  return `has no ${offsetMinute === undefined ? "minutes" : "colon"} in its offset; write ${whole}`;
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
  // Date.UTC interprets the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years.
  const days = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (day >= 1 && day <= days) return null;
  return `names a day that does not exist: ${String(year).padStart(4, "0")}-${twoDigits(month)} has the days 01 to ${days}`;
}

export function timeOfDayFault(hour: number, minute: number, second: number): string | null {
  if (hour > 23) return `has the hour ${hour}; hours are 00 to 23`;
  if (minute > 59) return `has the minute ${minute}; minutes are 00 to 59`;
  return second > 60 ? `has the second ${second}; seconds are 00 to 59, and 60 for a leap second` : null;
}

export function offsetFault(offset: string, hours: number, minutes: number): string | null {
  if (hours <= 23 && minutes <= 59) return null;
  return `has the offset ${offset}; offsets are -23:59 to +23:59`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
