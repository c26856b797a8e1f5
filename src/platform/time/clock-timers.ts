// Owns the timers of one clock. A timer never runs before the clock has reached its time, and runs at once when the clock is moved past
// it.

/** A one-time or repeating timer. */
export interface ClockTimer {
  /** Stops the timer. */
  cancel(): void;
}

export interface Timers {
  /** Runs `work` once. Keeps the process alive until then. */
  after(ms: number, work: () => void): ClockTimer;
  /**
   * Runs `work` again and again. A clock that is moved over several periods runs it once. Does not keep the process alive.
   */
  every(ms: number, work: () => void): ClockTimer;
  /** Resolves after `ms`. Keeps the process alive until then. */
  sleep(ms: number): Promise<void>;
  /** The result of `work`, or undefined after `ms`. The work itself is not stopped. */
  within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined>;
}

interface MovableTimers extends Timers {
  /** Runs the timers that are due after a move of the clock. @returns whether any timer has run */
  clockMoved(): boolean;
}

/** The maximum delay of setTimeout. */
const longestWaitMs = 2 ** 31 - 1;

/** `elapsed`: monotonic time in milliseconds. */
export function createTimers(elapsed: () => number): MovableTimers {
  /** The check of each timer that is waiting. */
  const waiting = new Set<() => boolean>();

  const start = (firstMs: number, everyMs: number | null, work: () => void): ClockTimer => {
    let dueAtMs = elapsed() + firstMs;
    let handle: Timer;
    const arm = (): void => {
      handle = setTimeout(check, Math.min(longestWaitMs, Math.max(0, Math.ceil(dueAtMs - elapsed()))));
      if (everyMs !== null) handle.unref();
    };
    const cancel = (): void => {
      clearTimeout(handle);
      waiting.delete(check);
    };
    /** @returns whether the timer has run */
    const check = (): boolean => {
      clearTimeout(handle);
      const nowMs = elapsed();
      const isDue = nowMs >= dueAtMs;
      if (isDue && everyMs === null) cancel();
      else {
        if (isDue && everyMs !== null) dueAtMs = nowMs + everyMs;
        arm();
      }
      if (isDue) work();
      return isDue;
    };
    waiting.add(check);
    arm();
    return { cancel };
  };

  return {
    after: (ms, work) => start(ms, null, work),
    every: (ms, work) => start(ms, ms, work),
    sleep: (ms) => new Promise((resolve) => start(ms, null, resolve)),
    within<Value>(ms: number, work: Promise<Value>) {
      const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
      const late = start(ms, null, () => resolve(undefined));
      work.then(resolve, reject).finally(late.cancel);
      return promise;
    },
    clockMoved() {
      let hasRun = false;
      // A timer that starts another one must not make this loop endless.
      for (const check of [...waiting]) if (waiting.has(check) && check()) hasRun = true;
      return hasRun;
    },
  };
}
