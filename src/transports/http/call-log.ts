// Owns the log of calls: samples of refused calls, so that a client that fails in a loop does not fill the disk, and every call if the
// access log is on. Must never log a key, a query, a body or a text.

import type { CallStatistics } from "../../calls/call-statistics.ts";
import type { Clock } from "../../clock.ts";
import type { ClockTimer } from "../../clock-timers.ts";
import { refusalSourcesMax, refusalSourcesShown, refusalSummaryEveryMs } from "../../limits.ts";
import type { Logger } from "../../log/logger.ts";
import { networkOf } from "../../network.ts";

/** One call as the log shows it. */
interface LoggedCall {
  readonly method: string;
  /** The route's template, such as /v1/memories/:memory_id; null if no route has the path. */
  readonly path: string | null;
  readonly operation: string | null;
  readonly status: number;
  /** Of the envelope; null for answers without one. */
  readonly code: number | null;
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

interface Tally {
  readonly startedMs: number;
  calls: number;
  /** Calls by project, key and network, in the order of their first call. */
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
  /** Refusals since the line about the first one, by code. */
  const tallies = new Map<number, Tally>();
  let timer: ClockTimer | null = null;

  const tell = (): void => {
    for (const [code, { startedMs, calls, sources }] of tallies) {
      const seconds = Math.ceil((clock.elapsed() - startedMs) / 1000);
      if (calls > 0) logger.info("calls refused", { code, calls, seconds, by: mostFrequent(sources) });
      // After a minute without a refusal of this code, the next one is logged again.
      if (calls === 0) tallies.delete(code);
      else tallies.set(code, newTally(clock.elapsed()));
    }
    if (tallies.size === 0 && timer !== null) {
      timer.cancel();
      timer = null;
    }
  };
  const refused = (code: number, call: LoggedCall): void => {
    const { method, path, operation, status, project, key } = call;
    const source = { project, key, network: call.address === null ? null : networkOf(call.address) };
    const tally = tallies.get(code);
    if (tally !== undefined) {
      count(tally, source);
      return;
    }
    tallies.set(code, newTally(clock.elapsed()));
    logger.info("call refused", { code, status, operation, method, path, ...source });
    timer ??= clock.every(refusalSummaryEveryMs, tell);
  };

  return {
    log(call) {
      if (call.operation === null)
        statistics.withoutOperation(call.path === null ? "http" : "mcp", call.status);
      if (call.status >= 400) refused(call.code ?? call.status, call);
      if (!isAccessLogged) return;
      const { durationMs, bytes, ...rest } = call;
      logger.info("call", { ...rest, duration_ms: Math.round(durationMs * 1000) / 1000, bytes: bytes() });
    },
    close() {
      tell();
      timer?.cancel();
    },
  };
}

function newTally(startedMs: number): Tally {
  return { startedMs, calls: 0, sources: new Map() };
}

function count(tally: Tally, source: Source): void {
  tally.calls += 1;
  const name = `${source.key} ${source.network}`;
  const known = tally.sources.get(name);
  if (known !== undefined) known.calls += 1;
  else if (tally.sources.size < refusalSourcesMax) tally.sources.set(name, { source, calls: 1 });
}

function mostFrequent(sources: Tally["sources"]) {
  return [...sources.values()]
    .toSorted((a, b) => b.calls - a.calls)
    .slice(0, refusalSourcesShown)
    .map(({ source, calls }) => ({ ...source, calls }));
}
