// Owns what the engine tells about itself for metrics: what this thread knows, and what its threads and files tell when they are asked.

import { stat } from "node:fs/promises";
import type { StoreStatistics } from "../../calls/storage/statistics.ts";
import type { Supervisor } from "../../platform/threads/supervisor.ts";
import type { Searches } from "./search/groups/searches.ts";
import type { createReader } from "./threads/reader.ts";
import type { Writer } from "./threads/writer.ts";

interface StatisticsSources {
  /** Path of the database file. */
  readonly file: string;
  readonly writer: Pick<Writer, "statistics" | "queue">;
  readonly reader: Pick<
    ReturnType<typeof createReader>,
    "contents" | "ofChain" | "nearLimits" | "pastCalls" | "gatewayCost" | "counts"
  >;
  readonly searches: Pick<Searches, "statistics" | "counts">;
  readonly supervisor: Pick<Supervisor, "restarts">;
}

export function createStoreStatistics({
  file,
  writer,
  reader,
  searches,
  supervisor,
}: StatisticsSources): StoreStatistics {
  return {
    current() {
      const { queue: readerQueue, ...verification } = reader.counts();
      const { queue: searchQueue, tasks, waits, groups } = searches.counts();
      return {
        ...verification,
        searchWaits: waits,
        searchGroups: groups,
        searchTasks: tasks.seconds,
        queues: [
          { queue: "writer", ...writer.queue },
          { queue: "reader", ...readerQueue },
          { queue: "searcher", ...searchQueue },
          { queue: "scanners", ...tasks.queue },
        ],
        restarts: [...supervisor.restarts()].map(([thread, restarts]) => ({ thread, restarts })),
      };
    },
    groups: () => writer.statistics(),
    searches: () => searches.statistics(),
    contents: (countsProjects) => reader.contents(countsProjects),
    ofChain: (owner) => reader.ofChain(owner),
    nearLimits: (query) => reader.nearLimits(query),
    pastCalls: (query) => reader.pastCalls(query),
    gatewayCost: (owner, from) => reader.gatewayCost(owner, from),
    async files() {
      const [databaseBytes, logBytes] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
      return { databaseBytes, logBytes };
    },
  };
}

/** 0: there is no such file. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
