// Owns the uses of the official client `openai` that tests compare. The name of the model chooses the answer of the upstream.

import type OpenAI from "openai";
import { collected, type Scenario, settled } from "./client-scenarios.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;
const messages: Message[] = [
  { role: "system", content: "You help." },
  { role: "user", content: "When do we release?" },
];
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC";
const withImages: Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "What is on these?" },
      ...Array.from({ length: 3 }, () => ({ type: "image_url" as const, image_url: { url: pixel } })),
    ],
  },
];
const look = {
  type: "function" as const,
  function: {
    name: "look",
    description: "Look a day up",
    parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    strict: true,
  },
};
const schema = {
  type: "json_schema" as const,
  json_schema: {
    name: "day",
    strict: true,
    schema: {
      type: "object",
      properties: { day: { type: "string" } },
      required: ["day"],
      additionalProperties: false,
    },
  },
};

const chat = (model: string, more: object = {}) => ({ model, messages, ...more });
const streams = (name: string, model: string, more: object = {}): Scenario<OpenAI> => ({
  name,
  run: (client) =>
    collected(() => client.chat.completions.create({ ...chat(model), ...more, stream: true as const })),
});
const refusal = (model: string): Scenario<OpenAI> => ({
  name: `an error of the provider: ${model}`,
  run: (client) => settled(() => client.chat.completions.create(chat(model), { maxRetries: 0 })),
});

export const openAiScenarios: readonly Scenario<OpenAI>[] = [
  { name: "a chat", run: (client) => settled(() => client.chat.completions.create(chat("plain"))) },
  {
    name: "structured output and logprobs",
    run: (client) =>
      settled(() =>
        client.chat.completions.parse(
          chat("structured", { response_format: schema, logprobs: true, top_logprobs: 1 }),
        ),
      ),
  },
  {
    name: "tools",
    run: (client) =>
      settled(() => client.chat.completions.create(chat("tools", { tools: [look], tool_choice: "auto" }))),
  },
  {
    name: "images",
    run: (client) => settled(() => client.chat.completions.create({ model: "plain", messages: withImages })),
  },
  {
    name: "the answer to a call of a tool",
    run: (client) => {
      const tool_calls = [
        { id: "call_1", type: "function" as const, function: { name: "look", arguments: '{"day":"Tue"}' } },
      ];
      const loop: Message[] = [
        ...messages,
        { role: "assistant", content: null, tool_calls },
        { role: "tool", tool_call_id: "call_1", content: "42" },
      ];
      return settled(() => client.chat.completions.create({ model: "plain", messages: loop, tools: [look] }));
    },
  },
  {
    name: "status, headers and id of an answer",
    run: (client) =>
      settled(async () => {
        const { response, request_id } = await client.chat.completions
          .create({ ...chat("chat-chunks"), stream: true })
          .withResponse();
        await response.body?.cancel();
        return { status: response.status, request_id, took: response.headers.get("openai-processing-ms") };
      }),
  },
  streams("a stream", "plain"),
  streams("a stream with its usage", "plain", { stream_options: { include_usage: true } }),
  streams("a stream that is cut at every byte", "chat-bytes"),
  streams("a stream that is cut anywhere", "chat-chunks", { stream_options: { include_usage: true } }),
  streams("a stream with other line ends", "chat-windows", { stream_options: { include_usage: true } }),
  streams("a stream that ends with an error", "chat-error"),
  streams("a stream with malformed JSON", "chat-malformed"),
  streams("a stream that the upstream cuts", "chat-closed"),
  {
    name: "a stream that the client assembles",
    run: (client) => settled(() => client.chat.completions.stream(chat("chat-bytes")).finalChatCompletion()),
  },
  {
    name: "a response",
    run: (client) => settled(() => client.responses.create({ model: "responses-whole", input: "When?" })),
  },
  {
    name: "a response with instructions and items",
    run: (client) =>
      settled(() =>
        client.responses.create({
          model: "plain",
          instructions: "You help.",
          input: [
            { role: "user", content: [{ type: "input_text", text: "When do we release?" }] },
            { role: "assistant", content: "On Tuesdays." },
            { role: "user", content: "And the app?" },
          ],
          store: false,
        }),
      ),
  },
  {
    name: "a stream of a response that is cut at every byte",
    run: (client) =>
      collected(() => client.responses.create({ model: "responses-bytes", input: "When?", stream: true })),
  },
  {
    name: "a stream of a response that fails",
    run: (client) =>
      collected(() => client.responses.create({ model: "responses-failed", input: "When?", stream: true })),
  },
  {
    name: "embeddings of the upstream",
    run: (client) =>
      settled(() => client.embeddings.create({ model: "other", input: ["one"], encoding_format: "float" })),
  },
  ...["openai-400", "openai-401", "openai-429", "openai-500", "openai-html"].map(refusal),
  {
    name: "requests are repeated as the client decides",
    run: (client) => settled(() => client.chat.completions.create(chat("openai-429"), { maxRetries: 2 })),
  },
];
