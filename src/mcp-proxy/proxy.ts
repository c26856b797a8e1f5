// Owns the traffic of one client on stdin and stdout: each message goes to the server, and what the server says goes to the client. Must
// never write anything to the client that is no message of JSON-RPC, and knows no tool.

import { isObject, type Json } from "../json/json.ts";
import { mcpAttemptsMax } from "../limits.ts";
import type { Channel } from "../local-access/channel.ts";
import { OutcomeUnknown } from "../local-access/channel-failure.ts";
import { exchange } from "./exchange.ts";
import { codes, describe, errorLine, failureLine } from "./failure.ts";
import { headersFor, type Negotiated } from "./headers.ts";
import type { InputLine } from "./input-lines.ts";
import { type ClientRequest, claimedVersion, type Message, readMessage } from "./message.ts";
import { createRepeatable } from "./repeatable.ts";

const path = "/mcp";

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
  const repeatable = createRepeatable();
  let negotiated: Negotiated = { version: null, sessionId: null };
  let opening: Promise<void> = Promise.resolve();

  /** Sends the message and passes the answer on. @throws as exchange does */
  const send = (message: Message, signal: AbortSignal): Promise<void> => {
    const named = message.kind === "other" ? null : message;
    const id = message.kind === "request" ? message.id : null;
    const headers = headersFor(named, negotiated);
    return exchange(channel, path, { text: message.text, headers, id, signal }, (line, answer, received) => {
      if (named?.method === "initialize") negotiated = readNegotiated(answer, received);
      repeatable.learn(answer);
      // The answer to a notification has no reader.
      if (message.kind !== "notification") write(line);
    });
  };

  /** Asks for the tools, with the version that the request names; nothing of it reaches the client. */
  const learnTools = async ({ params }: ClientRequest, signal: AbortSignal): Promise<void> => {
    const { progressToken: _, ...meta } = isObject(params._meta) ? params._meta : {};
    const request = { id: "memledger-tools", method: "tools/list", params: { _meta: meta } };
    const text = JSON.stringify({ jsonrpc: "2.0", ...request });
    const headers = headersFor(request, negotiated);
    await exchange(channel, path, { text, headers, id: request.id, signal }, (_line, answer) =>
      repeatable.learn(answer),
    );
  };

  const mayRepeat = async (message: Message, signal: AbortSignal): Promise<boolean> => {
    if (message.kind !== "request") return false;
    // Without the list, the tool stays unknown.
    if (repeatable.mayRepeat(message) === null) await learnTools(message, signal).catch(() => undefined);
    return repeatable.mayRepeat(message) === true;
  };

  /** As send. Sends again what changes nothing more when it is performed twice. */
  const sendRepeatedly = async (message: Message, signal: AbortSignal): Promise<void> => {
    let unknown: OutcomeUnknown | null = null;
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(message, signal);
      } catch (error) {
        // The server may have performed an earlier attempt, even if this one was not sent.
        if (!(error instanceof OutcomeUnknown)) throw unknown ?? error;
        unknown = error;
        if (attempt === mcpAttemptsMax || !(await mayRepeat(message, signal))) throw error;
      }
    }
  };

  const handle = async (message: Message, signal: AbortSignal, ready: Promise<void>): Promise<void> => {
    await ready;
    if (signal.aborted) return;
    try {
      await sendRepeatedly(message, signal);
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

function readNegotiated(answer: Json, headers: Headers): Negotiated {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  const version = typeof result.protocolVersion === "string" ? result.protocolVersion : null;
  return { version, sessionId: headers.get("mcp-session-id") };
}
