// Owns which task is next: projects take turns, with one task of each at a time. Must never change an answer, and never know what a task does.

import { closeMaxMs, projectsAtOnce } from "../../../memory/remembering/limits.ts";
import { createPauses } from "../../../memory/remembering/pauses.ts";
import type { RememberTask } from "../../../memory/remembering/task.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { RememberQueue } from "../../storage/remember-store.ts";
import type { Progress } from "./remember.ts";

export interface RememberRunner {
  /** Continues the tasks that an earlier process has left, and those of later calls. */
  start(): void;
  /** Tells the runner that there may be a new task. */
  wake(): void;
  /** Ends between tasks. One that runs too long is interrupted; the next start tries it again. */
  close(): Promise<void>;
}

interface RunnerOptions {
  readonly queue: Pick<RememberQueue, "nextAfter">;
  readonly work: (task: RememberTask, signal: AbortSignal) => Promise<Progress>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createRememberRunner({ queue, work, clock, logger }: RunnerOptions): RememberRunner {
  /** By project. */
  const running = new Map<string, Promise<void>>();
  const end = new AbortController();
  let isRunning = false;
  let mayHaveTasks = false;
  let filling: Promise<void> | null = null;
  /** Project whose task was begun last. */
  let last: string | null = null;

  const run = async (task: RememberTask): Promise<void> => {
    const { project } = task;
    try {
      const progress = await work(task, end.signal);
      if (progress === "done") pauses.succeeded(project);
      else if (isRunning) pauses.failed(project);
    } catch (error) {
      if (!isRunning) return;
      pauses.failed(project);
      logger.warn("answers of the gateway cannot be remembered now and will be retried", { error });
    }
  };
  /** The next task of a project that has none running and is not paused, beginning behind the last one. */
  const findNext = async (): Promise<RememberTask | null> => {
    const seen = new Set<string>();
    let task = await queue.nextAfter(last);
    for (let isSecondRound = last === null; ; ) {
      if (task === null) {
        if (isSecondRound) return null;
        isSecondRound = true;
        task = await queue.nextAfter(null);
        continue;
      }
      const { project } = task;
      if (seen.has(project)) return null;
      seen.add(project);
      if (!running.has(project) && !pauses.has(project)) return task;
      task = await queue.nextAfter(project);
    }
  };
  const fill = async (): Promise<void> => {
    while (isRunning && running.size < projectsAtOnce) {
      const task = await findNext();
      if (task === null || !isRunning) return;
      last = task.project;
      const { project } = task;
      const ended = run(task).finally(() => {
        running.delete(project);
        wake();
      });
      running.set(project, ended);
    }
  };
  const wake = (): void => {
    mayHaveTasks = true;
    if (!isRunning || filling !== null) return;
    mayHaveTasks = false;
    filling = fill()
      .catch((error: unknown) => {
        logger.warn("answers of the gateway cannot be remembered now and will be retried", { error });
        pauses.failed(queueItself);
      })
      .finally(() => {
        filling = null;
        if (mayHaveTasks) wake();
      });
  };
  const pauses = createPauses(clock, wake);

  return {
    wake,
    start() {
      isRunning = true;
      wake();
    },
    async close() {
      isRunning = false;
      pauses.close();
      await filling;
      const ended = Promise.all(running.values());
      await clock.within(closeMaxMs, ended);
      end.abort();
      await clock.within(closeMaxMs, ended);
    },
  };
}

/** No project has this id. */
const queueItself = "queue";
