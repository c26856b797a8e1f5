// Owns the erasure of a conversation at the request of a key. What is erased: erasure.ts.

import { Type } from "@sinclair/typebox";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { reasonText } from "../../../platform/schema/reason.ts";
import { Count, Fields, Flag } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { backups, listBackups } from "../subjects/erase.ts";
import { erasureCounts, erasureReceipt } from "../subjects/erasure.ts";
import { type ConversationHoldings, eraseConversationIn, findHoldings, heldRecords } from "./erasure.ts";

export const conversationCounts = {
  ...erasureCounts,
  memories: Count(
    "Memories with words of the conversation and of no other one: passages, and memories that were extracted from it.",
  ),
  changed: Count("Memories whose words were said elsewhere, too: they stay, without this origin."),
  checks: Count("Checks that expect one of the removed memories."),
  records: Count(
    "Audit records that name the conversation, show one of the removed memories, or repeat the words of one.",
  ),
};

export const nothingHeld = { memories: 0, changed: 0, checks: 0, records: 0, exports: 0 };

/** Of a dry run. */
export async function countHoldings(transaction: Transaction, holdings: ConversationHoldings) {
  const { removed, changed, conversation } = holdings;
  const naming = await transaction.conversations.held(conversation);
  const records = (await heldRecords(transaction, holdings, naming)).length;
  return { ...nothingHeld, memories: removed.length, changed: changed.length, records };
}

export const eraseConversation = projectOperation({
  name: "conversation.erase",
  summary: "Erase a conversation",
  description:
    "Permanently erases a conversation: its passages and the memories that were made from it, the parts of audit records that are about it, show one of these memories or repeat the words of one, exports that contain these records, and its name. A memory whose words were said in another conversation, too, stays without this origin, and what was said in other conversations stays in their records. Later calls with the same id are for a new conversation. The ledger still verifies; the answer is a receipt. A conversation that is not known has nothing to erase, so the call can be repeated. It reads the records of all calls for the same subject, so it may take minutes.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "subject.erase",
  forSubjects: "known",
  forConversations: "known",
  feature: "memory",
  mayRunLong: true,
  input: Fields({
    conversation: conversationName,
    dry_run: Flag("true: only count what would be erased.", false),
    reason: Type.Optional(reasonText),
  }),
  output: Fields(
    {
      erased: Type.Boolean({
        description: "Whether something was erased. false: a dry run, or nothing was there.",
      }),
      ...conversationCounts,
      backups,
      receipt: Type.Optional(erasureReceipt),
    },
    { title: "ConversationErasure" },
  ),
  example: {
    input: { conversation: "chat-17", dry_run: true },
    data: { erased: false, memories: 24, changed: 1, checks: 0, records: 6, exports: 0, backups: [] },
  },

  async prepare(_input, preparation) {
    const { caller, inTurn } = preparation;
    const { owner, conversation } = caller;
    const holdings =
      conversation === null ? null : await inTurn(() => findHoldings(preparation, owner, conversation));
    return { holdings, known: await listBackups(preparation) };
  },

  async apply(transaction, { dry_run: isDryRun = false }, prepared, { caller, now, sender }) {
    const { holdings, known } = prepared;
    if (holdings === null || caller.conversation === null)
      return { data: { erased: false, ...nothingHeld, backups: known } };
    if (isDryRun)
      return { data: { erased: false, ...(await countHoldings(transaction, holdings)), backups: known } };
    const { erasure, after } = await eraseConversationIn(transaction, holdings, { now, sender });
    return { data: { erased: true, ...erasure, backups: known }, after };
  },
});
