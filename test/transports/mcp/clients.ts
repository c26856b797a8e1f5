// Connects the official clients of the protocol, of its 2025 and its 2026 versions, to a server of a test. Must never answer for it.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import type { TestApp } from "../../fixture.ts";

export const eras = ["2026-07-28", "2025-11-25"] as const;
export type Era = (typeof eras)[number];

export const clientInfo = { name: "test-client", version: "1.2.3" };

/** A result of a tool: both of its forms. */
export interface ToolReply {
  readonly text: string;
  readonly structured: JsonObject;
  readonly isError: boolean;
}

/** The current SDK, which speaks both eras. @param app its address is read for each request: it changes with a restart */
export async function connect(app: Pick<TestApp, "url">, key: string, era: Era, info = clientInfo) {
  const versionNegotiation = { mode: era === "2026-07-28" ? ({ pin: era } as const) : ("legacy" as const) };
  const sdk = new Client(info, { versionNegotiation });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const send = (_: string | URL, init?: RequestInit) => fetch(`${app.url}/mcp`, init);
  await sdk.connect(
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit, fetch: send }),
  );
  // The client checks results against the schemas that it has listed.
  await sdk.listTools();
  return {
    sdk,
    async call(name: string, input: Record<string, unknown>): Promise<ToolReply> {
      const { content, structuredContent, isError } = await sdk.callTool({ name, arguments: input });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const structured: unknown = structuredContent;
      return { text, structured: isObject(structured) ? structured : {}, isError: isError === true };
    },
    close: () => sdk.close(),
  };
}

/** The SDK before it, which speaks the versions of 2025 only. */
export async function connectPrevious(url: string, key: string, info = clientInfo) {
  const client = new PreviousClient(info);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new PreviousTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** JSON, or the data of the last event of a stream; {} for anything else. */
  readonly json: JsonObject;
}

/** Sends one body as a client without an SDK. A value is sent as JSON, texts and bytes as they are. */
export async function post(
  url: string,
  key: string | null,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): JsonObject {
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  try {
    const value: unknown = JSON.parse(events.at(-1)?.slice("data: ".length) ?? text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A request of the 2025 protocols, which need no handshake on a server without sessions. */
export function rpc(method: string, params: JsonObject = {}, id: number | string = 1): JsonObject {
  return { jsonrpc: "2.0", id, method, params };
}

export function toolCall(name: string, args: JsonObject, id: number | string = 1): JsonObject {
  return rpc("tools/call", { name, arguments: args }, id);
}
