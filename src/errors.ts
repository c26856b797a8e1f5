// Owns every code a caller can see and the HTTP status of each error code. Never put SQL, stack traces or file paths in a message.

import type { JsonObject } from "./json/json.ts";

export const successCode = 1000;

export const errorStatus = {
  1400: 400,
  1401: 401,
  1402: 402,
  1403: 403,
  1404: 404,
  1405: 405,
  1413: 413,
  1415: 415,
  1429: 429,
  1500: 500,
  1503: 503,
  2100: 404,
  2101: 400,
  2103: 500,
  2104: 409,
  2106: 403,
  2200: 403,
  2201: 400,
  2202: 403,
  2203: 409,
  2204: 404,
  2205: 404,
  2206: 409,
  2207: 403,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** What each code means, as the API reference tells it. */
export const errorMeaning: Readonly<Record<ErrorCode, string>> = {
  1400: "invalid request",
  1401: "missing, unknown, expired or revoked key",
  1402: "credits exhausted",
  1403: "permission missing",
  1404: "no such route",
  1405: "method not allowed",
  1413: "body too large",
  1415: "body is not JSON in UTF-8",
  1429: "rate limited",
  1500: "internal error",
  1503: "temporarily unavailable",
  2100: "memory does not exist",
  2101: "memory limit of the plan reached",
  2103: "extraction failed",
  2104: "duplicate memory",
  2106: "plan has no memory",
  2200: "audit needs an active subscription",
  2201: "export range exceeds the retention",
  2202: "plan has no export",
  2203: "an export is in progress",
  2204: "audit record does not exist",
  2205: "export does not exist",
  2206: "export is not ready",
  2207: "plan does not show the hash chain",
};

/** Details that help a client to mend its call, such as `{ field, reason }` or `{ memory_id }`; `{}` without any. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/** The expected "no" of the service: a code of the contract and a message that says what to do next. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** What the audit record keeps beyond the answer, as Done.details of a success; no client sees it. */
  readonly details: JsonObject | null;

  constructor(
    code: ErrorCode,
    message: string,
    data: ErrorData = {},
    retryAfterSeconds?: number,
    details: JsonObject | null = null,
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }

  /** The same refusal, with more for the audit record. */
  withDetails(details: JsonObject): Refusal {
    const { code, message, data, retryAfterSeconds } = this;
    return new Refusal(code, message, data, retryAfterSeconds, { ...this.details, ...details });
  }
}

/** 1503: the call was not executed and may be repeated as it is. */
export function unavailable(message: string, retryAfterSeconds = 1): Refusal {
  return new Refusal(1503, message, {}, retryAfterSeconds);
}
