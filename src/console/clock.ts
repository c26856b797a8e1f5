// Owns the time of the day in the browser.

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}
