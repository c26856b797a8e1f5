// Owns the answers of the upstream that tests ask for by the name of the model: streams cut in every way, tools, structured outputs, errors
// of providers. Written by hand after the references of the APIs.

import { cut, eventStream, type PreparedAnswer, type ReceivedRequest } from "./fake-upstream.ts";
import { chatStream, completedResponse, event, messagesStream, responsesStream } from "./streams.ts";
import { chatAnswer, messageAnswer } from "./upstream-shapes.ts";

const json = (value: object, more: Omit<PreparedAnswer, "body"> = {}): PreparedAnswer => ({
  body: JSON.stringify(value),
  ...more,
});
const streamed = (text: string, length: number): PreparedAnswer => ({
  headers: { ...eventStream, "x-request-id": "req_stream", "openai-processing-ms": "12" },
  body: cut(text, length),
});

const limits = {
  "x-ratelimit-limit-requests": "60",
  "x-ratelimit-remaining-requests": "0",
  "x-ratelimit-reset-requests": "1s",
  "anthropic-ratelimit-requests-remaining": "0",
  "retry-after-ms": "1",
  "request-id": "req_limited",
};
const openAiError = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(
    { error: { message: `refused: ${code}`, type: "some_type", param: "messages", code } },
    { status, headers },
  );
const anthropicError = (status: number, type: string, headers: Record<string, string> = {}) =>
  json(
    { type: "error", error: { type, message: `refused: ${type}` }, request_id: "req_1" },
    { status, headers },
  );

const logprobs = {
  content: [
    {
      token: "Tue",
      logprob: -0.000012,
      bytes: [84, 117, 101],
      top_logprobs: [{ token: "Tue", logprob: -1.2e-5, bytes: [84, 117, 101] }],
    },
  ],
  refusal: null,
};

/** A whole answer of Chat Completions with everything that clients read of one, and with members that no client knows. */
const chatChoices = [
  {
    index: 0,
    message: {
      role: "assistant",
      content: '{"day":"Tuesday"}',
      refusal: null,
      annotations: [],
      x_extension: [1e-7],
    },
    logprobs,
    finish_reason: "stop",
  },
];
const tool = { id: "call_1", type: "function", function: { name: "look", arguments: '{"day":"Tue"}' } };
const toolChoices = [
  {
    index: 0,
    message: { role: "assistant", content: null, tool_calls: [tool] },
    logprobs: null,
    finish_reason: "tool_calls",
  },
];

const chatText = chatStream.join("");
const brokenOff = chatStream.slice(0, 5).join("");
const messagesText = messagesStream.join("");
const responsesText = responsesStream.join("");

/** By the name of the model. */
const answers: Readonly<Record<string, PreparedAnswer>> = {
  structured: json({ ...chatAnswer("structured", ""), choices: chatChoices, service_tier: "flex" }),
  tools: json({ ...chatAnswer("tools", ""), choices: toolChoices }),
  "chat-bytes": streamed(chatText, 1),
  "chat-chunks": streamed(chatText, 37),
  "chat-windows": streamed(chatText.replaceAll("\n", "\r\n"), 5),
  "chat-error": {
    ...streamed(
      `${brokenOff}${event({ error: { message: "overloaded", type: "server_error", code: null } })}`,
      64,
    ),
  },
  "chat-closed": { ...streamed(brokenOff, 64), end: "close" },
  "chat-malformed": streamed(`${brokenOff}data: {"choices": [\n\ndata: [DONE]\n\n`, 64),
  "responses-bytes": streamed(responsesText, 1),
  "responses-whole": json(completedResponse),
  "responses-failed": streamed(
    `${responsesStream.slice(0, 3).join("")}${event({ type: "error", code: "server_error", message: "broken", param: null, sequence_number: 9 }, "error")}`,
    64,
  ),
  "messages-bytes": streamed(messagesText, 1),
  "messages-whole": json({
    ...messageAnswer("messages-whole", "Auf Dienstag"),
    content: [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Auf Dienstag", citations: null },
      { type: "tool_use", id: "toolu_1", name: "look", input: { day: "Tue" } },
    ],
    stop_reason: "tool_use",
  }),
  "messages-error": streamed(
    `${messagesStream.slice(0, 6).join("")}${event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error")}`,
    64,
  ),
  "messages-closed": { ...streamed(messagesStream.slice(0, 6).join(""), 64), end: "close" },
  "openai-400": openAiError(400, "context_length_exceeded"),
  "openai-401": openAiError(401, "invalid_api_key"),
  "openai-429": openAiError(429, "rate_limit_exceeded", limits),
  "openai-500": openAiError(500, "server_error", { "retry-after-ms": "1" }),
  "openai-html": {
    status: 503,
    headers: { "Content-Type": "text/html", "retry-after-ms": "1" },
    body: "<h1>down</h1>",
  },
  "anthropic-400": anthropicError(400, "invalid_request_error"),
  "anthropic-413": anthropicError(413, "request_too_large"),
  "anthropic-429": anthropicError(429, "rate_limit_error", limits),
  "anthropic-529": anthropicError(529, "overloaded_error", { "retry-after-ms": "1" }),
};

/** Null: the upstream quotes what it was told. */
export function prepareByModel({ body }: ReceivedRequest): PreparedAnswer | null {
  const { model } = body.length === 0 ? { model: null } : JSON.parse(body.toString("utf8"));
  if (model === "endless") return { headers: eventStream, body: endless(), pauseMs: 1 };
  return Object.hasOwn(answers, model) ? (answers[model] ?? null) : null;
}

async function* endless(): AsyncIterable<Uint8Array> {
  const choice = { index: 0, delta: { content: "and " }, logprobs: null, finish_reason: null };
  const chunk = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "endless",
    choices: [choice],
  };
  while (true) yield Buffer.from(event(chunk));
}
