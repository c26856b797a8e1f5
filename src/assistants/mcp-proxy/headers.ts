// Owns the headers that Streamable HTTP demands and stdio does not have: they repeat what the message says
// (MCP 2026-07-28, Streamable HTTP, Request Metadata), or what `initialize` has answered (MCP 2025-11-25, Transports).

import type { JsonObject } from "../../platform/json/json.ts";
import { claimedVersion } from "./message.ts";

/** What the server answered to `initialize`; null: it was not sent, or not answered. */
export interface Negotiated {
  readonly version: string | null;
  readonly sessionId: string | null;
}

interface Named {
  readonly method: string;
  readonly params: JsonObject;
}

/** @param message null: a batch, or no message */
export function headersFor(
  message: Named | null,
  { version, sessionId }: Negotiated,
): Record<string, string> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  const claimed = message === null ? null : claimedVersion(message.params);
  if (message !== null && claimed !== null) {
    set(headers, "MCP-Protocol-Version", claimed);
    set(headers, "Mcp-Method", message.method);
    const name = nameIn(message);
    if (name !== null) headers["Mcp-Name"] = encode(name);
    return headers;
  }
  if (message?.method === "initialize") return headers;
  if (version !== null) set(headers, "MCP-Protocol-Version", version);
  if (sessionId !== null) set(headers, "Mcp-Session-Id", sessionId);
  return headers;
}

/** The member of `params` that the header Mcp-Name repeats. */
const nameMembers: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

function nameIn({ method, params }: Named): string | null {
  const name = params[nameMembers.get(method) ?? ""];
  return typeof name === "string" ? name : null;
}

/** A value that cannot be a header is left out: the server then says what is wrong with the message. */
function set(headers: Record<string, string>, name: string, value: string): void {
  if (isPlain(value)) headers[name] = value;
}

/** Value Encoding: text that is no plain field value, or looks like an encoded one, is sent as Base64. */
function encode(value: string): string {
  const looksEncoded = value.startsWith("=?base64?") && value.endsWith("?=");
  return isPlain(value) && !looksEncoded ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** RFC 9110, section 5.5, without space at the ends. */
function isPlain(value: string): boolean {
  return /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}
