// Owns the schema of the names of conversations.

import { conversationIdMaxCharacters } from "../limits.ts";
import { dotSegments, Label } from "./schema.ts";

/** The id of a conversation is a name that the client has chosen. Its canonical form is that of a label. */
export const conversationName = Label({
  maxLength: conversationIdMaxCharacters,
  not: dotSegments,
  description: "Id of the conversation, as the client names it.",
  examples: ["chat-17"],
});
