// Owns the erasure of a conversation at the request of an administrator of the machine, who has no API key. What is erased: erasure.ts.

import { Type } from "@sinclair/typebox";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { conversationName } from "../../../platform/schema/conversation-name.ts";
import { Fields, Flag, Text } from "../../../platform/schema/schema.ts";
import { subjectName } from "../../../platform/schema/subject-name.ts";
import { installationOperation } from "../../contract/operation.ts";
import { requireProject, unknownProject } from "../access/require-project.ts";
import { findPseudonyms } from "../ledger/named-subject.ts";
import { erasureReceipt } from "../subjects/erasure.ts";
import { conversationCounts, countHoldings, nothingHeld } from "./erase.ts";
import { eraseConversationIn, findHoldings } from "./erasure.ts";

export const eraseConversationOf = installationOperation({
  name: "project.erase_conversation",
  summary: "Erase a conversation of a project",
  description:
    "Permanently erases a conversation of a project or of one of its subjects, as conversation.erase does. A memory that was said elsewhere, too, keeps its embedding.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  unrecorded: ["subject", "conversation"],
  input: Fields({
    project: Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." }),
    subject: Type.Optional(subjectName),
    conversation: conversationName,
    dry_run: Flag("true: only count what would be erased.", false),
  }),
  output: Fields({
    erased: Type.Boolean({
      description: "Whether something was erased. false: a dry run, or nothing was there.",
    }),
    ...conversationCounts,
    receipt: Type.Optional(erasureReceipt),
  }),

  async prepare({ project: idOrName, ...names }, preparation) {
    const { store } = preparation;
    const project = await store.access.findProject(idOrName);
    if (project === null) throw unknownProject(idOrName);
    const { subject, conversation } = await findPseudonyms(store, project, names);
    const known = conversation && (await store.conversations.findById(project, conversation));
    const owner = { project: project.id, subject };
    // A random pseudonym of a name that is not known has no row.
    return known ? findHoldings({ ...preparation, embed: null }, owner, known.conversation) : null;
  },

  async apply(transaction, { project, dry_run: isDryRun = false }, application, holdings) {
    await requireProject(transaction, project);
    const isKnown =
      holdings !== null && (await transaction.conversations.open(holdings.owner, holdings.conversation));
    if (!isKnown) return { data: { erased: false, ...nothingHeld } };
    if (isDryRun) return { data: { erased: false, ...(await countHoldings(transaction, holdings)) } };
    const { erasure, after } = await eraseConversationIn(transaction, holdings, application);
    return { data: { erased: true, ...erasure }, after };
  },
});
