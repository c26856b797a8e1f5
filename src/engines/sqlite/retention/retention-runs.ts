// Owns when retention runs over the chains: one run at a time, every hour and on request. Keeps the outcome of requested runs
// until it is fetched.

import { type ClockTrust, observeClock } from "../../../audit/retention-clock.ts";
import type { RetentionResult } from "../../../calls/storage/ledger-store.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { prune, type RetentionOptions } from "./retention.ts";

/** `unknown`: it was requested before this thread was started, or its outcome was fetched already. */
export type RetentionOutcome = readonly RetentionResult[] | "running" | "failed" | "unknown";

export interface RetentionRuns {
  /** Starts a run unless one is running. */
  start(): void;
  request(): number;
  outcomeOf(request: number): RetentionOutcome;
  /** By how much the system clock is ahead of the time from which the age of records is computed. */
  clockAheadMs(): number;
  /** Waits for requested runs; others continue after the next start. */
  finish(): Promise<void>;
}

export function createRetentionRuns(
  retention: Omit<RetentionOptions, "pause">,
  clock: Clock,
  logger: Logger,
): RetentionRuns {
  const outcomes = new Map<number, RetentionOutcome>();
  let running: Promise<unknown> | null = null;
  let requests = 0;
  let awaited = 0;
  let isEnding = false;
  let trust: ClockTrust | null = null;
  const pause = () => (isEnding && awaited === 0 ? Promise.reject(new Error("ending")) : clock.sleep(1));

  /** The time from which the age of records is computed. */
  const retentionTime = (): number => {
    const reading = { now: clock.now(), elapsed: clock.elapsed() };
    const observed = observeClock(trust, reading);
    trust = observed.trust;
    if (observed.hasJumped) {
      logger.warn("the system clock jumped forward; retention waits for one day. Check the clock", {
        clock: toTimestamp(reading.now),
        retention: toTimestamp(observed.time),
      });
    }
    return observed.time;
  };

  const clockAheadMs = (): number =>
    trust === null ? 0 : Math.max(0, Math.round(clock.now() - clock.elapsed() - trust.offset));

  const removeOld = async (): Promise<RetentionOutcome> => {
    try {
      return await prune({ ...retention, pause }, { now: clock.now(), ageAt: retentionTime() });
    } catch (error) {
      if (!isEnding || awaited > 0) logger.error("retention failed and is tried again later", { error });
      return "failed";
    }
  };

  /** After the running one, which may have passed chains whose records are too old by now. */
  const runNext = async (before: Promise<unknown> | null, request: number): Promise<void> => {
    await before;
    outcomes.set(request, await removeOld());
    awaited -= 1;
  };

  const run = (work: Promise<unknown>): void => {
    const mine = work.finally(() => {
      if (running === mine) running = null;
    });
    running = mine;
  };

  return {
    start() {
      if (running === null) run(removeOld());
    },
    request() {
      const request = ++requests;
      outcomes.set(request, "running");
      awaited += 1;
      run(runNext(running, request));
      return request;
    },
    clockAheadMs,
    outcomeOf(request) {
      const outcome = outcomes.get(request) ?? "unknown";
      if (outcome !== "running") outcomes.delete(request);
      return outcome;
    },
    async finish() {
      isEnding = true;
      await running;
    },
  };
}
