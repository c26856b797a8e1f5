// Owns the measurement of how long a thread has not answered. Must never count time in which this thread itself did not run.

import type { Clock } from "../time/clock.ts";
import type { ClockTimer } from "../time/clock-timers.ts";

import { silenceCheckEveryMs } from "./policies.ts";

export interface SilenceWatch {
  /** Call it when an answer is awaited. Checks run until no answer is awaited. */
  begin(): void;
  /** Call it when the thread has sent a message. */
  heard(): void;
  /** How long no message was received although an answer is awaited. */
  readonly silentMs: number;
  stop(): void;
}

interface SilenceWatchOptions {
  readonly clock: Clock;
  /** Whether an answer is awaited. */
  readonly isAwaited: () => boolean;
  /** Called about once a second while no message is received. */
  readonly onSilence: (silentMs: number) => void;
}

/**
 * Counts checks instead of time, because a process that was suspended, or whose main thread was busy, has not waited. A clock that is
 * moved far forward counts as one check for the same reason. No timer runs while no answer is awaited.
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
