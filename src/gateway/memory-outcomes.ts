// Owns the counts of what became of the memory of each request: for metrics, the overview and the log. Must never hold a text of a request.

import type { LogFields, Logger } from "../platform/log/logger.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { ClockTimer } from "../platform/time/clock-timers.ts";
import { memoryMissesKeptMs, memoryMissesLoggedEveryMs } from "./limits.ts";

/**
 * found: it was put in, or there was none. off: the request, its key or the upstream says so. present: the request has it already.
 * not_permitted: the key or the plan may not read memories. late: the deadline passed. failed: the injection was refused.
 */
export const memoryOutcomes = ["found", "off", "present", "not_permitted", "late", "failed"] as const;
export type MemoryOutcome = (typeof memoryOutcomes)[number];
/** A request that should have had memory had none. */
export type MemoryMiss = Extract<MemoryOutcome, "late" | "failed">;
export type MissCounts = Readonly<Record<MemoryMiss, number>>;

export interface MemoryOutcomes {
  /** @param about for the log: which request it was */
  count(outcome: MemoryOutcome, about?: LogFields): void;
  read(): Readonly<Record<MemoryOutcome, number>>;
  /** Of the last minutes. */
  recentMisses(): MissCounts;
  /** Logs the misses that are not logged yet. */
  close(): void;
}

/** The misses of at most a minute. */
interface Counter {
  readonly startedMs: number;
  readonly misses: Record<MemoryMiss, number>;
  /** Those that have a line of their own in the log. */
  logged: number;
}

interface MemoryOutcomesOptions {
  readonly clock: Pick<Clock, "elapsed" | "every">;
  readonly logger: Logger;
}

export function createMemoryOutcomes({ clock, logger }: MemoryOutcomesOptions): MemoryOutcomes {
  const counts = { found: 0, off: 0, present: 0, not_permitted: 0, late: 0, failed: 0 };
  let past: Counter[] = [];
  /** Null: there was no miss for a minute. */
  let current: Counter | null = null;
  let timer: ClockTimer | null = null;

  const finish = (counter: Counter): void => {
    const { late, failed } = counter.misses;
    const seconds = Math.ceil((clock.elapsed() - counter.startedMs) / 1_000);
    if (late + failed > counter.logged)
      logger.warn("requests did not get their memory", { late, failed, seconds });
    past = [...past, counter].filter(({ startedMs }) => startedMs >= clock.elapsed() - memoryMissesKeptMs);
  };
  const nextMinute = (): void => {
    if (current === null || sumOf(current) === 0) {
      current = null;
      timer?.cancel();
    } else {
      finish(current);
      current = newCounter(clock.elapsed());
    }
  };
  const countMiss = (miss: MemoryMiss, about: LogFields): void => {
    if (current === null) {
      logger.warn("a request did not get its memory", { reason: miss, ...about });
      current = { ...newCounter(clock.elapsed()), logged: 1 };
      timer = clock.every(memoryMissesLoggedEveryMs, nextMinute);
    }
    current.misses[miss] += 1;
  };

  return {
    count(outcome, about = {}) {
      counts[outcome] += 1;
      if (outcome === "late" || outcome === "failed") countMiss(outcome, about);
    },
    read: () => ({ ...counts }),
    recentMisses() {
      const since = clock.elapsed() - memoryMissesKeptMs;
      const recent = [...past, ...(current === null ? [] : [current])].filter(
        ({ startedMs }) => startedMs >= since,
      );
      return {
        late: recent.reduce((sum, { misses }) => sum + misses.late, 0),
        failed: recent.reduce((sum, { misses }) => sum + misses.failed, 0),
      };
    },
    close() {
      if (current !== null) finish(current);
      timer?.cancel();
    },
  };
}

function newCounter(startedMs: number): Counter {
  return { startedMs, misses: { late: 0, failed: 0 }, logged: 0 };
}

function sumOf({ misses: { late, failed } }: Counter): number {
  return late + failed;
}
