// Owns which projects wait before the next attempt, and for how long. Failures are of a project and not of a task: a language model that does
// not answer fails for all, so the next attempt takes another task, and none uses up its attempts while the others wait.

import type { Clock } from "../../platform/time/clock.ts";
import type { ClockTimer } from "../../platform/time/clock-timers.ts";
import { retryMaxMs, retryMinMs } from "./limits.ts";

export interface Pauses {
  has(project: string): boolean;
  /** Begins a pause, longer than the last one of the project. */
  failed(project: string): void;
  succeeded(project: string): void;
  close(): void;
}

/** @param onEnd called after each pause */
export function createPauses(clock: Clock, onEnd: () => void): Pauses {
  const failures = new Map<string, number>();
  const timers = new Map<string, ClockTimer>();
  return {
    has: (project) => timers.has(project),
    failed(project) {
      const count = failures.get(project) ?? 0;
      failures.set(project, count + 1);
      const pauseMs = Math.min(retryMaxMs, retryMinMs * 2 ** count);
      timers.get(project)?.cancel();
      const end = () => {
        timers.delete(project);
        onEnd();
      };
      timers.set(project, clock.after(pauseMs, end));
    },
    succeeded(project) {
      failures.delete(project);
    },
    close() {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
