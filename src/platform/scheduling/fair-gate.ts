// Owns the limit on concurrent work: work that must wait starts in the order of a fair queue. Must never start work whose caller has
// cancelled it.

import { cancelled } from "./cancellation.ts";
import { FairQueue, type QueueCounts, type Queued, type QueueLimits, type Waiter } from "./fair-queue.ts";

interface FairGate {
  <Result>(waiter: Waiter, work: () => Promise<Result>): Promise<Result>;
  /** Of the work that waits for its turn. */
  counts(): QueueCounts;
}

interface GateOptions {
  /** Maximum number of running tasks. */
  readonly concurrency: number;
  /** Maximum number of running tasks of one project; default: `concurrency`. */
  readonly concurrencyPerProject?: number;
  readonly limits: QueueLimits;
}

interface Entry extends Queued {
  readonly project: string;
  admit(): void;
}

/** The gate throws Refusal 1503 when the caller cancels before its turn, and the errors of FairQueue.add. */
export function createFairGate({
  concurrency,
  concurrencyPerProject = concurrency,
  limits,
}: GateOptions): FairGate {
  const queue = new FairQueue<Entry>(limits);
  const running = new Map<string, number>();
  let free = concurrency;

  const mayEnter = (project: string) => free > 0 && (running.get(project) ?? 0) < concurrencyPerProject;

  const enter = (project: string) => {
    free -= 1;
    running.set(project, (running.get(project) ?? 0) + 1);
  };

  const exit = (project: string) => {
    free += 1;
    const others = (running.get(project) ?? 1) - 1;
    if (others === 0) running.delete(project);
    else running.set(project, others);
    for (let next = queue.take(mayEnter); next !== undefined; next = queue.take(mayEnter)) {
      enter(next.project);
      next.admit();
    }
  };

  const wait = ({ project, signal }: Waiter): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { project, admit: resolve, refuse: reject };
    const leave = () => {
      if (queue.remove(project, entry)) reject(cancelled());
    };
    queue.add(project, entry);
    signal.addEventListener("abort", leave);
    return promise.finally(() => signal.removeEventListener("abort", leave));
  };

  const pass = async <Result>(waiter: Waiter, work: () => Promise<Result>): Promise<Result> => {
    const { project, signal } = waiter;
    if (signal.aborted) throw cancelled();
    // No waiting task could start now: a task that ends starts them first.
    if (mayEnter(project)) enter(project);
    else await wait(waiter);
    try {
      if (signal.aborted) throw cancelled();
      return await work();
    } finally {
      exit(project);
    }
  };
  return Object.assign(pass, { counts: () => queue.counts });
}
