// Owns the list of the conversations of a subject or of the project, and their form in the API.

import { type Static, Type } from "@sinclair/typebox";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { foreignCursor, nextCursor, pageSizeField } from "../../../platform/schema/page.ts";
import { Count, Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { ConversationSummary } from "../../storage/conversation-store.ts";

const pageSizeDefault = 100;
const pageSizeMax = 1_000;

export const conversationPlace = {
  cursor: Type.Optional(Type.String({ description: "next_cursor of the previous page." })),
  page_size: pageSizeField("Items of a page.", pageSizeDefault, pageSizeMax),
};

/** @returns what a storage engine is asked for */
export function toPageQuery({
  cursor,
  page_size: limit = pageSizeDefault,
}: {
  readonly cursor?: string;
  readonly page_size?: number;
}) {
  return { cursor: cursor ?? null, limit };
}

export const conversationFields = {
  conversation: conversationName,
  first_at: Timestamp({
    description: "When the first of these words was said; where nobody says it, when they were stored.",
  }),
  last_at: Timestamp({ description: "The same of the last of these words." }),
  passages: Count("Number of its passages."),
  kept: Count("Number of the memories that were extracted from it."),
};

const listedConversation = Fields(conversationFields, { title: "ListedConversation" });

export function toListed(summary: ConversationSummary): Static<typeof listedConversation> {
  const { name: conversation, firstAt, lastAt, passages, kept } = summary;
  return { conversation, first_at: toTimestamp(firstAt), last_at: toTimestamp(lastAt), passages, kept };
}

export const exampleConversation = {
  conversation: "chat-17",
  first_at: "2026-11-21T09:12:00.000Z",
  last_at: "2026-11-21T09:30:00.000Z",
  passages: 24,
  kept: 2,
};

export const listConversations = projectOperation({
  name: "conversation.list",
  summary: "List conversations",
  description:
    "Returns a page of the conversations in which words of memories were said, the latest first, each with the number of its passages and of the memories that were extracted from it. A conversation without memories is not listed.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  input: Fields(conversationPlace),
  output: Fields(
    { conversations: Type.Array(listedConversation), next_cursor: nextCursor },
    { title: "ConversationPage" },
  ),
  example: { input: {}, data: { conversations: [exampleConversation], next_cursor: null } },

  async prepare(input, { store, caller: { owner }, signal }) {
    const found = await store.conversations.list(owner, toPageQuery(input), signal);
    if (found === null) throw foreignCursor("subject");
    const data = { conversations: found.conversations.map(toListed), next_cursor: found.next };
    // The names would be in a record about none of them, which no erasure finds.
    return { precomputed: { data, recorded: {} }, prepared: null };
  },
});
