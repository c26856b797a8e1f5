// Owns one message and its answer over Streamable HTTP: the answer is one JSON text, or a stream of events whose last one is the answer.

import { isObject, type Json, readJson } from "../../platform/json/json.ts";
import type { Channel } from "../local-access/channel.ts";
import { OutcomeUnknown } from "../local-access/channel-failure.ts";
import { readEvents } from "./event-stream.ts";
import { describeAnswer } from "./failure.ts";
import type { RequestId } from "./message.ts";

/** The server answered something that is no message of JSON-RPC. */
export class NoMessage extends Error {}

interface Sent {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: not a request, so there may be no answer. */
  readonly id: RequestId | null;
  readonly signal: AbortSignal;
}

/** Called for each message of the server, in their order. @param line the message without a line break */
type Receive = (line: string, message: Json, headers: Headers) => void;

/**
 * Ends with the answer.
 * @throws NoMessage, what Channel.fetch throws, and what the signal is aborted with
 */
export async function sendMessage(
  channel: Channel,
  path: string,
  sent: Sent,
  receive: Receive,
): Promise<void> {
  const { text: body, headers, id, signal } = sent;
  const response = await channel.fetch(path, { method: "POST", headers, body, signal });
  try {
    await readAnswer(response, id, receive);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof NoMessage || error instanceof OutcomeUnknown) throw error;
    throw new OutcomeUnknown(cutOff, { cause: error });
  }
}

const cutOff =
  "The connection to the memledger server ended during the answer. Check whether the change was made, then try again.";

async function readAnswer(response: Response, id: RequestId | null, receive: Receive): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") && response.body !== null) {
    for await (const data of readEvents(response.body)) {
      // A batch has several answers, and the stream ends after the last one.
      if (pass(data, id, response.headers, receive) && id !== null) return;
    }
    if (id !== null) throw new OutcomeUnknown(cutOff);
    return;
  }
  const text = await response.text();
  if (text === "" && id === null) return;
  // An error without an id cannot be assigned by a client, so it becomes the answer to the request.
  if (pass(text, id, response.headers, receive)) return;
  const fault = describeAnswer(response.status, text);
  // A proxy in front of the server says so when the server does not answer it (RFC 9110, section 15.6).
  if (response.status === 502 || response.status === 504) throw new OutcomeUnknown(fault);
  throw new NoMessage(fault);
}

/** @returns whether it was the answer. Only messages of JSON-RPC are passed on. */
function pass(text: string, id: RequestId | null, headers: Headers, receive: Receive): boolean {
  const message = readJson(text);
  if (Array.isArray(message)) {
    // Answers to a batch.
    if (message.length === 0 || id !== null || !message.every(isMessage)) return false;
    receive(oneLine(text), message, headers);
    return true;
  }
  if (!isMessage(message)) return false;
  const isAnswer = !("method" in message);
  const isUnassigned = isAnswer && (message.id === null || message.id === undefined) && id !== null;
  const line = isUnassigned ? JSON.stringify({ ...message, id }) : oneLine(text);
  receive(line, message, headers);
  return isAnswer;
}

function isMessage(value: Json | undefined): value is { readonly [name: string]: Json } {
  return isObject(value) && value.jsonrpc === "2.0";
}

/** Line breaks in JSON are between its tokens only. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").trim();
}
