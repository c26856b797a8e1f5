// Owns how the searcher works on several groups by turns: each group is a generator of steps. Must never know a kind of task.

import type { GroupOutcome, GroupWork } from "./group-steps.ts";

/**
 * The steps of a group: a generator that yields work and gets the results of its tasks, within one read transaction of its own
 * connection. It may be ended at each yield (`return`). Between two yields it works for 5 ms at most.
 */
export type GroupSteps<Result = readonly GroupOutcome[]> = Generator<GroupWork, Result, readonly unknown[]>;

/** Gives other projects a turn. */
export function* takeTurns(): GroupSteps<void> {
  yield { kind: "scan", common: null, tasks: [], isRepeatable: true };
}
