// Owns one HTTP request to the endpoint from its admission to its end: the calls that its messages perform, and its lines in the log.

import type { Caller } from "../../access/caller.ts";
import type { Admitted } from "../../calls/arrival/admission.ts";
import { type Answer, type Refused, toRefused } from "../../calls/contract/answer.ts";
import type { ProjectOperation } from "../../calls/contract/operation.ts";
import type {
  Request as Arrival,
  Credentials,
  ObjectInput,
  ReportProgress,
  RequestOrigin,
} from "../../calls/contract/request.ts";
import type { Perform } from "../../calls/perform.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { CallLog } from "../http/call-log.ts";
import { withoutIdleTimeout } from "../http/network/idle-timeout.ts";
import { readSessionId, sessionHeader } from "./client-name.ts";
import type { RunningCalls } from "./running-calls.ts";

export const mcpPath = "/mcp";

/** How a request arrived. */
export interface McpArrival {
  readonly credentials: Credentials;
  readonly origin: Omit<RequestOrigin, "transport" | "client">;
  /** As of Request. */
  readonly subject: string | null;
  /** Why the request may come from a web page that must not send it, and what to do; null: nothing suggests it. */
  readonly webPageFault: string | null;
  /** Closes the connection after this time without traffic; 0: never. */
  setIdleTimeout(seconds: number): void;
}

export interface McpRequestTools {
  readonly perform: Perform;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly running: RunningCalls;
}

/** A call that a message asks for. */
export interface ProtocolCall {
  readonly input: ObjectInput;
  /** Name and version of the client, as reported with the message; null: not reported. */
  readonly client: string | null;
  /** The id of the message. */
  readonly requestId: string | number;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
  /** Absent: the client wants no progress. */
  readonly onProgress?: ReportProgress | undefined;
}

export interface McpRequest {
  readonly arrivedAt: number;
  readonly origin: RequestOrigin;
  /** As the client has sent it; it is not checked. */
  readonly sessionId: string | null;
  /** As of Request. */
  readonly subject: string | null;
  perform(admitted: Admitted, operation: ProjectOperation, call: ProtocolCall): Promise<Answer>;
  /** Logs the request, unless its calls were logged. */
  logMessage(status: number, code: number | null, caller: Caller | null, record?: string | undefined): void;
  /** The refusal for any error. One that is unexpected is logged. */
  toRefused(error: unknown): Refused;
}

export function openMcpRequest(request: Request, arrival: McpArrival, tools: McpRequestTools): McpRequest {
  const { perform, clock, logger, calls, running } = tools;
  const arrivedAt = clock.elapsed();
  const sessionId = request.headers.get(sessionHeader);
  const origin: RequestOrigin = { ...arrival.origin, transport: "mcp", client: readSessionId(sessionId) };
  let performed = 0;
  let runningLong = 0;
  /** The calls of a batch share a connection: its timeout applies again when the last one that may run long has ended. */
  const setIdleTimeout = (seconds: number): void => {
    runningLong += seconds === 0 ? 1 : -1;
    if (seconds === 0 || runningLong === 0) arrival.setIdleTimeout(seconds);
  };

  const log = (startedAt: number, caller: Caller | null, outcome: Outcome): void =>
    calls.log({
      ...outcome,
      method: "POST",
      path: mcpPath,
      durationMs: clock.elapsed() - startedAt,
      project: caller?.project.id ?? null,
      key: caller?.key.id ?? null,
      address: origin.ip,
    });

  return {
    arrivedAt,
    origin,
    sessionId,
    subject: arrival.subject,
    async perform({ caller }, operation, { input, client, requestId, signal, onProgress }) {
      // The request was counted when it was admitted. Further calls of a batch count as requests of their own.
      const isCounted = performed === 0;
      performed += 1;
      const startedAt = isCounted ? arrivedAt : clock.elapsed();
      using call = running.begin({ keyId: caller.key.id, sessionId, requestId }, signal);
      const sent: Arrival = {
        credentials: arrival.credentials,
        subject: arrival.subject,
        input,
        origin: { ...origin, client: client ?? origin.client },
        arrivedAt: startedAt,
        isCounted,
        signal: call.signal,
        ...(onProgress === undefined ? {} : { onProgress }),
      };
      const { answer } = await withoutIdleTimeout(operation, setIdleTimeout, () => perform(operation, sent));
      const { status, code, data, recordId = null } = answer;
      const bytes = () => (data === null ? 0 : Buffer.byteLength(data));
      log(startedAt, caller, { operation: operation.name, status, code, record: recordId, bytes });
      return answer;
    },
    logMessage(status, code, caller, record = undefined) {
      const outcome = { operation: null, status, code, record: record ?? null, bytes: () => null };
      if (performed === 0) log(arrivedAt, caller, outcome);
    },
    toRefused: (error) =>
      toRefused(error, (incident) => logger.error("a request failed", { incident, error })),
  };
}

type Outcome = Pick<Parameters<CallLog["log"]>[0], "operation" | "status" | "code" | "record" | "bytes">;
