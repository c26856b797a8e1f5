// Owns the time that retention uses: what was removed cannot be restored, so a system clock that jumped forward is trusted only
// after a day. Pure: reads no clock, logs nothing.

import { clockBehindMs, clockTrustMs } from "../platform/limits.ts";

/** Both in milliseconds. */
interface ClockReading {
  /** The system clock, which may be set to any time. */
  readonly now: number;
  /** The monotonic clock. */
  readonly elapsed: number;
}

export interface ClockTrust {
  /** Retention's time minus the monotonic clock. */
  readonly offset: number;
  /** Monotonic time since which the system clock has been ahead of retention's time; null: it is not ahead. */
  readonly aheadSince: number | null;
}

interface ObservedClock {
  readonly trust: ClockTrust;
  /** The time that retention uses now. */
  readonly time: number;
  /** Whether this reading is the first after a jump forward that an operator should know about. */
  readonly hasJumped: boolean;
}

/**
 * Retention's time after a reading of both clocks. `trust` is that of the reading before; null: this is the first one, which is
 * trusted. Between readings time passes as the monotonic clock says. A system clock that is behind is trusted at once: records then
 * stay longer. One that is ahead is trusted after it has stayed ahead for a day.
 */
export function observeClock(trust: ClockTrust | null, { now, elapsed }: ClockReading): ObservedClock {
  const offset = now - elapsed;
  const observed = (next: ClockTrust, hasJumped = false): ObservedClock => ({
    trust: next,
    time: Math.floor(elapsed + next.offset),
    hasJumped,
  });
  if (trust === null || offset <= trust.offset) return observed({ offset, aheadSince: null });
  if (trust.aheadSince === null) {
    return observed({ offset: trust.offset, aheadSince: elapsed }, offset - trust.offset > clockBehindMs);
  }
  return elapsed - trust.aheadSince >= clockTrustMs
    ? observed({ offset, aheadSince: null })
    : observed(trust);
}
