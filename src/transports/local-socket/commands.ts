// Owns the commands of this machine on the local socket: `POST /<operation>` with a JSON body, in the form of version 0.1.0.
// Adds no rule to the operations.

import { type Answer, toRefusalAnswer } from "../../calls/contract/answer.ts";
import { findOperation } from "../../calls/operations.ts";
import type { Perform } from "../../calls/perform.ts";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { JsonFault, parseJson } from "../../platform/json/json-text.ts";
import { bodyMaxBytes } from "../../platform/limits.ts";
import { serverItself } from "../../platform/scheduling/fair-queue.ts";
import { callerHeader, malformedCaller, readCaller } from "./local-caller.ts";
import { printReply } from "./reply.ts";

export async function answerCommand(request: Request, perform: Perform): Promise<Response> {
  const answered = await performNamed(request, perform);
  return new Response(printReply(answered), {
    status: answered.status,
    headers: { "Content-Type": "application/json" },
  });
}

async function performNamed(request: Request, perform: Perform): Promise<Answer> {
  // With a malformed Host header, the URL cannot be parsed.
  const operation = findOperation(URL.parse(request.url)?.pathname.slice(1) ?? "");
  if (request.method !== "POST" || operation?.scope !== "installation") {
    return refuse(
      1404,
      "The running server does not support this command. Restart the server with the version of this command.",
    );
  }
  const caller = readCaller(request.headers.get(callerHeader));
  if (caller === null) return refuse(1400, malformedCaller);
  const fields = await readBody(request);
  if (typeof fields === "string") return refuse(1400, fields);
  const { administrator, client } = caller;
  const { answer } = await perform(operation, {
    credentials: { kind: "administration", administrator },
    input: { kind: "object", fields },
    origin: { transport: "cli", ip: null, userAgent: null, client, metadata: null },
    signal: serverItself.signal,
  });
  return answer;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The body, or its fault as a message. */
async function readBody(request: Request): Promise<JsonObject | string> {
  try {
    const bytes = await receive(request);
    if (bytes === null) return `The body has more than ${bodyMaxBytes} bytes. Send a smaller one.`;
    const input = parseJson(utf8.decode(bytes));
    return isObject(input) ? input : "The body must be a JSON object.";
  } catch (error) {
    if (error instanceof TypeError) return "The body is not valid UTF-8. Send the command again.";
    if (!(error instanceof JsonFault)) return "The body ended early. Send the command again.";
    return error.describe();
  }
}

/** Null: too large. */
async function receive({ body }: Request): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > bodyMaxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function refuse(code: 1400 | 1404, message: string): Answer {
  return toRefusalAnswer({ code, message, data: {} });
}
