// Owns reading a conversation as it was: its passages in their order, the memories from it, and the records that name it.

import { Type } from "@sinclair/typebox";
import { agentMemory, exampleMemory, toAgentMemory } from "../../../memory/memory.ts";
import { Refusal } from "../../../platform/errors.ts";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { foreignCursor, nextCursor } from "../../../platform/schema/page.ts";
import { Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import { describeList, firstPage, retentionFloor } from "../ledger/list.ts";
import { conversationFields, conversationPlace, exampleConversation, toListed, toPageQuery } from "./list.ts";

const keptMax = 500;
const recordsMax = 100;

const namingRecord = Fields(
  {
    id: Type.String({ description: "Audit record identifier." }),
    action: Type.String({ description: "Name of the operation." }),
    created_at: Timestamp({ description: "Time of the record." }),
  },
  { title: "NamingRecord" },
);

const made = Fields(
  {
    memories: Type.Array(agentMemory, {
      description: `The memories that were extracted from it, at most ${keptMax}, in the order in which their words were said; GET /v1/memories with conversation lists all of them.`,
    }),
    records: Type.Optional(
      Type.Array(namingRecord, {
        description: `The newest records of calls that named it, at most ${recordsMax}. Absent without the permission audit.read, and for keys of a subject.`,
      }),
    ),
  },
  { title: "MadeOfConversation", description: "What was made from the conversation." },
);

export const readConversation = projectOperation({
  name: "conversation.read",
  summary: "Read a conversation",
  description:
    "Returns a conversation as it was: a page of its passages in the order in which they were said, each with its origins, and the memories that were extracted from it. With the permission audit.read, also the newest records of calls that named it; GET /v1/audit/logs with conversation lists all of them.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  forConversations: "known",
  feature: "memory",
  refusals: [2109],
  input: Fields({ conversation: conversationName, ...conversationPlace }),
  output: Fields(
    {
      ...conversationFields,
      said: Type.Array(agentMemory, {
        description: "Its passages, in the order in which they were said.",
      }),
      next_cursor: nextCursor,
      made,
    },
    { title: "Conversation" },
  ),
  example: {
    input: { conversation: "chat-17" },
    data: {
      ...exampleConversation,
      said: [exampleMemory],
      next_cursor: null,
      made: { memories: [], records: [] },
    },
  },

  async prepare(input, preparation) {
    const { store, caller, signal } = preparation;
    const { owner, conversation } = caller;
    const query = { ...toPageQuery(input), keptMax };
    const found =
      conversation === null
        ? "absent"
        : await store.conversations.read(owner, conversation.name, query, signal);
    if (found === "absent") throw notFound;
    if (found === null) throw foreignCursor("conversation");
    const { summary, passages, kept, next } = found;
    const data = {
      ...toListed(summary),
      said: passages.map(toAgentMemory),
      next_cursor: next,
      made: { memories: kept.map(toAgentMemory), ...(await recordsOf(preparation)) },
    };
    return { precomputed: { data }, prepared: null };
  },
});

const notFound = new Refusal(
  2109,
  "There is no such conversation, or nothing of it is stored any more. List the conversations to find their ids.",
);

async function recordsOf({ store, caller, plan, now, signal }: Preparation) {
  const { key, project, owner, conversation } = caller;
  if (key.subject !== null || !key.permissions.includes("audit.read") || conversation === null) return {};
  const named = { subject: owner.subject, conversation: conversation.id, person: null };
  const { filter } = describeList({}, project.id, retentionFloor(plan, now), null, named);
  const page = await store.audit.list(project, { ...filter, ...firstPage(recordsMax) }, signal);
  const records = page.records.flatMap(({ entry }) => {
    const { id, action, at } = JSON.parse(entry);
    return { id: String(id), action: String(action), created_at: toTimestamp(Date.parse(at)) };
  });
  return { records };
}
