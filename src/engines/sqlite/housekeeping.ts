// Owns when the writer does what no call waits for: access times, purging, unused vectors, merging the index of words,
// checkpoints, the trees of chains that a previous version has begun, retention. Runs between groups, never inside
// one, because a group awaits nothing that lets a timer in between. Pauses while the database file is marked as damaged.

import { accessFlushMs, retentionEveryMs, wordErasureAtEndMs } from "../../platform/limits.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { isMarkedDamaged } from "./database-file/damage-mark.ts";
import type { Checkpoints } from "./ledger/checkpoints.ts";
import { createUnusedVectorRemoval } from "./memories/model-change.ts";
import { createAccessFlush, createPurge, createRemovalCleanup } from "./memories/purge.ts";
import type { RetentionOptions } from "./retention/retention.ts";
import { createRetentionRuns, type RetentionOutcome } from "./retention/retention-runs.ts";
import { createSessionCleanup } from "./sessions.ts";
import { attempt } from "./threads/attempt.ts";
import type { WriterState } from "./threads/writer-state.ts";
import type { WordMerge } from "./words/merge.ts";

const cleanupEveryMs = 600_000;
const checkpointTestMs = 5_000;
/** Steps are at most this far apart, however long one took. */
const longestPauseMs = 100;

interface HousekeepingOptions {
  readonly database: Database;
  readonly state: WriterState;
  readonly checkpoints: Checkpoints;
  readonly wordMerge: WordMerge;
  readonly retention: Omit<RetentionOptions, "pause">;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Housekeeping {
  /** Starts what the calls of a group have made due. */
  afterGroup(): void;
  /** Starts a retention run as soon as none is running. @returns its number, by which its outcome can be asked for. */
  requestRetention(): number;
  outcomeOf(request: number): RetentionOutcome;
  /** As of RetentionRuns. */
  clockAheadMs(): number;
  /** Does what must be done before the end, and leaves the rest to the next start. */
  finish(): Promise<void>;
}

export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { database, state, checkpoints, wordMerge, clock, logger } = options;
  const flush = createAccessFlush(database, state);
  const cleanRemovals = createRemovalCleanup(database);
  const cleanSessions = createSessionCleanup(database);
  const repeatFlush = repeatedly(options, flush);
  const repeatPurge = repeatedly(options, createPurge(database, state, wordMerge));
  const repeatVectorRemoval = repeatedly(options, createUnusedVectorRemoval(database));
  const repeatMerge = repeatedly(options, wordMerge.step);
  const repeatTreeGrowth = repeatedly(options, checkpoints.growTrees);
  const retention = createRetentionRuns(options.retention, clock, logger);
  const whileIntact = (work: () => void) => () => {
    if (!isMarkedDamaged(database.name)) attempt(logger, work);
  };
  const startRetention = whileIntact(() => {
    if (checkpoints.isKeyInUse()) retention.start();
  });
  const timers = [
    clock.every(accessFlushMs, repeatFlush),
    clock.every(
      cleanupEveryMs,
      whileIntact(() => cleanRemovals(clock.now())),
    ),
    clock.every(
      cleanupEveryMs,
      whileIntact(() => cleanSessions(clock.now())),
    ),
    clock.every(checkpointTestMs, () => attempt(logger, () => checkpoints.signDue(false))),
    clock.every(checkpointTestMs, repeatMerge),
  ];
  // Follows the time of the system: tests move the clock by days to make records old, and ask for the run themselves.
  const hourly = setInterval(startRetention, retentionEveryMs);
  repeatPurge();
  repeatMerge();
  repeatVectorRemoval();
  repeatTreeGrowth();
  startRetention();

  return {
    requestRetention: retention.request,
    outcomeOf: retention.outcomeOf,
    clockAheadMs: retention.clockAheadMs,
    afterGroup() {
      if (state.purgeIsDue) repeatPurge();
      if (state.vectorRemovalIsDue) repeatVectorRemoval();
      state.vectorRemovalIsDue = false;
      if (state.wordMergeIsDue) repeatMerge();
    },
    async finish() {
      for (const timer of timers) timer.cancel();
      clearInterval(hourly);
      await retention.finish();
      const isIntact = !isMarkedDamaged(database.name);
      while (isIntact && attempt(logger, flush) === true);
      attempt(logger, () => checkpoints.signDue(true));
      if (!isIntact) return;
      const endsAt = clock.elapsed() + wordErasureAtEndMs;
      while (clock.elapsed() < endsAt && attempt(logger, () => wordMerge.erase()) === true);
    },
  };
}

/** A function that repeats a step until nothing is left, resting as long as the step took, so that calls have half of the time. */
function repeatedly({ database, clock, logger }: HousekeepingOptions, step: () => boolean): () => void {
  let isScheduled = false;
  const schedule = (pauseMs: number): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.after(Math.min(longestPauseMs, Math.max(1, pauseMs)), () => {
      isScheduled = false;
      // The rest is done by the next start.
      if (!database.open || isMarkedDamaged(database.name)) return;
      const startedAt = clock.elapsed();
      if (attempt(logger, step) === true) schedule(clock.elapsed() - startedAt);
    });
  };
  return () => schedule(1);
}
