// Owns the measure of how long a thread has not answered. Must never count time in which this thread itself did not run.

import type { Clock } from "../clock.ts";
import type { ClockTimer } from "../clock-timers.ts";

import { silenceCheckEveryMs } from "./policies.ts";

export interface SilenceWatch {
  /** Something begins to be awaited. Checks run from now on until nothing is awaited any more. */
  begin(): void;
  /** The thread has shown that it works. */
  heard(): void;
  /** How long nothing was heard although something is awaited. */
  readonly silentMs: number;
  stop(): void;
}

export interface SilenceWatchOptions {
  readonly clock: Clock;
  /** Whether anything is awaited. */
  readonly isAwaited: () => boolean;
  /** Called about once a second while nothing is heard. */
  readonly onSilence: (silentMs: number) => void;
}

/**
 * Counts checks and not time: a process that was suspended, or whose main thread was busy, has not waited. A clock that is moved far
 * forward counts as one check for the same reason. While nothing is awaited no timer runs, and a message costs one addition.
 */
export function createSilenceWatch({ clock, isAwaited, onSilence }: SilenceWatchOptions): SilenceWatch {
  let heard = 0;
  let heardBefore = -1;
  let silentChecks = 0;
  let timer: ClockTimer | null = null;

  const check = (): void => {
    timer = null;
    if (!isAwaited()) return;
    silentChecks = heard === heardBefore ? silentChecks + 1 : 0;
    heardBefore = heard;
    arm();
    if (silentChecks > 0) onSilence(silentChecks * silenceCheckEveryMs);
  };
  const arm = (): void => {
    timer ??= clock.after(silenceCheckEveryMs, check);
  };

  return {
    begin() {
      heard += 1;
      arm();
    },
    heard() {
      heard += 1;
    },
    get silentMs() {
      return isAwaited() && heard === heardBefore ? silentChecks * silenceCheckEveryMs : 0;
    },
    stop() {
      timer?.cancel();
      timer = null;
    },
  };
}
