// Owns the type Answer: the outcome of a call in a form that belongs to no transport. Each transport prints its own form of it.
// Plain data, because answers are made in the thread that writes and printed in another one.

import { type ErrorCode, type ErrorData, errorStatus, Refusal } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";

export interface Answer {
  /** Outcome as an HTTP status code; the audit record holds the same number. */
  readonly status: number;
  /** 1000 on success, else an error code. */
  readonly code: number;
  /** "success", or what is wrong and what to do next. */
  readonly message: string;
  /** JSON text of an object, exactly as the audit record holds it; null: the operation has nothing to tell, or the answer is a file. */
  readonly data: string | null;
  readonly file?: AnswerFile | undefined;
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A file of the data directory that is the answer. */
export interface AnswerFile {
  readonly path: string;
  /** The name that the client should save it under. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Another content has another tag. */
  readonly tag: string;
}

/** A Refusal as plain data. */
export interface Refused {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: ErrorData;
  readonly retryAfterSeconds?: number | undefined;
  /** What the audit record keeps beyond the answer. */
  readonly details?: JsonObject | null;
}

export function toRefusalAnswer({ code, message, data, retryAfterSeconds }: Refused): Answer {
  return { status: errorStatus[code], code, message, data: toData(data), retryAfterSeconds };
}

/** `data` of an answer is always an object, so that clients read its members without a check: `{}` where there is nothing to tell. */
export function toData(data: unknown): string {
  return JSON.stringify(data ?? {});
}

/** Told of errors that are not a Refusal; the caller learns the incident only. */
export type ReportFailure = (incident: string, error: unknown) => void;

/** The answer to an error, whatever it is. */
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
