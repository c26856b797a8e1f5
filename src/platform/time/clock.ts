// Owns time. All other files use a Clock instead of Date.now() and of timers that depend on the time, so that tests can move the time of
// all threads at once.

import { type ClockShift, onMove, readShift } from "./clock-shift.ts";
import { createTimers, type Timers } from "./clock-timers.ts";

/** Its timers follow elapsed(). */
export interface Clock extends Timers {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Monotonic time in milliseconds, with a fraction. Only differences are meaningful. Comparable across threads. */
  elapsed(): number;
  /**
   * Runs the timers that a move of the clock has made due, if they have not run yet. A thread that calls this before it handles a
   * message has handled every move that was made before the message was sent.
   * @returns whether a timer has run; asynchronous work that it started continues in this turn of the event loop
   */
  catchUp(): boolean;
}

/** The system's clock, moved by `shift` when there is one. Threads that receive the same shift are moved together. */
export function createClock(shift: ClockShift | null = null): Clock {
  if (shift === null) {
    return {
      ...createTimers(systemElapsed),
      now: () => Date.now(),
      elapsed: systemElapsed,
      catchUp: () => false,
    };
  }
  const read = readShift(shift);
  const elapsed = () => systemElapsed() + read().passedMs;
  const timers = createTimers(elapsed);
  onMove(shift, timers.clockMoved);
  return {
    ...timers,
    now: () => {
      const { passedMs, setMs } = read();
      return Date.now() + passedMs + setMs;
    },
    elapsed,
    catchUp: timers.clockMoved,
  };
}

function systemElapsed(): number {
  return performance.timeOrigin + performance.now();
}

/** The beginning of its UTC day. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

export const dayMs = 86_400_000;
