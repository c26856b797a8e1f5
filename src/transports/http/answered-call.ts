// Owns the response to a call that was performed, and its line in the log of calls. Must never decide anything about the call.

import { type Answer, type Refused, toRefused } from "../../calls/contract/answer.ts";
import type { Performed } from "../../calls/perform.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { CallLog } from "./call-log.ts";
import { toEnvelope } from "./envelope.ts";
import { refusalResponse, toResponse } from "./response.ts";

interface AnsweringTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
}

interface AnsweredCall {
  readonly request: Request;
  /** Template of the route. */
  readonly path: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Address of the client; null: the connection has none. */
  readonly ip: string | null;
  /** Clock.elapsed(). */
  readonly arrivedAt: number;
}

export async function respondTo(
  { clock, logger, calls }: AnsweringTools,
  { request, path, operation, ip, arrivedAt }: AnsweredCall,
  { answer, caller }: Performed,
): Promise<Response> {
  const response = await guard(logger, () => toResponse(answer, request));
  calls.log({
    method: request.method,
    path,
    operation,
    status: response.status,
    // A request for a part of a file has a status of its own.
    code: answer.status === response.status ? answer.code : null,
    record: answer.recordId ?? null,
    durationMs: clock.elapsed() - arrivedAt,
    project: caller?.project.id ?? null,
    key: caller?.key.id ?? null,
    address: ip,
    bytes: () => lengthOf(answer, response),
  });
  return response;
}

function lengthOf(answer: Answer, { headers }: Response): number {
  const envelope = toEnvelope(answer);
  return envelope === null ? Number(headers.get("content-length") ?? 0) : Buffer.byteLength(envelope);
}

async function guard(logger: Logger, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return refusalResponse(refusedBecause(logger, error));
  }
}

/** An unexpected error is logged. */
export function refusedBecause(logger: Logger, error: unknown): Refused {
  return toRefused(error, (incident) => logger.error("a request failed", { incident, error }));
}
