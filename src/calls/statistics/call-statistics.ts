// Owns the counts of calls and of requests that belong to no operation. Must never count by what a client has sent: only by the names of
// operations, transports and codes.

import { successCode } from "../../platform/errors.ts";
import { callSeconds, stageSeconds } from "../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type Distribution,
  type DistributionState,
} from "../../platform/statistics/distribution.ts";
import type { Operation } from "../contract/operation.ts";
import type { Transport } from "../contract/request.ts";
import type { CallHistory, CountedCall } from "./call-history.ts";

interface AnsweredCall extends CountedCall {
  readonly transport: Transport;
}

export interface CallStatistics {
  begin(): void;
  /** Once for each `begin`. */
  end(call: AnsweredCall): void;
  /** A call waited so long for the writer and its transaction. */
  recorded(operation: Operation["name"], seconds: number): void;
  /** A request that belongs to no operation, such as one for an unknown path, or a message of MCP that calls no tool. */
  withoutOperation(transport: "http" | "mcp", status: number): void;
  read(): CallCounts;
}

export interface CallCounts {
  readonly running: number;
  readonly calls: readonly Readonly<{
    operation: string;
    transport: Transport;
    code: number;
    calls: number;
  }>[];
  readonly durations: readonly Readonly<{
    operation: string;
    transport: Transport;
    seconds: DistributionState;
  }>[];
  readonly recorded: readonly Readonly<{ operation: string; seconds: DistributionState }>[];
  readonly withoutOperation: readonly Readonly<{
    transport: "http" | "mcp";
    status: number;
    requests: number;
  }>[];
  /** Empty unless projects are counted. */
  readonly projects: readonly Readonly<{ project: string; calls: number }>[];
}

interface Counted {
  readonly operation: string;
  readonly transport: Transport;
  readonly seconds: Distribution;
  readonly codes: Map<number, number>;
}

/** A counter that appears with its first error has no increase, so an alert would not see that error. */
const codesFromTheStart = [successCode, 1500, 1503];

interface CallStatisticsOptions {
  /** Whether calls are also counted by project. */
  readonly countsProjects?: boolean;
  /** Counts the calls over time; absent: nobody does. */
  readonly history?: Pick<CallHistory, "count">;
}

export function createCallStatistics({
  countsProjects = false,
  history,
}: CallStatisticsOptions = {}): CallStatistics {
  let running = 0;
  const counted = new Map<string, Counted>();
  const recorded = new Map<string, Distribution>();
  const withoutOperation = new Map<string, { transport: "http" | "mcp"; status: number; requests: number }>();
  const projects = new Map<string, number>();

  const countedOf = (operation: string, transport: Transport): Counted => {
    const name = `${transport} ${operation}`;
    const known = counted.get(name);
    if (known !== undefined) return known;
    const codes = new Map(codesFromTheStart.map((code) => [code, 0]));
    const added = { operation, transport, seconds: createDistribution(callSeconds), codes };
    counted.set(name, added);
    return added;
  };

  return {
    begin() {
      running += 1;
    },
    end(call) {
      const { operation, transport, code, seconds, project } = call;
      running -= 1;
      history?.count(call);
      const { codes, seconds: distribution } = countedOf(operation, transport);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      distribution.observe(seconds);
      if (countsProjects && project !== null) projects.set(project, (projects.get(project) ?? 0) + 1);
    },
    recorded(operation, seconds) {
      const known = recorded.get(operation) ?? createDistribution(stageSeconds);
      recorded.set(operation, known);
      known.observe(seconds);
    },
    withoutOperation(transport, status) {
      const name = `${transport} ${status}`;
      const known = withoutOperation.get(name) ?? { transport, status, requests: 0 };
      withoutOperation.set(name, known);
      known.requests += 1;
    },
    read: () => ({
      running,
      calls: [...counted.values()].flatMap(({ operation, transport, codes }) =>
        [...codes].map(([code, calls]) => ({ operation, transport, code, calls })),
      ),
      durations: [...counted.values()].map(({ operation, transport, seconds }) => ({
        operation,
        transport,
        seconds: seconds.read(),
      })),
      recorded: [...recorded].map(([operation, seconds]) => ({ operation, seconds: seconds.read() })),
      withoutOperation: [...withoutOperation.values()].map((each) => ({ ...each })),
      projects: [...projects].map(([project, calls]) => ({ project, calls })),
    }),
  };
}
