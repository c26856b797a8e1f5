// Owns which thread of the server was started again in the last minutes. It is checked every minute, also while nobody watches, because
// the counts of restarts have no times.

import type { Clock } from "../../../../platform/time/clock.ts";
import { recentMs, stateEveryMs } from "./limits.ts";

interface Restarts {
  readonly thread: string;
  readonly restarts: number;
}

export interface RecentRestarts extends Disposable {
  /** The thread that was started again last; null: none was in the last minutes. */
  last(): string | null;
}

export function watchRestarts(read: () => readonly Restarts[], clock: Clock): RecentRestarts {
  const known = new Map<string, number>();
  let last: { readonly thread: string; readonly atMs: number } | null = null;
  const look = (): void => {
    for (const { thread, restarts } of read()) {
      if (restarts > (known.get(thread) ?? 0)) last = { thread, atMs: clock.elapsed() };
      known.set(thread, restarts);
    }
  };
  const timer = clock.every(stateEveryMs, look);
  return {
    last() {
      look();
      return last === null || clock.elapsed() - last.atMs > recentMs ? null : last.thread;
    },
    [Symbol.dispose]: () => timer.cancel(),
  };
}
