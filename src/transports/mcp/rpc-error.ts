// Owns the answers to requests that do not reach a method of the protocol: errors of JSON-RPC, with a status of HTTP.

import type { Answer } from "../../calls/contract/answer.ts";
import type { JsonObject } from "../../platform/json/json.ts";

/** Codes of JSON-RPC. Refusals without a code of their own get the first one that implementations may define. */
export const rpcCodes = { parseError: -32_700, invalidRequest: -32_600, refused: -32_000 } as const;

interface RpcError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The id is null, because the request was not read. */
export function rpcErrorResponse({ status, code, message, data, headers = {} }: RpcError): Response {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}

/** The same for a refusal of the API; `data` has its code. */
export function refusalRpcResponse({ status, code, message, retryAfterSeconds }: Answer): Response {
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers["Retry-After"] = String(retryAfterSeconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer"; // RFC 6750, section 3
  return rpcErrorResponse({ status, code: rpcCodes.refused, message, data: { code }, headers });
}
