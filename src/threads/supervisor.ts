// Owns the worker threads of this process that answer requests: starts them by their policies and knows which of them are not running.

import type { Worker } from "node:worker_threads";
import { type Clock, createClock } from "../clock.ts";
import type { Logger } from "../log/logger.ts";
import { type SupervisedName, threadPolicies } from "./policies.ts";
import { spawnWorker } from "./spawn.ts";
import { type ThreadEvents, WorkerThread } from "./worker-thread.ts";

export interface Supervisor {
  /** Starts a thread; `init` is what its entry file finds as workerData. A failure to start is reported by the thread. */
  start<Ready>(name: SupervisedName, init: unknown, events?: ThreadEvents): WorkerThread<Ready>;
  /** Names of the threads that ended and are not running again yet. */
  restarting(): readonly SupervisedName[];
}

export interface SupervisorOptions {
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Starts a worker. Tests pass their own to reach the workers that they kill, or to replace them. */
  readonly spawn?: (name: SupervisedName, init: unknown) => Worker;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { logger, clock = createClock(), spawn = spawnWorker } = options;
  const threads = new Set<Pick<WorkerThread, "name" | "isRestarting">>();
  return {
    start<Ready>(name: SupervisedName, init: unknown, events: ThreadEvents = {}) {
      const thread = new WorkerThread<Ready>({
        name,
        policy: threadPolicies[name],
        spawn: () => spawn(name, init),
        clock,
        logger,
        events,
        onClose: () => threads.delete(thread),
      });
      threads.add(thread);
      return thread;
    },
    restarting: () => [
      ...new Set([...threads].filter(({ isRestarting }) => isRestarting).map(({ name }) => name)),
    ],
  };
}
