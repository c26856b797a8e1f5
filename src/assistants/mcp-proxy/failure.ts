// Owns the answers that the proxy gives itself, when the server gave none that the client could read. Each says what to do next.

import { isObject, readJson } from "../../platform/json/json.ts";
import { OutcomeUnknown } from "../local-access/channel-failure.ts";
import { type ClientRequest, claimedVersion, type RequestId } from "./message.ts";

/** Codes of JSON-RPC; the last one is the first that implementations may define. */
export const codes = { parseError: -32_700, refused: -32_000 } as const;

export function errorLine(id: RequestId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/**
 * A call of a tool fails with a result, because models read results and not errors of the protocol. Other requests fail with an error.
 * @param request null: no message, or a batch without a request
 */
export function failureLine(request: ClientRequest | null, message: string): string {
  if (request?.method !== "tools/call") return errorLine(request?.id ?? null, codes.refused, message);
  const { id, params } = request;
  const content = [{ type: "text", text: message }];
  const result = claimedVersion(params) === null ? {} : { resultType: "complete" };
  return JSON.stringify({ jsonrpc: "2.0", id, result: { ...result, content, isError: true } });
}

/** What to tell about an error of the channel. */
export function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof OutcomeUnknown)) return text;
  return `It is not known whether the request was performed. ${text}`;
}

/** The message of an answer that is no message of JSON-RPC. */
export function describeAnswer(status: number, text: string): string {
  const answer = readJson(text);
  const message = isObject(answer) && typeof answer.message === "string" ? answer.message : null;
  if (message !== null) return message;
  return `The server answered with the HTTP status ${status} and no message of the Model Context Protocol. Check that the address is that of a memledger server of this version.`;
}
