// Owns the worker threads of this process that answer requests: starts them by their policies and knows which of them are not running.

import type { Worker } from "node:worker_threads";
import type { Logger } from "../log/logger.ts";
import { type Clock, createClock } from "../time/clock.ts";
import { type SupervisedName, threadPolicies } from "./policies.ts";
import { spawnWorker } from "./spawn.ts";
import { type ThreadEvents, WorkerThread } from "./worker-thread.ts";

export interface Supervisor {
  /** Starts a thread; its entry file receives `init` as workerData. The returned thread reports a failure to start. */
  start<Ready>(name: SupervisedName, init: unknown, events?: ThreadEvents): WorkerThread<Ready>;
  /** Names of the threads that are being restarted. */
  restarting(): readonly SupervisedName[];
  /** How often threads of each name were started again after they had ended or were replaced. Only names that were started. */
  restarts(): ReadonlyMap<SupervisedName, number>;
}

export interface SupervisorOptions {
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Starts a worker. Tests pass their own function to kill or replace workers. */
  readonly spawn?: (name: SupervisedName, init: unknown) => Worker;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { logger, clock = createClock(), spawn = spawnWorker } = options;
  const restarts = new Map<SupervisedName, number>();
  const threads = new Set<Pick<WorkerThread, "name" | "isRestarting">>();
  return {
    start<Ready>(name: SupervisedName, init: unknown, events: ThreadEvents = {}) {
      let hasStarted = false;
      const thread = new WorkerThread<Ready>({
        name,
        policy: threadPolicies[name],
        spawn() {
          restarts.set(name, (restarts.get(name) ?? 0) + (hasStarted ? 1 : 0));
          hasStarted = true;
          return spawn(name, init);
        },
        clock,
        logger,
        events,
        onClose: () => threads.delete(thread),
      });
      threads.add(thread);
      return thread;
    },
    restarts: () => restarts,
    restarting: () => [
      ...new Set([...threads].filter(({ isRestarting }) => isRestarting).map(({ name }) => name)),
    ],
  };
}
