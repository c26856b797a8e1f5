// Owns repeating an erasure in a restored database: a backup that is older than the erasure has the subject or the conversation again, and a
// receipt names its pseudonym.

import { Type } from "@sinclair/typebox";
import { Choice, Fields, Id } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import { eraseConversationIn, findHoldings } from "../conversations/erasure.ts";
import { eraseIn, erasureCounts, erasureReceipt, nothingErased } from "./erasure.ts";

export const repeatErasure = installationOperation({
  name: "subject.repeat_erasure",
  summary: "Repeat the erasure of a subject or a conversation",
  description:
    "Erases a subject or a conversation that was erased before, and that a restored backup contains again. Erases what the first erasure has erased, and a new record in the project says so.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({
    project: Id({ description: "Id of the project." }),
    subject: Id({ description: "Pseudonym of the subject or the conversation." }),
    record: Id({ description: "Id of the audit.redact record of the first erasure." }),
  }),
  output: Fields({
    result: Choice(["erased", "recorded", "absent"], {
      description:
        "erased: it was erased by this call; recorded: the ledger has the record of the first erasure, so nothing is left to erase; absent: there is no such subject or conversation.",
    }),
    ...erasureCounts,
    receipt: Type.Optional(erasureReceipt),
  }),

  async prepare({ project: id, subject: pseudonym, record }, preparation) {
    const { store } = preparation;
    const isRecorded = (await store.audit.place(record)) !== null;
    const project = isRecorded ? null : await store.access.findProject(id);
    if (project === null) return { isRecorded, subject: null, holdings: null };
    const subject = await store.subjects.findById(project, pseudonym);
    const named = subject === null ? await store.conversations.findById(project, pseudonym) : null;
    const owner = { project: id, subject: named?.subject?.id ?? null };
    const tools = { ...preparation, embed: null };
    const holdings = named === null ? null : await findHoldings(tools, owner, named.conversation);
    return { isRecorded, subject, holdings };
  },

  async apply(transaction, input, application, { isRecorded, subject, holdings }) {
    const project = { id: input.project };
    // False: another call has erased it meanwhile.
    if (subject !== null && (await transaction.subjects.open(project, subject))) {
      const { erasure, after } = await eraseIn(transaction, { project, subject, known: null }, application);
      return { data: { result: "erased" as const, ...erasure }, after };
    }
    if (holdings !== null && (await transaction.conversations.open(holdings.owner, holdings.conversation))) {
      const { erasure, after } = await eraseConversationIn(transaction, holdings, application);
      const { changed: _, ...counts } = erasure;
      return { data: { result: "erased" as const, ...counts }, after };
    }
    return { data: { result: isRecorded ? ("recorded" as const) : ("absent" as const), ...nothingErased } };
  },
});
