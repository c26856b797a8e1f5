// Owns giving the subject and the conversation of a call their pseudonyms, in its transaction.

import type { Caller } from "../access/caller.ts";
import type { Transaction } from "./storage/store.ts";

/** Creates those that are new. @returns whether both have the pseudonyms with which the call was prepared */
export async function openPseudonyms(
  { subjects, conversations }: Pick<Transaction, "subjects" | "conversations">,
  caller: Pick<Caller, "project" | "subject" | "owner" | "conversation"> | null,
): Promise<boolean> {
  if (caller === null) return true;
  const { project, subject, owner, conversation } = caller;
  if (subject !== null && !(await subjects.open(project, subject))) return false;
  return conversation === null || conversations.open(owner, conversation);
}
