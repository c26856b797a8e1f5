// Owns the error bodies of the APIs, as their own servers write them, so that official clients throw the right error. Statuses are those of
// the gateway.

import type { JsonObject } from "../../platform/json/json.ts";
import type { GatewayError } from "./dialect.ts";

interface OpenAiForm {
  readonly type: string;
  readonly code: string | null;
}

const openAiForms: Readonly<Record<number, OpenAiForm>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  402: { type: "insufficient_quota", code: "insufficient_quota" },
  403: { type: "invalid_request_error", code: "permission_denied" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  413: { type: "invalid_request_error", code: "request_too_large" },
  429: { type: "requests", code: "rate_limit_exceeded" },
  500: { type: "server_error", code: null },
  502: { type: "server_error", code: "upstream_error" },
  503: { type: "server_error", code: "unavailable" },
  504: { type: "server_error", code: "upstream_timeout" },
};

export function toOpenAiError({ status, message, field }: GatewayError): JsonObject {
  const other: OpenAiForm = { type: status < 500 ? "invalid_request_error" : "server_error", code: null };
  const { type, code } = openAiForms[status] ?? other;
  return { error: { message, type, param: field, code } };
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

export function toAnthropicError({ status, message }: GatewayError): JsonObject {
  const type = anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message } };
}

/** The headers of an error. */
export function errorHeaders(retryAfterSeconds: number | undefined): Readonly<Record<string, string>> {
  return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
}
