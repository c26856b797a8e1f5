// Owns when the searcher stops working for a group, so that other projects have their turns.

import type { Reading } from "../../../../memory/ranking/query-keywords.ts";
import { taskMs } from "../limits.ts";
import { type GroupSteps, takeTurns } from "./turns.ts";

export interface Pause {
  /** Call it between short parts of the work of a group: `yield* pause.ifDue()`. It gives others a turn when the time is over. */
  ifDue(): GroupSteps<void>;
  /** Call it after another step of the group: others have had their turns. */
  restart(): void;
}

export function createPause(): Pause {
  let startedMs = performance.now();
  const restart = (): void => {
    startedMs = performance.now();
  };
  return {
    *ifDue() {
      if (performance.now() - startedMs < taskMs) return;
      yield* takeTurns();
      restart();
    },
    restart,
  };
}

/** Performs work that pauses after short parts. */
export function* inTurns<Result>(parts: Reading<Result>, pause: Pause): GroupSteps<Result> {
  // When the group is ended, the work ends, too: an open query would keep the connection busy.
  using open = parts;
  for (;;) {
    const { done, value } = open.next();
    if (done === true) return value;
    yield* pause.ifDue();
  }
}
