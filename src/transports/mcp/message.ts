// Owns reading the message of a request: bounded in bytes, time and values, as every body. The SDK gets the parsed value.

import type { Admitted } from "../../calls/arrival/admission.ts";
import { toRefusalAnswer } from "../../calls/contract/answer.ts";
import { Refusal } from "../../platform/errors.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import { JsonFault, parseJson } from "../../platform/json/json-text.ts";
import { largeBodyMinBytes } from "../../platform/limits.ts";
import { receiveRequestBody } from "../http/body.ts";
import { refusalRpcResponse, rpcCodes, rpcErrorResponse } from "./rpc-error.ts";

/** The message, or the answer to a body that is none. */
export type Received = { readonly message: Json; readonly fault: null } | { readonly fault: Response };

export async function receiveMessage(request: Request, admitted: Admitted): Promise<Received> {
  try {
    const body = await receiveRequestBody(request, admitted.claim);
    if (body.kind === "incomplete") throw body.refusal;
    if (body.kind === "unreadable" && body.code === 1400) return { fault: notJson(body.message) };
    if (body.kind === "unreadable") throw new Refusal(body.code, body.message);
    if (body.kind === "none")
      return { fault: notJson("The body is empty. Send one message of JSON-RPC 2.0.") };
    if (body.bytes.length >= largeBodyMinBytes) await admitted.turnForLargeBody();
    return { message: parseJson(body.text), fault: null };
  } catch (error) {
    if (error instanceof JsonFault) return { fault: notJson(error.describe("Member")) };
    if (error instanceof Refusal) return { fault: refusalRpcResponse(toRefusalAnswer(error)) };
    throw error;
  }
}

function notJson(message: string): Response {
  return rpcErrorResponse({ status: 400, code: rpcCodes.parseError, message });
}

/** The method and parameters of a message; null for a batch, a response, and what is no message. */
export function methodOf(message: Json): { readonly method: string; readonly params: Json } | null {
  if (!isObject(message) || typeof message.method !== "string") return null;
  return { method: message.method, params: message.params ?? null };
}
