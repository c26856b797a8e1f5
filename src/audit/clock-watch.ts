// Owns the warning about a system clock that is behind the newest audit record. Never changes a time.

import { clockBehindMs } from "../platform/limits.ts";
import type { Logger } from "../platform/log/logger.ts";
import { toTimestamp } from "../platform/time/timestamp.ts";

/** Called for each record with the time of the previous record and the clock. Logs once until the clock has reached that time. */
export type ClockWatch = (newestAt: number, now: number) => void;

export function createClockWatch(logger: Logger): ClockWatch {
  let behindUntil: number | null = null;
  return (newestAt, now) => {
    if (behindUntil === null && newestAt - now > clockBehindMs) {
      behindUntil = newestAt;
      logger.warn(
        "the system clock is behind the newest audit record; new records get that record's time until the clock reaches it. Check the clock",
        { clock: toTimestamp(now), newest_record: toTimestamp(newestAt) },
      );
    } else if (behindUntil !== null && now >= behindUntil) {
      behindUntil = null;
      logger.info("the system clock has reached the newest audit record", { clock: toTimestamp(now) });
    }
  };
}
