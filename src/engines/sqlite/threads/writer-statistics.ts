// Owns the counts of the writer: groups, transactions and records since its thread was started.

import type { GroupStatistics } from "../../../calls/storage/statistics.ts";
import { groupCalls, stageSeconds } from "../../../platform/statistics/bounds.ts";
import { createDistribution, secondsBetween } from "../../../platform/statistics/distribution.ts";

export interface WriterStatistics {
  /** A group was committed. @param startedMs performance.now() at its beginning */
  group(calls: number, startedMs: number): void;
  /** Runs a commit. A commit that fails is not counted. */
  committing(commit: () => void): void;
  rolledBack(): void;
  record(bytes: number): void;
  read(): Omit<GroupStatistics, "retentionClockAheadMs">;
}

export function createWriterStatistics(): WriterStatistics {
  const calls = createDistribution(groupCalls);
  const transactionSeconds = createDistribution(stageSeconds);
  const commitSeconds = createDistribution(stageSeconds);
  let rolledBack = 0;
  let records = 0;
  let recordBytes = 0;
  return {
    group(count, startedMs) {
      calls.observe(count);
      transactionSeconds.observe(secondsBetween(startedMs, performance.now()));
    },
    committing(commit) {
      const startedMs = performance.now();
      commit();
      commitSeconds.observe(secondsBetween(startedMs, performance.now()));
    },
    rolledBack() {
      rolledBack += 1;
    },
    record(bytes) {
      records += 1;
      recordBytes += bytes;
    },
    read: () => ({
      calls: calls.read(),
      transactionSeconds: transactionSeconds.read(),
      commitSeconds: commitSeconds.read(),
      rolledBack,
      records,
      recordBytes,
    }),
  };
}
