// Owns how one message reaches the server: with the headers that it needs, and again if it is not known whether the server performed it
// and that does not matter. Must never send again what may change something twice.

import { isObject, type Json } from "../../platform/json/json.ts";
import { mcpAttemptsMax } from "../../platform/limits.ts";
import type { Channel } from "../local-access/channel.ts";
import { OutcomeUnknown } from "../local-access/channel-failure.ts";
import { headersFor, type Negotiated } from "./headers.ts";
import type { ClientRequest, Message } from "./message.ts";
import { createRepeatable } from "./repeatable.ts";
import { sendMessage } from "./send-message.ts";

const path = "/mcp";

/**
 * Sends a message and passes on what the server says. Ends with the answer.
 * @throws OutcomeUnknown if the server may have performed it, else as sendMessage does
 */
type Deliver = (message: Message, signal: AbortSignal) => Promise<void>;

/** @param write gets each message of the server for the client, without a line break */
export function createDelivery(channel: Channel, write: (line: string) => void): Deliver {
  const repeatable = createRepeatable();
  let negotiated: Negotiated = { version: null, sessionId: null };

  /** Sends the message and passes the answer on. @throws as sendMessage does */
  const send = (message: Message, signal: AbortSignal): Promise<void> => {
    const named = message.kind === "other" ? null : message;
    const id = message.kind === "request" ? message.id : null;
    const headers = headersFor(named, negotiated);
    return sendMessage(
      channel,
      path,
      { text: message.text, headers, id, signal },
      (line, answer, received) => {
        if (named?.method === "initialize") negotiated = readNegotiated(answer, received);
        repeatable.learn(answer);
        // The answer to a notification has no reader.
        if (message.kind !== "notification") write(line);
      },
    );
  };

  /** Asks for the tools, with the version that the request names; nothing of it reaches the client. */
  const learnTools = async ({ params }: ClientRequest, signal: AbortSignal): Promise<void> => {
    const { progressToken: _, ...meta } = isObject(params._meta) ? params._meta : {};
    const request = { id: "memledger-tools", method: "tools/list", params: { _meta: meta } };
    const text = JSON.stringify({ jsonrpc: "2.0", ...request });
    const headers = headersFor(request, negotiated);
    await sendMessage(channel, path, { text, headers, id: request.id, signal }, (_line, answer) =>
      repeatable.learn(answer),
    );
  };

  const mayRepeat = async (message: Message, signal: AbortSignal): Promise<boolean> => {
    if (message.kind !== "request") return false;
    // Without the list, the tool stays unknown.
    if (repeatable.mayRepeat(message) === null) await learnTools(message, signal).catch(() => undefined);
    return repeatable.mayRepeat(message) === true;
  };

  return async (message, signal) => {
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
}

function readNegotiated(answer: Json, headers: Headers): Negotiated {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  const version = typeof result.protocolVersion === "string" ? result.protocolVersion : null;
  return { version, sessionId: headers.get("mcp-session-id") };
}
