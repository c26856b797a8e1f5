// Owns counts of values by size, as plain numbers: durations, sizes of groups. Must never know a metric or its name: src/server/metrics/ does.

/** Plain data: it travels between threads. */
export interface DistributionState {
  /** Number of values up to each bound and above the one before it; the last one counts those above all bounds. */
  readonly counts: readonly number[];
  /** Of all values. */
  readonly sum: number;
}

export interface Distribution {
  observe(value: number): void;
  /** A copy. */
  read(): DistributionState;
}

/** @param bounds ascending; a value that equals a bound is counted at this bound */
export function createDistribution(bounds: readonly number[]): Distribution {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += value;
    },
    read: () => ({ counts: [...counts], sum }),
  };
}

/** Seconds since `startMs`, which is performance.now() or Clock.elapsed(); `endMs` is of the same clock. */
export function secondsBetween(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs) / 1_000;
}
