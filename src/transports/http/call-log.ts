// Owns the log of calls: a line for each failed call, with limits, so that a client that fails in a loop does not fill the disk, and
// every call if the access log is on. Must never log a key, a query, a body or a text.

import type { CallStatistics } from "../../calls/statistics/call-statistics.ts";
import type { LogFields, Logger } from "../../platform/log/logger.ts";
import { networkOf } from "../../platform/network.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ClockTimer } from "../../platform/time/clock-timers.ts";
import {
  failureLinesOfCodeMax,
  failureLinesOfKeyMax,
  failureSourcesMax,
  failureSourcesShown,
  failureSummaryEveryMs,
} from "./limits.ts";

/** One call as the log shows it. */
interface LoggedCall {
  readonly method: string;
  /** The route's template, such as /v1/memories/:memory_id; null if no route has the path. */
  readonly path: string | null;
  readonly operation: string | null;
  readonly status: number;
  /** Of the envelope; null for answers without one. */
  readonly code: number | null;
  /** Id of the audit record of a call that failed; null: it succeeded, or was not recorded. */
  readonly record: string | null;
  readonly durationMs: number;
  /** Length of the answer's body; computed only if the call is logged. */
  readonly bytes: () => number | null;
  /** Ids of the caller; null if the key is unknown. */
  readonly project: string | null;
  readonly key: string | null;
  readonly address: string | null;
}

export interface CallLog {
  log(call: LoggedCall): void;
  /** Logs the counted calls that are not logged yet. */
  close(): void;
}

/** Failed calls of one code since the last summary. */
interface Counter {
  readonly code: number;
  readonly status: number;
  readonly startedMs: number;
  /** Lines by key. */
  readonly lines: Map<string, number>;
  linesOfAll: number;
  /** Calls without a known key. */
  unknown: number;
  /** Whether one of them, of this or of the previous time, has had a line; the next ones are only counted. */
  isUnknownLogged: boolean;
  /** Those without a line. */
  calls: number;
  /** Of these, by project, key and network, in the order of their first call. */
  readonly sources: Map<string, { readonly source: Source; calls: number }>;
}

interface Source {
  readonly project: string | null;
  readonly key: string | null;
  readonly network: string | null;
}

interface CallLogOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Counts the requests that belong to no operation. */
  readonly statistics: Pick<CallStatistics, "withoutOperation">;
  /** Whether each call has a line. */
  readonly isAccessLogged: boolean;
}

export function createCallLog({ logger, clock, statistics, isAccessLogged }: CallLogOptions): CallLog {
  /** By code. */
  const counters = new Map<number, Counter>();
  let timer: ClockTimer | null = null;

  const tell = (): void => {
    for (const [code, counter] of counters) {
      const { startedMs, calls, status, sources, linesOfAll } = counter;
      const seconds = Math.ceil((clock.elapsed() - startedMs) / 1000);
      if (calls > 0) logSummary(logger, status, { code, calls, seconds, by: mostFrequent(sources) });
      // Without a valid key, the next failure of a code has a line again after a minute without one.
      if (calls === 0 && linesOfAll === 0) counters.delete(code);
      else
        counters.set(code, {
          ...newCounter(code, status, clock.elapsed()),
          isUnknownLogged: counter.unknown > 0,
        });
    }
    if (counters.size === 0 && timer !== null) {
      timer.cancel();
      timer = null;
    }
  };
  const failed = (code: number, call: LoggedCall): void => {
    const { method, path, operation, status, record, durationMs, project, key } = call;
    const source = { project, key, network: call.address === null ? null : networkOf(call.address) };
    const counter = counters.get(code) ?? newCounter(code, status, clock.elapsed());
    counters.set(code, counter);
    timer ??= clock.every(failureSummaryEveryMs, tell);
    if (!takeLine(counter, key)) {
      count(counter, source);
      return;
    }
    const timing = { duration_ms: rounded(durationMs) };
    logFailure(logger, { code, status, operation, method, path, record, ...source, ...timing });
  };

  return {
    log(call) {
      if (call.operation === null)
        statistics.withoutOperation(call.path === null ? "http" : "mcp", call.status);
      if (call.status >= 400) failed(call.code ?? call.status, call);
      if (!isAccessLogged) return;
      const { durationMs, bytes, ...rest } = call;
      logger.info("call", { ...rest, duration_ms: rounded(durationMs), bytes: bytes() });
    },
    close() {
      tell();
      timer?.cancel();
    },
  };
}

/** 4xx: the caller must do something. 5xx: the operator, at least if it lasts. 1500 is a bug. */
function logFailure(logger: Logger, fields: LogFields & { readonly code: number; readonly status: number }) {
  if (fields.status < 500) logger.info("call refused", fields);
  else if (fields.code === 1500) logger.error("call failed", fields);
  else logger.warn("call failed", fields);
}

function logSummary(logger: Logger, status: number, fields: LogFields) {
  if (status < 500) logger.info("calls refused", fields);
  else logger.warn("calls failed", fields);
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function newCounter(code: number, status: number, startedMs: number): Counter {
  return {
    code,
    status,
    startedMs,
    lines: new Map(),
    linesOfAll: 0,
    unknown: 0,
    isUnknownLogged: false,
    calls: 0,
    sources: new Map(),
  };
}

/** Whether the call gets a line of its own. @param key null: without a valid key, calls cost nothing, so that they get fewer lines */
function takeLine(counter: Counter, key: string | null): boolean {
  if (key === null) {
    counter.unknown += 1;
    if (counter.isUnknownLogged) return false;
    counter.isUnknownLogged = true;
  } else {
    const ofKey = counter.lines.get(key) ?? 0;
    if (ofKey >= failureLinesOfKeyMax || counter.linesOfAll >= failureLinesOfCodeMax) return false;
    counter.lines.set(key, ofKey + 1);
  }
  counter.linesOfAll += 1;
  return true;
}

function count(counter: Counter, source: Source): void {
  counter.calls += 1;
  const name = `${source.key} ${source.network}`;
  const known = counter.sources.get(name);
  if (known !== undefined) known.calls += 1;
  else if (counter.sources.size < failureSourcesMax) counter.sources.set(name, { source, calls: 1 });
}

function mostFrequent(sources: Counter["sources"]) {
  return [...sources.values()]
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, failureSourcesShown)
    .map(({ source, calls }) => ({ ...source, calls }));
}
