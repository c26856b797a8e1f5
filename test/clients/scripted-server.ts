// A server on 127.0.0.1 that answers each request with the next of the given responses, so that tests decide what a client meets.
// Must never know a client.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

/** "close": the connection is closed without a response; "cut": in the middle of one; "hang": nothing is sent. */
export type Scripted = ScriptedResponse | "close" | "cut" | "hang";

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when this many requests have arrived. */
  until(count: number): Promise<void>;
}

/** The last response is repeated. */
export async function startScriptedServer(...script: readonly Scripted[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const waiting: { readonly count: number; resolve(): void }[] = [];
  const server = createServer(async (request, response) => {
    const next = script[Math.min(received.length, script.length - 1)] ?? "hang";
    received.push(await receive(request));
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    answer(next, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${isObject(address) ? address.port : ""}`,
    received,
    async until(count) {
      if (received.length >= count) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      await promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "", url: path = "", headers } = request;
  return { method, path, headers, body: new TextDecoder().decode(Bun.concatArrayBuffers(chunks)) };
}

function answer(next: Scripted, response: ServerResponse): void {
  if (next === "hang") return;
  if (next === "close") response.socket?.destroy();
  else if (next === "cut") {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
    response.write('{"success":true,', () => response.socket?.destroy());
  } else {
    response.writeHead(next.status, { "Content-Type": "application/json", ...next.headers });
    response.end(next.text);
  }
}

export function succeeds(data: JsonObject, status = 200): ScriptedResponse {
  return { status, text: JSON.stringify({ success: true, code: 1000, message: "success", data }) };
}

export function refuses(
  status: number,
  code: number,
  data: JsonObject = {},
  retryAfter?: string,
): ScriptedResponse {
  const text = JSON.stringify({ success: false, code, message: `refused with ${code}`, data });
  return { status, text, ...(retryAfter === undefined ? {} : { headers: { "Retry-After": retryAfter } }) };
}
