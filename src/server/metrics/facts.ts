// Owns what metrics are made of: numbers that the parts of the server have counted. Those that another thread, a file or a check must
// tell have a source each: a scrape waits for them for a limited time, and then has the last ones.

import type { CallCounts } from "../../calls/statistics/call-statistics.ts";
import type { CurrentStatistics, DatabaseContents, NamedQueue } from "../../calls/storage/statistics.ts";
import type { MemoryOutcome } from "../../gateway/memory-outcomes.ts";
import type { EmbeddingCounts } from "../../models/embedding/embedding-statistics.ts";
import type { DistributionState } from "../../platform/statistics/distribution.ts";
import { createSources, type NamedState, type Readers } from "../../platform/statistics/source.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DestinationState } from "../attesting/destination.ts";
import type { MeasuredFacts } from "../measured-facts.ts";
import { sourceWaitMs } from "./limits.ts";
import type { ProcessFacts } from "./process-facts.ts";

/** Known in the main thread. */
export interface CurrentFacts {
  readonly calls: CallCounts;
  readonly memoryOutcomes: Readonly<Record<MemoryOutcome, number>>;
  /** Of the third parties that attest checkpoints. */
  readonly attestations: readonly DestinationState[];
  readonly embedding: EmbeddingCounts;
  readonly store: CurrentStatistics;
  /** Besides those of the store. */
  readonly queues: readonly NamedQueue[];
  /** Of all threads. */
  readonly restarts: CurrentStatistics["restarts"];
  readonly searchIndexLimitBytes: number;
  /** Time between two scheduled backups; null: there is no schedule. */
  readonly backupEveryMs: number | null;
  readonly build: BuildFacts;
  /** When the TLS certificate in use ends, in milliseconds since 1970; null: there is none. */
  readonly certificateEndsAt: number | null;
  /** Seconds by which the event loop of the main thread was late. */
  readonly eventLoopDelays: DistributionState;
}

export interface BuildFacts {
  readonly version: string;
  readonly commit: string;
  /** Of the database. */
  readonly format: number;
  /** Of the embedding model. */
  readonly model: string;
  readonly extractor: string;
}

/** Each may take long; null: it does not exist. */
export interface SlowFacts extends MeasuredFacts {
  readonly contents: DatabaseContents | null;
  readonly process: ProcessFacts | null;
}

export interface Facts extends CurrentFacts, SlowFacts {
  readonly sources: readonly NamedState<keyof SlowFacts>[];
}

/** @returns how all facts are gathered. Never throws, and takes hardly longer than `sourceWaitMs`. */
export function createFactReader(
  readCurrent: () => CurrentFacts,
  readers: Readers<SlowFacts>,
  clock: Clock,
): () => Promise<Facts> {
  const sources = createSources(readers, sourceWaitMs, clock);
  return async () => {
    await sources.refresh();
    return { ...readCurrent(), ...sources.last(), sources: sources.states() };
  };
}
