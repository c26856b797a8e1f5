// Owns an upstream for tests: a listening server that keeps what it receives and sends what a test has prepared, byte for byte, in pieces and
// at moments that the test chooses. Its own answers quote what it was told, in the form of the API that was asked. It never calls anything.

import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  chatAnswer,
  chatEvents,
  messageAnswer,
  messageEvents,
  responseAnswer,
  responseEvents,
} from "./upstream-shapes.ts";

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface PreparedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The pieces are written one by one, as they are. */
  readonly body: string | Uint8Array | readonly (string | Uint8Array)[] | AsyncIterable<Uint8Array>;
  /** Between two pieces; absent: none. */
  readonly pauseMs?: number;
  /** Before the status; absent: none. */
  readonly delayMs?: number;
  /** `close`: the connection is closed in the middle. `hang`: nothing more is sent, and it stays open. Absent: a complete answer. */
  readonly end?: "close" | "hang";
}

export type Prepare = (request: ReceivedRequest) => PreparedAnswer | null;

export interface FakeUpstream extends AsyncDisposable {
  readonly port: number;
  /** Without /v1. */
  readonly origin: string;
  readonly received: readonly ReceivedRequest[];
  /** Requests whose connection was closed before their answer was complete. */
  readonly abandoned: number;
  /** Null, also as a result: the upstream answers by itself. */
  answerWith(prepare: Prepare | null): void;
  close(): Promise<void>;
}

export async function startFakeUpstream(port = 0): Promise<FakeUpstream> {
  const received: ReceivedRequest[] = [];
  let prepare: Prepare | null = null;
  let abandoned = 0;
  const server = http.createServer(async (request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) abandoned += 1;
    });
    try {
      const kept = await receive(request);
      received.push(kept);
      await send(response, prepare?.(kept) ?? answerOf(kept));
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const address = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((closed) => server.close(() => closed()));
  };
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    received,
    get abandoned() {
      return abandoned;
    },
    answerWith(next) {
      prepare = next;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { method = "", url = "", headers } = request;
  return { method, path: url, headers, body: Buffer.concat(parts) };
}

async function send(response: ServerResponse, answer: PreparedAnswer): Promise<void> {
  const { status = 200, headers = {}, body, pauseMs = 0, delayMs = 0, end } = answer;
  if (delayMs > 0) await sleep(delayMs);
  if (end === "hang" && Array.isArray(body) && body.length === 0) return;
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.flushHeaders();
  let isFirst = true;
  for await (const piece of piecesOf(body)) {
    if (!isFirst && pauseMs > 0) await sleep(pauseMs);
    isFirst = false;
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  if (end === "hang") return;
  if (end === "close") {
    // A client that has not read what arrived when its connection ends loses it, so a busy machine gets time to read.
    await sleep(300);
    response.destroy();
  } else response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

async function* piecesOf(body: PreparedAnswer["body"]): AsyncIterable<string | Uint8Array> {
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Cuts bytes into pieces of so many bytes each. */
export function cut(text: string, length: number): Uint8Array[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}

export const eventStream = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
};

/** What the upstream answers by itself: it repeats all texts that it was told. */
function answerOf({ method, path, body }: ReceivedRequest): PreparedAnswer {
  const route = `${method} ${path.replace(/\?.*$/, "").replace(/^\/v1/, "")}`;
  const sent = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
  const { model = "fake", stream = false } = sent;
  const said = `I was told: ${textsIn([sent.system, sent.instructions, sent.messages, sent.input]).join(" | ")}`;
  const streaming = (events: readonly string[]) => ({ headers: eventStream, body: events });
  const whole = (value: object) => ({ body: JSON.stringify(value) });
  switch (route) {
    case "POST /chat/completions": {
      const wantsUsage = sent.stream_options?.include_usage === true;
      return stream ? streaming(chatEvents(model, said, wantsUsage)) : whole(chatAnswer(model, said));
    }
    case "POST /responses":
      return stream ? streaming(responseEvents(model, said)) : whole(responseAnswer(model, said));
    case "POST /messages":
      return stream ? streaming(messageEvents(model, said)) : whole(messageAnswer(model, said));
    case "POST /messages/count_tokens":
      return whole({ input_tokens: Math.ceil(said.length / 4) });
    case "GET /models":
      return whole({ object: "list", data: [{ id: "fake", object: "model", created: 1, owned_by: "test" }] });
    case "POST /embeddings":
      return whole({
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5] }],
        model,
        usage: { prompt_tokens: 3, total_tokens: 3 },
      });
    default:
      return {
        status: 404,
        body: JSON.stringify({ error: { message: "no such route", type: "invalid_request_error" } }),
      };
  }
}

/** All texts in messages, in their order. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  const { content, text } = value as Record<string, unknown>;
  return [...textsIn(content), ...(typeof text === "string" ? [text] : [])];
}
