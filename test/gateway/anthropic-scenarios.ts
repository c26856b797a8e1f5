// Owns the uses of the official client `@anthropic-ai/sdk` that tests compare. The name of the model chooses the answer of the upstream.

import type Anthropic from "@anthropic-ai/sdk";
import { collected, type Scenario, settled } from "./client-scenarios.ts";

type Message = Anthropic.MessageParam;
const messages: Message[] = [{ role: "user", content: "When do we release?" }];
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC";
const withImage: Message[] = [
  {
    role: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
      { type: "text", text: "What is on it?", cache_control: { type: "ephemeral" } },
    ],
  },
];
const look: Anthropic.Tool = {
  name: "look",
  description: "Look a day up",
  input_schema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
};
const ask = (model: string) => ({ model, max_tokens: 1024, messages });
const refusal = (model: string): Scenario<Anthropic> => ({
  name: `an error of the provider: ${model}`,
  run: (client) => settled(() => client.messages.create(ask(model), { maxRetries: 0 })),
});

export const anthropicScenarios: readonly Scenario<Anthropic>[] = [
  { name: "a message", run: (client) => settled(() => client.messages.create(ask("plain"))) },
  {
    name: "a message with thinking and tools",
    run: (client) =>
      settled(() =>
        client.messages.create({
          ...ask("messages-whole"),
          system: [{ type: "text", text: "You help.", cache_control: { type: "ephemeral" } }],
          tools: [look],
        }),
      ),
  },
  {
    name: "an image",
    run: (client) =>
      settled(() => client.messages.create({ model: "plain", max_tokens: 10, messages: withImage })),
  },
  {
    name: "the answer to a call of a tool",
    run: (client) => {
      const loop: Message[] = [
        ...messages,
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { day: "Tue" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42" }] },
      ];
      return settled(() => client.messages.create({ ...ask("plain"), messages: loop, tools: [look] }));
    },
  },
  {
    name: "a stream",
    run: (client) => collected(() => client.messages.create({ ...ask("plain"), stream: true })),
  },
  {
    name: "a stream that is cut at every byte",
    run: (client) => collected(() => client.messages.create({ ...ask("messages-bytes"), stream: true })),
  },
  {
    name: "a stream that the client assembles",
    run: (client) =>
      settled(() => client.messages.stream({ ...ask("messages-bytes"), tools: [look] }).finalMessage()),
  },
  {
    name: "a stream that ends with an error",
    run: (client) => collected(() => client.messages.create({ ...ask("messages-error"), stream: true })),
  },
  {
    name: "a stream that the upstream cuts",
    run: (client) => collected(() => client.messages.create({ ...ask("messages-closed"), stream: true })),
  },
  {
    name: "the count of tokens",
    run: (client) => settled(() => client.messages.countTokens({ model: "plain", messages })),
  },
  ...["anthropic-400", "anthropic-413", "anthropic-429", "anthropic-529"].map(refusal),
  {
    name: "requests are repeated as the client decides",
    run: (client) => settled(() => client.messages.create(ask("anthropic-529"), { maxRetries: 2 })),
  },
];
