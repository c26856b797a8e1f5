// Lets tests be the first half of an exchange, because that of the product needs an upstream. All other parts are those of the product:
// the listening server, the call, the thread that writes.

import { connect, type Socket } from "node:net";
import type { Exchange, PrecomputedEntry } from "../../src/calls/contract/exchange.ts";
import type { Preparation, ProjectOperation } from "../../src/calls/contract/operation.ts";
import { completeChat } from "../../src/calls/operations/gateway/conversations.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { TestApp } from "../fixture.ts";

export const exchangePath = "/v1/chat/completions";
export const success: PrecomputedEntry = { status: 200, code: 1000, numbers: {} };
export const broken: PrecomputedEntry = { status: 499, code: 1499, numbers: {} };
export const events = new Headers({ "content-type": "text/event-stream", "x-request-id": "req-1" });

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

interface Passed {
  readonly details?: JsonObject;
  readonly entry?: PrecomputedEntry;
}

type Work = (exchange: Exchange, preparation: Preparation) => Promise<Passed | undefined>;

const { prepare } = completeChat;

export function exchangeBy(work: Work): void {
  const replaced: ProjectOperation["prepare"] = async (_input, preparation) => {
    if (preparation.exchange === null) throw new Error("no exchange");
    const { details = {}, entry = success } = (await work(preparation.exchange, preparation)) ?? {};
    return { precomputed: { data: null, details }, entry, prepared: null };
  };
  Object.assign(completeChat, { prepare: replaced });
}

export function restoreExchange(): void {
  Object.assign(completeChat, { prepare });
}

interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function sendExchange(app: TestApp, sent: Sent = {}): Promise<Response> {
  const { body = '{"model":"m"}', key = app.apiKey, headers = {}, signal } = sent;
  return fetch(`${app.url}${exchangePath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A connection that has sent the request. */
export function openExchange(app: TestApp, body = '{"model":"m"}'): Socket {
  const socket = connect(app.port, "127.0.0.1");
  socket.on("error", () => {});
  const head = `POST ${exchangePath} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${app.apiKey}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

/** What a client receives until the connection is closed. */
export function receiveAll(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString();
  });
  socket.on("close", () => resolve(received));
  return promise;
}

/** Whether a raw answer has the last chunk (RFC 9112, section 7.1). */
export function isComplete(received: string): boolean {
  return received.endsWith("\r\n0\r\n\r\n");
}

/** The record of the newest exchange, as soon as there is one after the first `skip` records. */
export async function exchangeRecord(app: TestApp, skip: number) {
  for (;;) {
    const record = app.records(app.projectId, skip).findLast(({ action }) => action === "gateway.chat");
    if (record !== undefined) return record;
    await Bun.sleep(10);
  }
}
