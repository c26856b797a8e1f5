// Owns what the metrics of this server are made of: it connects its parts with src/server/metrics/. The library for metrics is loaded only if
// metrics are configured.

import type { CallStatistics } from "../calls/statistics/call-statistics.ts";
import type { NamedQueue } from "../calls/storage/statistics.ts";
import type { Store } from "../calls/storage/store.ts";
import type { MemoryOutcomes } from "../gateway/memory-outcomes.ts";
import type { Embedder } from "../models/embedding/embedder.ts";
import type { ExtractionThread } from "../models/extraction/extraction-thread.ts";
import type { LlmExtractor } from "../models/extraction/llm-extractor.ts";
import type { Supervisor } from "../platform/threads/supervisor.ts";
import { commit, version } from "../platform/version.ts";
import type { HttpOptions } from "../transports/http/server.ts";
import type { Config } from "./config/config.ts";
import { durationMs } from "./config/setting.ts";
import { measuredReaders, restartsOf } from "./measured-facts.ts";
import type { CurrentFacts } from "./metrics/facts.ts";
import type { MetricsServer } from "./metrics/metrics-server.ts";

/** The parts of a server that count. */
export interface MeasuredParts {
  readonly store: Pick<Store, "statistics">;
  readonly embedder: Pick<Embedder, "counts">;
  readonly extraction: Pick<ExtractionThread, "counts">;
  /** Null: none is configured. */
  readonly languageModel: Pick<LlmExtractor, "counts"> | null;
  /** Of the threads besides those of the store. */
  readonly supervisor: Pick<Supervisor, "restarts">;
  readonly statistics: Pick<CallStatistics, "read">;
  readonly memoryOutcomes: Pick<MemoryOutcomes, "read">;
  readonly attestations: () => CurrentFacts["attestations"];
  readonly certificateEndsAt: () => number | null;
  readonly build: () => Omit<CurrentFacts["build"], "version" | "commit">;
}

/** @returns null unless a port for metrics is configured. @throws Error that says what to do if the server cannot listen on it */
export async function listenForMetrics(
  config: Config,
  parts: MeasuredParts,
  { clock, logger, readiness }: Pick<HttpOptions, "clock" | "logger" | "readiness">,
): Promise<MetricsServer | null> {
  const { metricsPort: port, metricsHost: hostname, metricsProjects: projects } = config;
  if (port === null) return null;
  if (port !== 0 && port === config.port && hostname === config.host) {
    throw new Error(
      `The API and the metrics cannot both use port ${port} of ${hostname}. Choose another port with --metrics-port.`,
    );
  }
  const { startMetricsServer } = await import("./metrics/metrics-server.ts");
  const { createFactReader } = await import("./metrics/facts.ts");
  const { readProcess, watchEventLoop } = await import("./metrics/process-facts.ts");
  const { statistics } = parts.store;
  const eventLoop = watchEventLoop(clock);
  const readers = {
    ...measuredReaders(config.dataDir, { ...parts, readiness }),
    contents: () => statistics.contents(projects),
    process: readProcess,
  };
  const readCurrent = (): CurrentFacts => ({
    calls: parts.statistics.read(),
    memoryOutcomes: parts.memoryOutcomes.read(),
    attestations: parts.attestations(),
    embedding: parts.embedder.counts(),
    store: statistics.current(),
    queues: queuesOf(parts),
    restarts: restartsOf(parts.store, parts.supervisor),
    searchIndexLimitBytes: config.searchCacheMb * 1024 * 1024,
    backupEveryMs: config.backupDir === null ? null : durationMs(config.backupEvery),
    build: { version, commit, ...parts.build() },
    certificateEndsAt: parts.certificateEndsAt(),
    eventLoopDelays: eventLoop.read(),
  });
  const readFacts = createFactReader(readCurrent, readers, clock);
  const { allowedHosts } = config;
  const server = await startMetricsServer({ hostname, port, allowedHosts, readFacts, logger });
  return {
    ...server,
    async stop() {
      eventLoop[Symbol.dispose]();
      await server.stop();
    },
  };
}

function queuesOf({ embedder, extraction, languageModel }: MeasuredParts): NamedQueue[] {
  const { queries, passages, reranks } = embedder.counts();
  return [
    { queue: "embedder_queries", ...queries },
    { queue: "embedder_passages", ...passages },
    { queue: "reranker", ...reranks.queue },
    { queue: "extractor", ...extraction.counts() },
    ...(languageModel === null ? [] : [{ queue: "language_model" as const, ...languageModel.counts() }]),
  ];
}
