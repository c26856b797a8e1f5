// Owns what is counted of searches since the thread that searches was started.

import type { SearchStage, SearchStatistics } from "../../../../calls/storage/statistics.ts";
import { rescoredMemories, stageSeconds } from "../../../../platform/statistics/bounds.ts";
import { createDistribution, secondsBetween } from "../../../../platform/statistics/distribution.ts";

/** Ends a stage of a group of searches; the next one begins. */
export type EndStage = (stage: SearchStage) => void;

export interface SearchCounting {
  /** Begins a group of searches. */
  begin(): EndStage;
  /** The number of memories whose exact score a search needed. */
  rescored(memories: number): void;
  read(): Pick<SearchStatistics, "stages" | "rescored">;
}

export function createSearchCounts(): SearchCounting {
  const rescored = createDistribution(rescoredMemories);
  const stages = {
    catch_up: createDistribution(stageSeconds),
    scan: createDistribution(stageSeconds),
    rescore: createDistribution(stageSeconds),
    database: createDistribution(stageSeconds),
    read: createDistribution(stageSeconds),
  };
  return {
    begin() {
      let startedMs = performance.now();
      return (stage) => {
        const now = performance.now();
        stages[stage].observe(secondsBetween(startedMs, now));
        startedMs = now;
      };
    },
    rescored: rescored.observe,
    read: () => ({
      stages: {
        catch_up: stages.catch_up.read(),
        scan: stages.scan.read(),
        rescore: stages.rescore.read(),
        database: stages.database.read(),
        read: stages.read.read(),
      },
      rescored: rescored.read(),
    }),
  };
}
