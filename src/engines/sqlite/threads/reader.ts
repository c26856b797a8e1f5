// Owns the requests to the reading threads: one for searches, one for everything else. Requests wait here and not in a thread, so that
// projects take turns, and a request whose client has closed the connection is never sent.

import type { AuditReader, ChainOwner, RecordLocation } from "../../../audit/store.ts";
import type { Clock } from "../../../clock.ts";
import {
  readQueueLimits,
  readRequestsAtOnce,
  readRequestsOfProjectAtOnce,
  searchQueueLimits,
} from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { MemoryReader } from "../../../memory/store.ts";
import type { ModelVectors } from "../../../model-change/store.ts";
import { createFairGate } from "../../../scheduling/fair-gate.ts";
import {
  type QueueCounts,
  type QueueLimits,
  serverItself,
  type Waiter,
} from "../../../scheduling/fair-queue.ts";
import { stageSeconds } from "../../../statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../../statistics/distribution.ts";
import type { CurrentStatistics, DatabaseContents, SearchStatistics } from "../../../storage/statistics.ts";
import type { WorkerThread } from "../../../threads/worker-thread.ts";
import { createVerificationRounds } from "../verify/verification-rounds.ts";
import type { NamedRequest, RequestHandlers } from "./answer-requests.ts";
import type { ReadHandlers } from "./reader-worker.ts";
import type { SearchHandlers } from "./search-worker.ts";

interface Reader {
  readonly memories: Omit<MemoryReader, "find" | "findHeld">;
  readonly models: Pick<ModelVectors, "bound" | "change" | "count" | "findMissing">;
  readonly audit: Omit<AuditReader, "erasures">;
  /** Null: the thread was not started. @throws Refusal 1503 while it restarts, or when too many searches wait */
  searches(): Promise<SearchStatistics | null>;
  /** @throws Refusal 1503 while the thread restarts, or when too many requests wait */
  contents(countsProjects: boolean): Promise<DatabaseContents>;
  counts(): ReaderCounts;
  close(): Promise<void>;
}

interface ReaderCounts extends Pick<CurrentStatistics, "verifiedAt" | "chainsWithFailure"> {
  readonly reader: QueueCounts;
  readonly searcher: QueueCounts;
  readonly searchWaits: DistributionState;
}

/** How the threads are started. */
interface ReadingThreads {
  readonly reader: () => WorkerThread;
  readonly searcher: () => WorkerThread;
}

export function createReader(threads: ReadingThreads, clock: Clock, logger: Logger): Reader {
  const reader = createAsking<ReadHandlers>(threads.reader, readQueueLimits);
  const searcher = createAsking<SearchHandlers>(threads.searcher, searchQueueLimits);
  const { ask } = reader;
  const { ask: askSearcher } = searcher;
  const verify = createVerificationRounds(
    {
      startRun: (...values) => ask(serverItself, "startRun", ...values),
      verifyStep: (...values) => ask(serverItself, "verifyStep", ...values),
    },
    clock,
    logger,
  );

  return {
    memories: {
      list: (project, query, signal) => ask(by(project, signal), "listMemories", project, query),
      listTags: (project, query, signal) => ask(by(project, signal), "listTags", project, query),
      exportPage: (project, query, signal) => ask(by(project, signal), "exportMemories", project, query),
      search: (project, query, signal) => askSearcher(by(project, signal), "search", project, query),
      readForInjection: (project, query, signal) =>
        askSearcher(by(project, signal), "readForInjection", project, query),
      readProminent: (project, query, signal) =>
        askSearcher(by(project, signal), "readProminent", project, query),
      findSimilar: (project, query, signal) =>
        askSearcher(by(project, signal), "findSimilar", project, query),
    },
    models: {
      bound: () => ask(serverItself, "boundModel"),
      change: () => ask(serverItself, "modelChange"),
      count: () => ask(serverItself, "countMemories"),
      findMissing: (limit) => ask(serverItself, "findMissing", limit),
    },
    audit: {
      list: (project, query, signal) => ask(by(project, signal), "listRecords", project, query),
      find: (project, id, signal) => ask(by(project, signal), "findRecord", project, id),
      place: (id) => ask(serverItself, "placeRecord", id),
      async findText(text) {
        const places: RecordLocation[] = [];
        for (let through = 0; ; ) {
          const batch = await ask(serverItself, "findText", text, through);
          if (batch.through === null) return { places, through };
          places.push(...batch.places);
          through = batch.through;
        }
      },
      verify: verify.project,
    },
    searches: async () => (searcher.isStarted() ? await askSearcher(serverItself, "statistics") : null),
    contents: (countsProjects) => ask(serverItself, "readContents", countsProjects),
    counts: () => ({
      reader: reader.counts(),
      searcher: searcher.counts(),
      searchWaits: searcher.waits(),
      ...verify.read(),
    }),
    async close() {
      await reader.close();
      await searcher.close();
    },
  };
}

function by(project: ChainOwner, signal: AbortSignal): Waiter {
  return project === null ? serverItself : { project: project.id, signal };
}

/** The thread starts with the first request. */
function createAsking<Handlers extends RequestHandlers>(start: () => WorkerThread, limits: QueueLimits) {
  const gate = createFairGate({
    concurrency: readRequestsAtOnce,
    concurrencyPerProject: readRequestsOfProjectAtOnce,
    limits,
  });
  let thread: WorkerThread | null = null;
  const waits = createDistribution(stageSeconds);
  return {
    isStarted: () => thread !== null,
    counts: gate.counts,
    waits: waits.read,
    ask<Name extends keyof Handlers & string>(
      waiter: Waiter,
      name: Name,
      ...values: Parameters<Handlers[Name]>
    ): Promise<ReturnType<Handlers[Name]>> {
      const askedMs = performance.now();
      return gate(waiter, () => {
        // Not the questions of the server itself, such as those for metrics.
        if (waiter !== serverItself) waits.observe(secondsBetween(askedMs, performance.now()));
        thread ??= start();
        const request: NamedRequest = { name, values };
        return thread.request<ReturnType<Handlers[Name]>>(request);
      });
    },
    async close() {
      await thread?.close();
    },
  };
}
