// Owns how many pieces of work run at once, and lets those that wait in by the order of a fair queue. Must never start work whose
// caller is gone.

import { abandoned } from "./abandonment.ts";
import { FairQueue, type Queued, type QueueLimits, type Waiter } from "./fair-queue.ts";

export type FairGate = <Result>(waiter: Waiter, work: () => Promise<Result>) => Promise<Result>;

export interface GateOptions {
  /** Pieces of work that run at once. */
  readonly places: number;
  /** Of these, for one project; left out: all. */
  readonly placesPerProject?: number;
  readonly limits: QueueLimits;
}

interface Entry extends Queued {
  readonly project: string;
  admit(): void;
}

/** The gate throws Refusal 1503 when the caller is gone before its turn, and what FairQueue.add throws. */
export function createFairGate({ places, placesPerProject = places, limits }: GateOptions): FairGate {
  const queue = new FairQueue<Entry>(limits);
  const running = new Map<string, number>();
  let free = places;

  const mayEnter = (project: string) => free > 0 && (running.get(project) ?? 0) < placesPerProject;

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
      if (queue.remove(project, entry)) reject(abandoned());
    };
    queue.add(project, entry);
    signal.addEventListener("abort", leave);
    return promise.finally(() => signal.removeEventListener("abort", leave));
  };

  return async (waiter, work) => {
    const { project, signal } = waiter;
    if (signal.aborted) throw abandoned();
    // Nobody who could enter now waits: whoever leaves lets them in first.
    if (mayEnter(project)) enter(project);
    else await wait(waiter);
    try {
      if (signal.aborted) throw abandoned();
      return await work();
    } finally {
      exit(project);
    }
  };
}
