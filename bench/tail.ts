// Owns how far into its slowest calls a load can be described. Must never give a percentile that a few calls decide.

import { ms, percentile } from "./figures.ts";

/** With fewer calls beyond it, a percentile is decided by chance. */
const valuesBeyondMin = 10;
const tails = [
  { name: "p99", part: 0.99 },
  { name: "p95", part: 0.95 },
  { name: "p90", part: 0.9 },
] as const;

interface Latencies {
  readonly latenciesMs: readonly number[];
}

interface Tail {
  /** Such as p99. */
  readonly name: string;
  /** Of each load, in the order in which they were given. */
  readonly values: readonly number[];
}

/**
 * The highest percentile that every one of these loads has enough calls for, so that they can be compared. Each load is given as its
 * rounds, whose calls are counted together. The median where a load has too few calls for any other.
 */
export function tailOf(...loads: readonly (readonly Latencies[])[]): Tail {
  const together = loads.map((rounds) =>
    rounds.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b),
  );
  const fewest = Math.min(...together.map(({ length }) => length));
  const tail = tails.find(({ part }) => Math.round(fewest * (1 - part)) >= valuesBeyondMin);
  const { name, part } = tail ?? { name: "p50", part: 0.5 };
  return { name, values: together.map((ascending) => percentile(ascending, part)) };
}

/** Such as "p99 4.20 ms". */
export function tailText(rounds: readonly Latencies[]): string {
  const { name, values } = tailOf(rounds);
  return `${name} ${ms(values[0] ?? Number.NaN)}`;
}
