// Owns the threads that perform the tasks of groups of searches: which task is next and which thread gets it. Projects take turns with
// their tasks. Must never understand a task.

import { availableParallelism } from "node:os";
import { type Refusal, unavailable } from "../../../platform/errors.ts";
import { FairQueue, type QueueCounts } from "../../../platform/scheduling/fair-queue.ts";
import { stageSeconds } from "../../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../../platform/statistics/distribution.ts";
import { ThreadEnded } from "../../../platform/threads/thread-ended.ts";
import type { ThreadEvents, WorkerThread } from "../../../platform/threads/worker-thread.ts";
import { scannersMax } from "../search/limits.ts";
import { createGarbageCollection } from "../search/scanners/garbage.ts";
import type { BufferChanges, GroupWork } from "../search/steps/group-steps.ts";
import { createScanner, type Scanner } from "./scanner.ts";

export interface Scanners {
  /** Starts the threads, unless they were started. */
  start(): void;
  /**
   * The results of the tasks, in their order. When `signal` is aborted, tasks that have not begun are not performed.
   * @param project whose turn it is, an id
   * @throws Refusal 1503 when a task was lost and cannot be performed again; the Error of a task; the reason of `signal`
   */
  perform(project: string, work: GroupWork, signal: AbortSignal): Promise<readonly unknown[]>;
  /** Tells all threads. */
  changeBuffers(changes: BufferChanges): void;
  /** The searcher has ended: its tasks are not performed, and its buffers are forgotten. */
  reset(reason: Refusal): void;
  statistics(): ScannerStatistics;
  close(): Promise<void>;
}

export interface ScannerStatistics {
  /** Of the tasks that wait for a thread. */
  readonly queue: QueueCounts;
  /** From the moment when a thread gets a task until its result is there. */
  readonly seconds: DistributionState;
}

/** The tasks of a step, until all results are there. */
interface Work extends GroupWork {
  readonly number: number;
  readonly project: string;
  readonly waiting: Set<Task>;
  readonly results: unknown[];
  readonly settled: PromiseWithResolvers<readonly unknown[]>;
  missing: number;
}

interface Task {
  readonly work: Work;
  /** Its position in the tasks of the work. */
  readonly at: number;
  /** How many threads have ended while they performed it. */
  losses: number;
  refuse(reason: Refusal): void;
}

/** A thread has its next task already while it performs one, so that it does not wait for the main thread in between. */
const tasksOfThreadMax = 2;
/** A task that has ended so many threads is not performed again. */
const taskLossesMax = 3;
/** The open groups limit the number of tasks. */
const noLimits = {
  items: "tasks",
  perProject: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
  retryAfterSeconds: 1,
} as const;

/** The threads start with the first task, at the latest. */
export function createScanners(count: number, start: (events: ThreadEvents) => WorkerThread): Scanners {
  const queue = new FairQueue<Task>(noLimits);
  const works = new Set<Work>();
  const buffers = new Map<number, SharedArrayBuffer>();
  const taskSeconds = createDistribution(stageSeconds);
  const scanners: Scanner[] = [];
  const collectGarbage = createGarbageCollection();
  let lastNumber = 0;

  const isAnyUp = (): boolean => scanners.some(({ isUp }) => isUp);
  const end = (work: Work): void => {
    works.delete(work);
    for (const task of work.waiting) queue.remove(work.project, task);
    work.waiting.clear();
    for (const scanner of scanners) scanner.forgetCommon(work.number);
  };
  const fail = (work: Work, error: unknown): void => {
    if (!works.has(work)) return;
    end(work);
    work.settled.reject(error);
  };
  const wait = (task: Task): void => {
    task.work.waiting.add(task);
    queue.add(task.work.project, task);
  };
  const finish = ({ work, at }: Task, result: unknown): void => {
    if (!works.has(work)) return;
    work.results[at] = result;
    work.missing -= 1;
    if (work.missing > 0) return;
    end(work);
    work.settled.resolve(work.results);
    // This thread sees all blocks, for scanners that start again.
    collectGarbage();
  };
  const lose = (task: Task, error: unknown): void => {
    const { work } = task;
    task.losses += 1;
    const mayRepeat = error instanceof ThreadEnded && work.isRepeatable && task.losses < taskLossesMax;
    if (!mayRepeat || !isAnyUp()) fail(work, error);
    else if (works.has(work)) wait(task);
  };
  const give = async (scanner: Scanner, task: Task): Promise<void> => {
    const startedMs = performance.now();
    try {
      const result = await scanner.perform(task.work, task.work.tasks[task.at]);
      taskSeconds.observe(secondsBetween(startedMs, performance.now()));
      finish(task, result);
    } catch (error) {
      lose(task, error);
    }
    giveTasks();
  };
  const freest = (): Scanner | undefined =>
    scanners
      .filter(({ isUp, running }) => isUp && running < tasksOfThreadMax)
      .sort((a, b) => a.running - b.running)[0];
  const giveTasks = (): void => {
    for (let scanner = freest(); scanner !== undefined; scanner = freest()) {
      const task = queue.take();
      if (task === undefined) return;
      task.work.waiting.delete(task);
      void give(scanner, task);
    }
  };
  const failAll = (reason: Refusal): void => {
    for (const work of works) fail(work, reason);
  };
  /** Nobody waits for threads that may never start again. */
  const down = (reason: Refusal): void => {
    if (!isAnyUp()) failAll(reason);
  };
  const everything = () => [...buffers].map(([number, buffer]) => ({ number, buffer }));
  const changeBuffers = (changes: BufferChanges): void => {
    for (const { number, buffer } of changes.shared) buffers.set(number, buffer);
    for (const number of changes.forgotten) buffers.delete(number);
    for (const scanner of scanners) scanner.changeBuffers(changes);
  };

  const startAll = (): void => {
    while (scanners.length < count) {
      scanners.push(createScanner({ start, buffers: everything, onReady: giveTasks, onDown: down }));
    }
  };
  return {
    start: startAll,
    async perform(project, { kind, common, tasks, isRepeatable }, signal) {
      const work: Work = {
        number: ++lastNumber,
        project,
        kind,
        common,
        tasks,
        isRepeatable,
        waiting: new Set(),
        results: new Array<unknown>(tasks.length),
        settled: Promise.withResolvers<readonly unknown[]>(),
        missing: tasks.length,
      };
      if (tasks.length === 0) return [];
      startAll();
      works.add(work);
      const abort = () => fail(work, signal.reason);
      signal.addEventListener("abort", abort);
      const refuse = (reason: Refusal) => fail(work, reason);
      if (signal.aborted) abort();
      else if (!isAnyUp()) refuse(noThread);
      else for (const at of tasks.keys()) wait({ work, at, losses: 0, refuse });
      giveTasks();
      return work.settled.promise.finally(() => signal.removeEventListener("abort", abort));
    },
    changeBuffers,
    reset(reason) {
      failAll(reason);
      changeBuffers({ shared: [], forgotten: [...buffers.keys()] });
    },
    statistics: () => ({ queue: queue.counts, seconds: taskSeconds.read() }),
    async close() {
      await Promise.all(scanners.map((scanner) => scanner.close()));
    },
  };
}

/** @param configured 0: one, when it is needed; null: it depends on the machine */
export function scannerCount(configured: number | null): number {
  return Math.max(1, configured ?? Math.min(scannersMax, availableParallelism()));
}

const noThread = unavailable("The threads that search are restarting. Send the call again.");
