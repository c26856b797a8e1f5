// A thread that performs tasks as the scanners do, with kinds of tasks that tests can observe: what a task knows, and tasks that wait, fail or
// end their thread.

import { createTaskPerformer } from "../../../../../src/engines/sqlite/search/scanners/task-performer.ts";
import type { ToScanner } from "../../../../../src/engines/sqlite/search/steps/group-steps.ts";
import { answerRequests } from "../../../../../src/platform/threads/answer-requests.ts";

const perform = createTaskPerformer((findBuffer) => ({
  echo: (common: unknown, task: unknown) => ({ common, task }),
  /** The first byte of a buffer. */
  read: (_: unknown, number: number) => new Uint8Array(findBuffer(number))[0],
  /** Until the first value of `gate` is not 0. */
  wait(gate: Int32Array, task: unknown) {
    Atomics.wait(gate, 0, 0);
    return task;
  },
  /** Ends the thread as often as the first value of `left` says. */
  end(left: Int32Array, task: unknown) {
    if (Atomics.sub(left, 0, 1) > 0) process.exit(1);
    return task;
  },
  fail(message: string) {
    throw new Error(message);
  },
}));

answerRequests((request) => perform(request as ToScanner));
