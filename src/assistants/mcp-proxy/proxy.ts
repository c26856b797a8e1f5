// Owns the traffic of one client on stdin and stdout: each message goes to the server, and what the server says goes to the client. Must
// never write anything to the client that is no message of JSON-RPC, and knows no tool.

import type { Json } from "../../platform/json/json.ts";
import type { Channel } from "../local-access/channel.ts";
import { createDelivery } from "./delivery.ts";
import { codes, describe, errorLine, failureLine } from "./failure.ts";
import type { InputLine } from "./input-lines.ts";
import { claimedVersion, type Message, readMessage } from "./message.ts";

interface ProxyOptions {
  readonly channel: Channel;
  /** Writes one line to the client, without its line break. */
  readonly write: (line: string) => void;
  /** Writes one line to the log. */
  readonly log: (line: string) => void;
}

export interface McpProxy {
  /** Does not wait for the answer. */
  receive(line: InputLine): void;
  /** Resolves when everything is answered. Subscriptions, which have no end of their own, are ended. */
  finish(): Promise<void>;
}

/** A message that is being handled. */
interface Running {
  readonly message: Message;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export function createProxy({ channel, write, log }: ProxyOptions): McpProxy {
  const running = new Set<Running>();
  const deliver = createDelivery(channel, write);
  let opening: Promise<void> = Promise.resolve();

  const handle = async (message: Message, signal: AbortSignal, ready: Promise<void>): Promise<void> => {
    await ready;
    if (signal.aborted) return;
    try {
      await deliver(message, signal);
    } catch (error) {
      if (signal.aborted) return;
      const text = describe(error);
      log(text);
      if (message.kind === "notification") return;
      const requests = message.kind === "request" ? [message] : message.requests;
      for (const request of requests.length === 0 ? [null] : requests) write(failureLine(request, text));
    }
  };

  const start = (message: Message): void => {
    const controller = new AbortController();
    const done = handle(message, controller.signal, opening).finally(() => running.delete(entry));
    const entry: Running = { message, controller, done };
    running.add(entry);
    // Later messages need what the server answers to it.
    if (message.kind === "request" && message.method === "initialize") opening = done;
  };

  const cancel = (id: Json | undefined): void => {
    for (const { message, controller } of running) {
      if (message.kind === "request" && message.id === id) controller.abort();
    }
  };

  return {
    receive(line) {
      if (line?.trim() === "") return;
      const message = line === null ? null : readMessage(line);
      if (message === null) return write(errorLine(null, codes.parseError, unreadable));
      // The server asks nothing.
      if (message.kind === "other" && message.isResponse) return;
      if (message.kind === "notification" && message.method === "notifications/cancelled") {
        // The closed connection tells the server; clients of the 2025 protocols tell it with a message, too.
        cancel(message.params.requestId);
        if (claimedVersion(message.params) !== null) return;
      }
      start(message);
    },
    async finish() {
      for (const { message, controller } of running) {
        if (message.kind === "request" && message.method === "subscriptions/listen") controller.abort();
      }
      await Promise.all([...running].map(({ done }) => done));
    },
  };
}

const unreadable =
  "The line is not a JSON text in UTF-8, or too long. Send one message of JSON-RPC 2.0 on each line.";
