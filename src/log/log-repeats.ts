// Owns how often the log tells the same failure: a disk that fails makes every call fail, and the log may be on that disk.

import { failureLogEveryMs } from "../limits.ts";

/** Whether to log a failure of this name now: the first, and then one a minute. Names come from a fixed set. */
export type LogRepeats = (name: string) => boolean;

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
