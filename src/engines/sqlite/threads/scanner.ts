// Owns one thread that performs tasks, and what it has been told: buffers, and the values that tasks have in common. Must never choose a
// task.

import type { Refusal } from "../../../platform/errors.ts";
import type { ThreadEvents, WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { BufferChanges, SharedBuffer, ToScanner } from "../search/steps/group-steps.ts";

export interface Scanner {
  /** Whether it accepts tasks. */
  readonly isUp: boolean;
  /** Tasks that it has not answered. */
  readonly running: number;
  /** @throws ThreadEnded, and as WorkerThread.request does */
  perform(work: CommonWork, task: unknown): Promise<unknown>;
  changeBuffers(changes: BufferChanges): void;
  /** No task of the work follows. */
  forgetCommon(work: number): void;
  close(): Promise<void>;
}

interface CommonWork {
  readonly number: number;
  readonly kind: string;
  readonly common: unknown;
}

interface ScannerOptions {
  readonly start: (events: ThreadEvents) => WorkerThread;
  /** Those that the thread must know now. */
  readonly buffers: () => readonly SharedBuffer[];
  readonly onReady: () => void;
  readonly onDown: (reason: Refusal) => void;
}

export function createScanner({ start, buffers, onReady, onDown }: ScannerOptions): Scanner {
  const knownBuffers = new Set<number>();
  const knownCommons = new Set<number>();
  let forgottenCommons: number[] = [];
  let running = 0;

  const forgetAll = (): void => {
    knownBuffers.clear();
    knownCommons.clear();
    forgottenCommons = [];
  };
  const tell = (changes: BufferChanges): void => {
    const shared = changes.shared.filter(({ number }) => !knownBuffers.has(number));
    const forgotten = changes.forgotten.filter((number) => knownBuffers.has(number));
    if (!thread.isUp || (shared.length === 0 && forgotten.length === 0)) return;
    for (const { number } of shared) knownBuffers.add(number);
    for (const number of forgotten) knownBuffers.delete(number);
    const request: ToScanner = { buffers: { shared, forgotten } };
    // If the thread ends, the next one is told everything.
    thread.request(request).catch(() => undefined);
  };
  const tellAll = (): void => tell({ shared: buffers(), forgotten: [] });
  const thread = start({
    onReady() {
      tellAll();
      onReady();
    },
    onDown(reason) {
      forgetAll();
      onDown(reason);
    },
  });

  // Tasks may come before the thread is ready.
  tellAll();

  return {
    get isUp() {
      return thread.isUp;
    },
    get running() {
      return running;
    },
    async perform({ number, kind, common }, task) {
      const known = { number, forgotten: forgottenCommons };
      const request: ToScanner = {
        task,
        kind,
        common: knownCommons.has(number) ? known : { number, forgotten: forgottenCommons, value: common },
      };
      knownCommons.add(number);
      forgottenCommons = [];
      running += 1;
      try {
        return await thread.request(request);
      } finally {
        running -= 1;
      }
    },
    changeBuffers: tell,
    forgetCommon(work) {
      if (knownCommons.delete(work)) forgottenCommons.push(work);
    },
    close: () => thread.close(),
  };
}
