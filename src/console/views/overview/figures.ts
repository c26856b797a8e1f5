// Owns the counts of calls over time: it joins what the event stream sends, and cuts out the period that is shown.

import { sum } from "./state.ts";

export const outcomes = ["ok", "refused", "failed"] as const;
export type Outcome = (typeof outcomes)[number];
export const quantiles = ["p50", "p95", "p99"] as const;

/** The event `figures`. A name that is absent has no call. */
export interface Figures {
  /** Id; null: the installation. */
  readonly project: string | null;
  readonly counting_since: string;
  readonly step_seconds: number;
  /** Beginning of the first step. */
  readonly start: string;
  readonly steps: number;
  readonly operations: Readonly<Record<string, Readonly<Partial<Record<Outcome, readonly number[]>>>>>;
  readonly codes: Readonly<Record<string, readonly number[]>>;
  readonly latency_seconds: Readonly<Record<(typeof quantiles)[number], readonly (number | null)[]>>;
}

/** What one period of the figures shows. */
export interface Period {
  /** Beginning of each interval, in seconds since 1970. */
  readonly times: readonly number[];
  readonly intervalSeconds: number;
  /** Calls of each interval; null: it was before counting began. */
  readonly calls: Readonly<Record<Outcome, readonly (number | null)[]>>;
  /** In seconds, the highest of each interval; null: no calls. */
  readonly latency: Readonly<Record<(typeof quantiles)[number], readonly (number | null)[]>>;
  /** The most frequent first. */
  readonly operations: readonly OperationCount[];
  readonly codes: readonly { readonly code: string; readonly count: number }[];
}

export interface OperationCount extends Readonly<Record<Outcome, number>> {
  readonly name: string;
  readonly count: number;
}

const keptSeconds = 86_400;

/** The figures with the steps of a later event, which replace those from its start on. */
export function joinFigures(previous: Figures | null, next: Figures): Figures {
  if (previous === null || previous.counting_since !== next.counting_since) return next;
  const offset = Math.round((secondsOf(next.start) - secondsOf(previous.start)) / next.step_seconds);
  if (offset <= 0) return next;
  const drop = Math.max(0, offset + next.steps - keptSeconds / next.step_seconds);
  const join = <Value>(
    before: readonly Value[] | undefined,
    after: readonly Value[] | undefined,
    none: Value,
  ) => [
    ...Array.from({ length: Math.max(0, offset - drop) }, (_, index) => before?.[index + drop] ?? none),
    ...Array.from({ length: next.steps }, (_, index) => after?.[index] ?? none),
  ];
  const joinNames = (before: Readonly<Record<string, readonly number[]>>, after: typeof before) =>
    mapNames([before, after], (name) => join(before[name], after[name], 0));
  return {
    ...next,
    start: new Date((secondsOf(previous.start) + drop * next.step_seconds) * 1_000).toISOString(),
    steps: Math.max(0, offset - drop) + next.steps,
    operations: mapNames([previous.operations, next.operations], (name) =>
      joinNames({ ...previous.operations[name] }, { ...next.operations[name] }),
    ),
    codes: joinNames(previous.codes, next.codes),
    latency_seconds: {
      p50: join(previous.latency_seconds.p50, next.latency_seconds.p50, null),
      p95: join(previous.latency_seconds.p95, next.latency_seconds.p95, null),
      p99: join(previous.latency_seconds.p99, next.latency_seconds.p99, null),
    },
  };
}

function mapNames<Value>(
  records: readonly Readonly<Record<string, unknown>>[],
  of: (name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries([...new Set(records.flatMap(Object.keys))].map((name) => [name, of(name)]));
}

/** The last `seconds` of the figures, in about `intervals` equal intervals. */
export function periodOf(figures: Figures, seconds: number, intervals: number): Period {
  const { step_seconds: step, steps } = figures;
  const stepsOfInterval = Math.max(1, Math.round(seconds / intervals / step));
  const intervalSeconds = stepsOfInterval * step;
  const count = Math.round(seconds / intervalSeconds);
  const end = secondsOf(figures.start) + steps * step;
  const times = Array.from({ length: count }, (_, index) => end - (count - index) * intervalSeconds);
  const first = steps - count * stepsOfInterval;
  const slice = <Value>(values: readonly Value[] | undefined, index: number): readonly Value[] =>
    values?.slice(
      Math.max(0, first + index * stepsOfInterval),
      Math.max(0, first + (index + 1) * stepsOfInterval),
    ) ?? [];
  const isCounted = (index: number) => first + (index + 1) * stepsOfInterval > 0;
  const all = Object.values(figures.operations);
  const calls = (outcome: Outcome) =>
    times.map((_, index) =>
      isCounted(index) ? sum(all.map((operation) => sum(slice(operation[outcome], index)))) : null,
    );
  const latency = (quantile: (typeof quantiles)[number]) =>
    times.map((_, index) => highest(slice(figures.latency_seconds[quantile], index)));
  const inPeriod = (values: readonly number[] = []) => sum(values.slice(Math.max(0, first)));
  return {
    times,
    intervalSeconds,
    calls: { ok: calls("ok"), refused: calls("refused"), failed: calls("failed") },
    latency: { p50: latency("p50"), p95: latency("p95"), p99: latency("p99") },
    operations: Object.entries(figures.operations)
      .map(([name, each]) => {
        const [ok, refused, failed] = [inPeriod(each.ok), inPeriod(each.refused), inPeriod(each.failed)];
        return { name, ok, refused, failed, count: ok + refused + failed };
      })
      .filter(isUsed)
      .sort(mostFirst),
    codes: Object.entries(figures.codes)
      .map(([code, values]) => ({ code, count: inPeriod(values) }))
      .filter(isUsed)
      .sort(mostFirst),
  };
}

const isUsed = ({ count }: { readonly count: number }) => count > 0;
const mostFirst = (left: { readonly count: number }, right: typeof left) => right.count - left.count;

function highest(values: readonly (number | null)[]): number | null {
  return values.reduce((found, value) => (value !== null && value > (found ?? -1) ? value : found), null);
}

function secondsOf(time: string): number {
  return Math.round(Date.parse(time) / 1_000);
}
