// Owns the operations of the gateway with a conversation: one for each path of the APIs that clients speak.

import { conversationOperation, countingOperation } from "./conversation-operation.ts";

const passedOn =
  "Request and answer are those of the upstream, byte for byte, with memories of the project put into the request.";
const messages = [{ role: "user", content: "When does the contract end?" }];

export const completeChat = conversationOperation({
  name: "gateway.chat",
  dialect: "chat",
  summary: "Complete a chat",
  description: `OpenAI Chat Completions. ${passedOn}`,
  exampleBody: { model: "llama-3.3-70b", messages, stream: true },
});

export const createResponse = conversationOperation({
  name: "gateway.responses",
  dialect: "responses",
  summary: "Create a response",
  description: `OpenAI Responses. ${passedOn}`,
  exampleBody: { model: "gpt-5", input: "When does the contract end?" },
});

export const createMessage = conversationOperation({
  name: "gateway.messages",
  dialect: "messages",
  summary: "Create a message",
  description: `Anthropic Messages. ${passedOn}`,
  exampleBody: { model: "claude-opus-4-5", max_tokens: 1024, messages },
});

export const countTokens = countingOperation({
  name: "gateway.count_tokens",
  dialect: "messages",
  summary: "Count the tokens of a message",
  description: `The counting of Anthropic Messages. ${passedOn}`,
  exampleBody: { model: "claude-opus-4-5", messages },
});
