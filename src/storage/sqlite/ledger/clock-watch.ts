// Owns what the writer does about a wrong system clock: it tells the log when the clock is behind the newest records, and it keeps
// retention from removing records for a clock that jumped forward. Never changes a time.

import { type Clock, toTimestamp } from "../../../clock.ts";
import { clockBehindMs, clockTrustMs } from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";

/** Told with each record: the time of the record before it, and the clock. Logs once until the clock has caught up. */
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

/**
 * The time that retention goes by: what was removed cannot be brought back, so a clock that jumps forward is believed only after a day.
 * Until then time passes as the monotonic clock says. A clock that jumps back is believed at once: records then stay longer.
 */
export function createRetentionTime(clock: Clock, logger: Logger): () => number {
  let trusted: number | null = null;
  let higherSince: number | null = null;
  return () => {
    const elapsed = clock.elapsed();
    const offset = clock.now() - elapsed;
    if (trusted === null || offset <= trusted) {
      trusted = offset;
      higherSince = null;
    } else if (higherSince === null) {
      higherSince = elapsed;
      if (offset - trusted > clockBehindMs) {
        const fields = { clock: toTimestamp(clock.now()), retention: toTimestamp(elapsed + trusted) };
        logger.warn(
          "the system clock jumped forward; retention follows it after a day. Check the clock",
          fields,
        );
      }
    } else if (elapsed - higherSince >= clockTrustMs) {
      trusted = offset;
      higherSince = null;
    }
    return Math.floor(elapsed + trusted);
  };
}
