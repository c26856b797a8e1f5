// Owns what metrics are made of: numbers that the parts of the server have counted. Those that another thread, a file or a check must
// tell have a source each: a scrape waits for them for a limited time, and then has the last ones.

import type { BackupState } from "../backup/last-backup.ts";
import type { CallCounts } from "../calls/call-statistics.ts";
import type { Clock } from "../clock.ts";
import type { EmbeddingCounts } from "../embedding/embedding-statistics.ts";
import type { DistributionState } from "../statistics/distribution.ts";
import type {
  CurrentStatistics,
  DatabaseContents,
  DatabaseFiles,
  GroupStatistics,
  NamedQueue,
  SearchStatistics,
} from "../storage/statistics.ts";
import { sourceWaitMs } from "./limits.ts";
import type { DiskFacts, ProcessFacts } from "./process-facts.ts";

/** Known in the main thread. */
export interface CurrentFacts {
  readonly calls: CallCounts;
  readonly embedding: EmbeddingCounts;
  readonly store: CurrentStatistics;
  /** Queues and restarts besides those of the store. */
  readonly queues: readonly NamedQueue[];
  readonly restarts: CurrentStatistics["restarts"];
  readonly searchIndexLimitBytes: number;
  readonly build: BuildFacts;
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
  readonly backups: BackupState | null;
  readonly readiness: { readonly ready: boolean } | null;
}

export type SourceName = keyof SlowFacts;

export interface SourceState {
  readonly source: SourceName;
  /** Whether it has answered this scrape. */
  readonly isCurrent: boolean;
  /** Age of its values; null: it has never answered. */
  readonly ageSeconds: number | null;
}

export interface Facts extends CurrentFacts, SlowFacts {
  readonly sources: readonly SourceState[];
}

/** How the slow facts are asked for. */
export type FactSources = { readonly [Name in SourceName]: () => Promise<SlowFacts[Name]> };

/** @returns how all facts are gathered. Never throws, and takes hardly longer than `sourceWaitMs`. */
export function createFactReader(
  readCurrent: () => CurrentFacts,
  sources: FactSources,
  clock: Clock,
): () => Promise<Facts> {
  const groups = createSource("groups", sources.groups, clock);
  const searches = createSource("searches", sources.searches, clock);
  const contents = createSource("contents", sources.contents, clock);
  const files = createSource("files", sources.files, clock);
  const disk = createSource("disk", sources.disk, clock);
  const process = createSource("process", sources.process, clock);
  const backups = createSource("backups", sources.backups, clock);
  const readiness = createSource("readiness", sources.readiness, clock);
  const all = [groups, searches, contents, files, disk, process, backups, readiness];
  return async () => {
    await Promise.all(all.map(({ refresh }) => refresh()));
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
      sources: all.map(({ state }) => state()),
    };
  };
}

interface Source<Value> {
  /** Asks for new values, and waits for them for a limited time. */
  refresh(): Promise<void>;
  /** Null: it has never answered, or does not exist. */
  last(): Value | null;
  state(): SourceState;
}

/** It is asked once at a time: a thread that hangs gets one request, however many scrapes there are. */
function createSource<Value>(
  source: SourceName,
  read: () => Promise<Value | null>,
  clock: Clock,
): Source<Value> {
  let value: Value | null = null;
  let answeredAtMs: number | null = null;
  let isCurrent = false;
  let asked: Promise<void> | null = null;
  const ask = async (): Promise<void> => {
    try {
      value = await read();
      answeredAtMs = clock.elapsed();
      isCurrent = true;
    } catch {
      // A thread that restarts, or a disk that fails: the log says why, and the metric `memledger_source_up` that it is so.
      isCurrent = false;
    }
    asked = null;
  };
  return {
    async refresh() {
      isCurrent = false;
      asked ??= ask();
      await clock.within(sourceWaitMs, asked);
    },
    last: () => value,
    state: () => ({
      source,
      isCurrent,
      ageSeconds: answeredAtMs === null ? null : Math.max(0, clock.elapsed() - answeredAtMs) / 1_000,
    }),
  };
}
