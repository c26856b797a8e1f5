// Owns time. Every other file asks a Clock; none calls Date.now() itself, so that tests can move time in all threads at once.

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds with a fraction that never run backwards; only differences mean something. Comparable across threads. */
  elapsed(): number;
}

/**
 * The system's clock, shifted by `offset[0]` milliseconds when a shared Float64 buffer is given.
 * Workers receive the same buffer, so a test that moves it moves every thread.
 */
export function createClock(offset: SharedArrayBuffer | null = null): Clock {
  const shift = offset === null ? null : new Float64Array(offset);
  const shiftMs = () => shift?.[0] ?? 0;
  return {
    now: () => Date.now() + shiftMs(),
    elapsed: () => performance.timeOrigin + performance.now() + shiftMs(),
  };
}

/** RFC 3339 in UTC with milliseconds, the only form in which times leave the service. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An offset can lead out of the years that RFC 3339 can write in UTC. */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Milliseconds of an RFC 3339 timestamp with any offset, or null when the text is none.
 * Stricter than Date.parse, which accepts 30 February. A leap second (`:60`) counts as the second after it.
 */
export function fromTimestamp(text: string): number | null {
  const match = rfc3339.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second] = match.map(Number);
  if (month === undefined || day === undefined || year === undefined) return null;
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  ) {
    return null;
  }
  if ((hour ?? 24) > 23 || (minute ?? 60) > 59 || (second ?? 61) > 60) return null;
  const leap = second === 60;
  const parsed = Date.parse((leap ? text.replace(/:60/, ":59") : text).replace(" ", "T").toUpperCase());
  const ms = parsed + (leap ? 1000 : 0);
  return ms >= earliestMs && ms <= latestMs ? ms : null;
}

/**
 * Milliseconds of an ISO 8601 moment in a URL: an RFC 3339 timestamp, or a date, which is its midnight in UTC. Null otherwise.
 * A `+` that was not percent-encoded arrives as a space; before an offset it can mean nothing else.
 */
export function fromMoment(text: string): number | null {
  const mended = text.replace(/ (\d\d:\d\d)$/, "+$1");
  return fromTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(mended) ? `${mended}T00:00:00Z` : mended);
}
