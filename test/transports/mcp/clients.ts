// Connects the official clients of the protocol, of its 2025 and its 2026 versions, to a server of a test. Must never answer for it.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const eras = ["2026-07-28", "2025-11-25"] as const;
export type Era = (typeof eras)[number];

export const clientInfo = { name: "test-client", version: "1.2.3" };

/** The current SDK, which speaks both eras. */
export async function connect(url: string, key: string, era: Era, fetch?: typeof globalThis.fetch) {
  const versionNegotiation = era === "2026-07-28" ? { mode: { pin: era } } : { mode: "legacy" as const };
  const client = new Client(clientInfo, { versionNegotiation });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, ...(fetch && { fetch }) }),
  );
  return client;
}

/** The SDK before it, which speaks the versions of 2025 only. */
export async function connectFormer(url: string, key: string) {
  const client = new FormerClient(clientInfo);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new FormerTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

/** Sends one body as a client without an SDK. */
export async function post(
  url: string,
  key: string | null,
  body: string | Uint8Array | unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; headers: Headers; text: string; json: unknown }> {
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

/** JSON, or the data of the last event of a stream. */
function parse(text: string): unknown {
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  try {
    return JSON.parse(events.at(-1)?.slice("data: ".length) ?? text);
  } catch {
    return null;
  }
}
