// Owns the type Answer: the outcome of a call in a form that belongs to no transport. Each transport prints its own form of it.
// Plain data, because answers are made in the thread that writes and printed in another one.

import { type ErrorCode, type ErrorData, errorStatus, Refusal } from "../../platform/errors.ts";
import { isObject, type JsonObject } from "../../platform/json/json.ts";

export interface Answer {
  /** Outcome as an HTTP status code; the audit record holds the same number. */
  readonly status: number;
  /** 1000 on success, else an error code. */
  readonly code: number;
  /** "success", or what is wrong and what to do next. */
  readonly message: string;
  /** JSON text of an object, exactly as the audit record holds it; null: the operation returns no data, or the answer is a file. */
  readonly data: string | null;
  readonly file?: AnswerFile | undefined;
  /** Number of seconds after which the caller should retry. */
  readonly retryAfterSeconds?: number | undefined;
  /** Id of the audit record of a refused call, for the log, and of calls of exchanges; absent: of others, or not recorded. */
  readonly recordId?: string;
  /** Nothing of the call has happened, because this was committed after it was prepared: `perform` prepares it again. */
  readonly outdatedBy?: "erasure" | "model" | "subject";
}

/** A file of the data directory that is the answer. */
export interface AnswerFile {
  readonly path: string;
  /** File name for the client. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Changes with the content. */
  readonly tag: string;
}

/** A Refusal as plain data. */
export interface Refused {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: ErrorData;
  readonly retryAfterSeconds?: number | undefined;
  /** Additional members of the audit record. */
  readonly details?: JsonObject | null;
}

export function toRefusalAnswer({ code, message, data, retryAfterSeconds }: Refused): Answer {
  return { status: errorStatus[code], code, message, data: toData(data), retryAfterSeconds };
}

/** `data` of an answer is always an object, so that clients can read its members without a check: `{}` without data. */
export function toData(data: unknown): string {
  return JSON.stringify(data ?? {});
}

/** The data of an answer; {} if it is no object. */
export function dataOf({ data }: Pick<Answer, "data">): JsonObject {
  const value: unknown = JSON.parse(data ?? "{}");
  return isObject(value) ? value : {};
}

/** Receives errors that are not a Refusal. The caller gets the incident id only. */
export type ReportFailure = (incident: string, error: unknown) => void;

/** The refusal for any error: the Refusal itself, or 1500. */
export function toRefused(error: unknown, report: ReportFailure): Refused {
  if (error instanceof Refusal) {
    const { code, message, data, retryAfterSeconds, details } = error;
    return { code, message, data, retryAfterSeconds, details };
  }
  const incident = crypto.randomUUID();
  report(incident, error);
  const message = `Internal error. Tell the operator the incident id ${incident}, which is in the log of the server.`;
  return { code: 1500, message, data: { incident } };
}
