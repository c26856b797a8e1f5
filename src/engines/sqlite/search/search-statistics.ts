// Owns the times of the stages of searches since the thread that searches was started.

import { stageSeconds } from "../../../statistics/bounds.ts";
import { createDistribution, secondsBetween } from "../../../statistics/distribution.ts";
import type { SearchStage, SearchStatistics } from "../../../storage/statistics.ts";

/** Ends a stage of a search; the next one begins. */
export type EndStage = (stage: SearchStage) => void;

export interface StageTimes {
  /** Begins a search. */
  begin(): EndStage;
  read(): SearchStatistics["stages"];
}

export function createStageTimes(): StageTimes {
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
    read: () => ({
      catch_up: stages.catch_up.read(),
      scan: stages.scan.read(),
      rescore: stages.rescore.read(),
      database: stages.database.read(),
      read: stages.read.read(),
    }),
  };
}
