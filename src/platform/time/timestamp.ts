// Owns RFC 3339 timestamps: writing and reading them. Why a text is not one is in timestamp-fault.ts, which browsers do not load. Must never
// read a clock.

/** RFC 3339 in UTC with milliseconds, the only form in which times leave the service. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Groups: year, month, day, hour, minute, second; offset, its hours and its minutes. */
export const timestampForm =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-](\d{2}):(\d{2})))$/;

/** With an offset, a time can be outside the years that RFC 3339 can represent in UTC. Every time that is read can be written. */
export const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");
export const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Milliseconds of an RFC 3339 timestamp with any offset, or null when the text is not one. Stricter than Date.parse, which accepts
 * 30 February. A leap second (`:60`) counts as the second after it.
 */
export function fromTimestamp(text: string): number | null {
  const match = timestampForm.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [offsetHours, offsetMinutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  const isValid =
    isDay(year, month, day) && isTimeOfDay(hour, minute, second) && isOffset(offsetHours, offsetMinutes);
  if (!isValid) return null;
  const leap = second === 60;
  const parsed = Date.parse((leap ? text.replace(/:60/, ":59") : text).replace(" ", "T").toUpperCase());
  const ms = parsed + (leap ? 1000 : 0);
  return ms >= earliestMs && ms <= latestMs ? ms : null;
}

/** Whether the day exists in the Gregorian calendar. */
export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month);
}

/** Date.UTC interprets the years 0 to 99 as 1900 to 1999. The calendar repeats every 400 years. */
export function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

export function isTimeOfDay(hour: number, minute: number, second: number): boolean {
  return hour <= 23 && minute <= 59 && second <= 60;
}

export function isOffset(hours: number, minutes: number): boolean {
  return hours <= 23 && minutes <= 59;
}
