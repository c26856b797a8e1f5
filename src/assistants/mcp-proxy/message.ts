// Owns the reading of one message of JSON-RPC 2.0 that a client sends on stdin. Must never change a message: its text is what is sent on.

import { isObject, type Json, type JsonObject, readJson } from "../../platform/json/json.ts";

export type RequestId = string | number;

export type Message = ClientRequest | Notification | Other;

export interface ClientRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
}

interface Notification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: JsonObject;
  readonly text: string;
}

/** A batch, a response, or JSON that is no message. The server says what is wrong with it. */
interface Other {
  readonly kind: "other";
  readonly isResponse: boolean;
  /** Of a batch; otherwise none. */
  readonly requests: readonly ClientRequest[];
  readonly text: string;
}

/** Null: the text is not JSON. */
export function readMessage(text: string): Message | null {
  const value = readJson(text);
  if (value === undefined) return null;
  if (!Array.isArray(value)) return toMessage(value, text);
  // Items that are arrays are no messages.
  const items = value.filter(isObject).map((item) => toMessage(item, JSON.stringify(item)));
  const requests = items.filter((item) => item.kind === "request");
  return { kind: "other", isResponse: false, requests, text };
}

function toMessage(value: Json, text: string): Message {
  if (!isObject(value) || typeof value.method !== "string") {
    const isResponse = isObject(value) && ("result" in value || "error" in value);
    return { kind: "other", isResponse, requests: [], text };
  }
  const { id, method } = value;
  const params = isObject(value.params) ? value.params : {};
  if (typeof id === "string" || typeof id === "number") return { kind: "request", id, method, params, text };
  return "id" in value
    ? { kind: "other", isResponse: false, requests: [], text }
    : { kind: "notification", method, params, text };
}

/** The version that a message of protocol 2026-07-28 or later names itself; null: the message is of an earlier protocol. */
export function claimedVersion(params: JsonObject): string | null {
  const meta = isObject(params._meta) ? params._meta : {};
  const version = meta["io.modelcontextprotocol/protocolVersion"];
  return typeof version === "string" ? version : null;
}
