// Owns what metrics are made of: numbers that the parts of the server have counted. Those that another thread, a file or a check must
// tell have a source each: a scrape waits for them for a limited time, and then has the last ones.

import type { BackupState } from "../../calls/operations/backups/last-backup.ts";
import type { CallCounts } from "../../calls/statistics/call-statistics.ts";
import type {
  CurrentStatistics,
  DatabaseContents,
  DatabaseFiles,
  GroupStatistics,
  NamedQueue,
  SearchStatistics,
} from "../../calls/storage/statistics.ts";
import type { MemoryOutcome } from "../../gateway/memory-outcomes.ts";
import type { EmbeddingCounts } from "../../models/embedding/embedding-statistics.ts";
import type { DistributionState } from "../../platform/statistics/distribution.ts";
import { createSource, type Source, type SourceState } from "../../platform/statistics/source.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { sourceWaitMs } from "./limits.ts";
import type { DiskFacts, ProcessFacts } from "./process-facts.ts";

/** Known in the main thread. */
export interface CurrentFacts {
  readonly calls: CallCounts;
  readonly memoryOutcomes: Readonly<Record<MemoryOutcome, number>>;
  readonly embedding: EmbeddingCounts;
  readonly store: CurrentStatistics;
  /** Queues and restarts besides those of the store. */
  readonly queues: readonly NamedQueue[];
  readonly restarts: CurrentStatistics["restarts"];
  readonly searchIndexLimitBytes: number;
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
interface SlowFacts {
  readonly groups: GroupStatistics | null;
  readonly searches: SearchStatistics | null;
  readonly contents: DatabaseContents | null;
  readonly files: DatabaseFiles | null;
  readonly disk: DiskFacts | null;
  readonly process: ProcessFacts | null;
  /** `everyMs`: time between two scheduled backups; null: there is no schedule. */
  readonly backups: (BackupState & { readonly everyMs: number | null }) | null;
  readonly readiness: { readonly ready: boolean } | null;
}

export type SourceName = keyof SlowFacts;

export interface NamedSourceState extends SourceState {
  readonly source: SourceName;
}

export interface Facts extends CurrentFacts, SlowFacts {
  readonly sources: readonly NamedSourceState[];
}

/** How the slow facts are asked for. */
export type FactSources = { readonly [Name in SourceName]: () => Promise<SlowFacts[Name]> };

/** @returns how all facts are gathered. Never throws, and takes hardly longer than `sourceWaitMs`. */
export function createFactReader(
  readCurrent: () => CurrentFacts,
  sources: FactSources,
  clock: Clock,
): () => Promise<Facts> {
  const groups = createSource(sources.groups, sourceWaitMs, clock);
  const searches = createSource(sources.searches, sourceWaitMs, clock);
  const contents = createSource(sources.contents, sourceWaitMs, clock);
  const files = createSource(sources.files, sourceWaitMs, clock);
  const disk = createSource(sources.disk, sourceWaitMs, clock);
  const process = createSource(sources.process, sourceWaitMs, clock);
  const backups = createSource(sources.backups, sourceWaitMs, clock);
  const readiness = createSource(sources.readiness, sourceWaitMs, clock);
  const all: readonly (readonly [SourceName, Source<unknown>])[] = [
    ["groups", groups],
    ["searches", searches],
    ["contents", contents],
    ["files", files],
    ["disk", disk],
    ["process", process],
    ["backups", backups],
    ["readiness", readiness],
  ];
  return async () => {
    await Promise.all(all.map(([, { refresh }]) => refresh()));
    return {
      ...readCurrent(),
      groups: groups.last(),
      searches: searches.last(),
      contents: contents.last(),
      files: files.last(),
      disk: disk.last(),
      process: process.last(),
      backups: backups.last(),
      readiness: readiness.last(),
      sources: all.map(([source, { state }]) => ({ source, ...state() })),
    };
  };
}
