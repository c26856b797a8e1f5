// Owns giving the subject, the conversation and the person of a call their pseudonyms, in its transaction.

import type { Caller } from "../access/caller.ts";
import { randomId } from "../platform/ids.ts";
import type { Call } from "./contract/call.ts";
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

/**
 * The call with the pseudonym that the name of its person has now, also if another call has given it one, or if this call has erased the one
 * before. No person: it names none, or its record belongs to the installation.
 */
export async function withPerson<Named extends Pick<Call, "origin" | "person">>(
  { subjects }: Pick<Transaction, "subjects">,
  caller: Pick<Caller, "project"> | null,
  call: Named,
): Promise<Named> {
  const { onBehalfOf: name } = call.origin;
  const { person: _, ...rest } = call;
  if (name === undefined || caller === null) return rest as Named;
  const { id } = call.person ?? { id: randomId() };
  return { ...call, person: await subjects.openPerson(caller.project, { id, name }) };
}
