// Owns the counts of calls over time: the last steps of time, each with calls by operation and outcome, error codes and durations. Plain
// numbers in memory that a restart empties. Must never grow with what a client sends: only with the names of operations and codes.

import { errorStatus, successCode } from "../../platform/errors.ts";
import { callSeconds } from "../../platform/statistics/bounds.ts";
import { estimateQuantile } from "../../platform/statistics/quantile.ts";

/** ok: performed. refused: the caller must change something (status 4xx). failed: the server could not perform it (5xx). */
export const callOutcomes = ["ok", "refused", "failed"] as const;
type CallOutcome = (typeof callOutcomes)[number];

/** Neighbouring steps. A name that is absent has 0 in all of them. */
export interface CallWindow {
  /** Number of the first step since the count began. */
  readonly firstStep: number;
  readonly steps: number;
  readonly operations: Readonly<Record<string, Readonly<Partial<Record<CallOutcome, readonly number[]>>>>>;
  /** By error code. */
  readonly codes: Readonly<Record<string, readonly number[]>>;
  /** Estimates in seconds; null: no call in this step. */
  readonly seconds: Readonly<Record<"p50" | "p95" | "p99", readonly (number | null)[]>>;
}

export interface CallSeries {
  /** @param step number of the current step; one that is older than the newest counts as the newest */
  count(step: number, operation: string, code: number, seconds: number): void;
  /** The same for a call of the past: a step that is not kept any more is left out. */
  countPast(step: number, operation: string, code: number, seconds: number): void;
  /** How many calls were counted since the start. */
  calls(): number;
  /** From `fromStep`, or the oldest one that is kept, to `toStep`. */
  read(fromStep: number, toStep: number): CallWindow;
}

const buckets = callSeconds.length + 1;

/** @param length number of steps that are kept */
export function createCallSeries(length: number): CallSeries {
  const operations = new Map<string, Uint32Array>();
  const codes = new Map<number, Uint32Array>();
  const seconds = new Uint32Array(length * buckets);
  let newest = -1;
  let calls = 0;

  /** Empties the places of the steps that begin. */
  const advanceTo = (step: number): void => {
    for (let next = Math.max(newest + 1, step - length + 1); next <= step; next++) {
      const at = next % length;
      for (const counts of operations.values())
        counts.fill(0, at * callOutcomes.length, (at + 1) * callOutcomes.length);
      for (const counts of codes.values()) counts[at] = 0;
      seconds.fill(0, at * buckets, (at + 1) * buckets);
    }
    newest = step;
  };
  const countsOf = <Name>(of: Map<Name, Uint32Array>, name: Name, width: number): Uint32Array => {
    const known = of.get(name);
    if (known !== undefined) return known;
    const added = new Uint32Array(length * width);
    of.set(name, added);
    return added;
  };

  const countAt = (at: number, operation: string, code: number, duration: number): void => {
    calls += 1;
    add(countsOf(operations, operation, callOutcomes.length), at * callOutcomes.length + outcomeOf(code));
    if (code !== successCode) add(countsOf(codes, code, 1), at);
    let bucket = 0;
    while (bucket < callSeconds.length && duration > (callSeconds[bucket] ?? 0)) bucket += 1;
    add(seconds, at * buckets + bucket);
  };

  return {
    count(step, ...call) {
      if (step > newest) advanceTo(step);
      countAt(newest % length, ...call);
    },
    countPast(step, ...call) {
      if (step > newest) advanceTo(step);
      if (step > newest - length) countAt(step % length, ...call);
    },
    calls: () => calls,
    read(fromStep, toStep) {
      const firstStep = Math.max(0, fromStep, toStep - length + 1);
      const numbers = Array.from({ length: Math.max(0, toStep - firstStep + 1) }, (_, at) => firstStep + at);
      /** Steps after the newest one have no place yet; theirs still has the counts of a previous step. */
      const valuesOf = (counts: Uint32Array, width: number, column: number) =>
        numbers.map((step) => (step > newest ? 0 : (counts[(step % length) * width + column] ?? 0)));
      const quantiles = (quantile: number) =>
        numbers.map((step) =>
          step > newest
            ? null
            : rounded(estimateQuantile(seconds, callSeconds, quantile, (step % length) * buckets)),
        );
      return {
        firstStep,
        steps: numbers.length,
        operations: present(operations, (counts) => {
          const columns = callOutcomes.map(
            (outcome, column) => [outcome, valuesOf(counts, 3, column)] as const,
          );
          const found = columns.filter(([, values]) => values.some(isCounted));
          return found.length === 0 ? null : Object.fromEntries(found);
        }),
        codes: present(codes, (counts) => {
          const values = valuesOf(counts, 1, 0);
          return values.some(isCounted) ? values : null;
        }),
        seconds: { p50: quantiles(0.5), p95: quantiles(0.95), p99: quantiles(0.99) },
      };
    },
  };
}

function add(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}

const statusOf: Readonly<Record<number, number>> = errorStatus;

/** Index in callOutcomes. */
function outcomeOf(code: number): number {
  if (code === successCode) return 0;
  return (statusOf[code] ?? 500) < 500 ? 1 : 2;
}

/** An estimate has no more than three digits that mean something. */
const rounded = (value: number | null) => (value === null ? null : Number(value.toPrecision(3)));

const isCounted = (count: number) => count > 0;

/** The entries for which `read` does not answer null. */
function present<Name extends string | number, Value>(
  of: ReadonlyMap<Name, Uint32Array>,
  read: (counts: Uint32Array) => Value | null,
): Record<string, Value> {
  const found: Record<string, Value> = {};
  for (const [name, counts] of of) {
    const value = read(counts);
    if (value !== null) found[String(name)] = value;
  }
  return found;
}
