// Owns the table of the chat APIs.

import { chatDialect } from "./chat.ts";
import type { Dialect, DialectName } from "./dialect.ts";
import { messagesDialect } from "./messages.ts";
import { responsesDialect } from "./responses.ts";

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  chat: chatDialect,
  responses: responsesDialect,
  messages: messagesDialect,
};
