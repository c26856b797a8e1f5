// Owns the rate limit of repeated log lines: when a disk fails, every call fails, and the log may be on the same disk.

import { failureLogEveryMs } from "../limits.ts";

/** Whether to log a failure of this name now: the first one, then one per minute. Names come from a fixed set. */
type LogRepeats = (name: string) => boolean;

export function createLogRepeats(everyMs = failureLogEveryMs): LogRepeats {
  const loggedAt = new Map<string, number>();
  return (name) => {
    const nowMs = performance.now();
    const lastMs = loggedAt.get(name) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lastMs < everyMs) return false;
    loggedAt.set(name, nowMs);
    return true;
  };
}
