// Owns the codes of all answers, and the HTTP status and meaning of each error code. A message must never contain SQL, a stack trace or
// a file path.

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
  1421: 403,
  1429: 429,
  1499: 499,
  1500: 500,
  1502: 502,
  1503: 503,
  1504: 504,
  2100: 404,
  2101: 400,
  2103: 500,
  2104: 409,
  2105: 404,
  2106: 403,
  2107: 400,
  2108: 409,
  2109: 404,
  2110: 404,
  2111: 400,
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

/** The meaning of each error code, for the API reference. */
export const errorMeaning: Readonly<Record<ErrorCode, string>> = {
  1400: "invalid request",
  1401: "API key missing, unknown, expired or revoked",
  1402: "not enough credits",
  1403: "permission missing",
  1404: "route, project or key not found",
  1405: "method not allowed",
  1413: "body too large",
  1415: "body is not JSON in UTF-8",
  1421: "Host is not a name of this server",
  1429: "too many requests",
  1499: "client closed the connection",
  1500: "internal error",
  1502: "upstream failed",
  1503: "temporarily unavailable",
  1504: "upstream did not answer in time",
  2100: "memory not found",
  2101: "memory limit reached",
  2103: "extraction failed",
  2104: "duplicate memory",
  2105: "check not found",
  2106: "plan does not include memories",
  2107: "check limit reached",
  2108: "memory was changed meanwhile",
  2109: "conversation not found",
  2110: "suggestion not found",
  2111: "suggestion limit reached",
  2200: "audit log requires an active subscription",
  2201: "export range exceeds the retention",
  2202: "plan does not include exports",
  2203: "an export is already in progress",
  2204: "audit record not found",
  2205: "export not found",
  2206: "export is not ready",
  2207: "plan does not include hashes",
};

/** Details that help a client to correct its call, such as `{ field, reason }` or `{ memory_id }`; `{}` if there are none. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/** An expected error: a code of the API and a message that says what to do next. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData;
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** Additional details in the audit record, as Done.details of a success. Clients do not receive them. */
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

  /** The same refusal with additional details for the audit record. */
  withDetails(details: JsonObject): Refusal {
    const { code, message, data, retryAfterSeconds } = this;
    return new Refusal(code, message, data, retryAfterSeconds, { ...this.details, ...details });
  }
}

/** 1400 for a field of a call. @param advice a second sentence, which is not a part of the reason */
export function fieldRefusal(field: string, reason: string, advice = ""): Refusal {
  const more = advice === "" ? "" : ` ${advice}.`;
  return new Refusal(1400, `Field "${field}" ${reason}.${more}`, { field, reason });
}

export function shuttingDown(): Refusal {
  return unavailable("The server is shutting down. Send the call again when it has started again.");
}

/** 1503: the call was not executed and can be retried unchanged. */
export function unavailable(message: string, retryAfterSeconds = 1): Refusal {
  return new Refusal(1503, message, {}, retryAfterSeconds);
}

/** 1503: the call may be committed, in whole or in part. The message says what to check, or that the call can be sent again. */
export function outcomeUnknown(message: string): Refusal {
  return new Refusal(1503, message, { outcome: "unknown" }, 1);
}
