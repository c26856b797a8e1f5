// Owns whom a call is for: the subject that its key, a header or its input names, and the conversation. Decided once, before the call is prepared.

import { chooseSubject, isForSeveral } from "../access/bound-subject.ts";
import { randomId } from "../ids.ts";
import type { Conversation, Subject } from "../memory/owner.ts";
import { conversationName } from "../schema/conversation-name.ts";
import { createParser, Fields } from "../schema/schema.ts";
import { subjectName } from "../schema/subject-name.ts";
import type { Store } from "../storage/store.ts";
import { toLabel } from "../text/label.ts";
import type { Exchange } from "./exchange.ts";
import type { Authority } from "./identify.ts";
import type { Reading } from "./input.ts";
import type { SubjectReading } from "./operation.ts";
import type { Request } from "./request.ts";

type ProjectAuthority = Extract<Authority, { readonly kind: "project" }>;

const parseHeader = createParser(Fields({ "Memledger-Subject": subjectName }));
const parseConversation = createParser(Fields({ "Memledger-Conversation": conversationName }));

/** Whom a call is for. `isRecorded`: the record of the call names it, too. */
export interface FoundSubject {
  readonly subject: Subject;
  readonly isRecorded: boolean;
}

interface SubjectTools extends Pick<SubjectReading, "gateway" | "bodies"> {
  readonly store: Pick<Store, "subjects">;
}

/**
 * @param exchange of an operation that is one; null: of none
 * @returns null: the project itself
 * @throws Refusal 1400 or 1403, and what reading the body of an exchange throws
 */
export async function findSubject(
  { store: { subjects }, gateway, bodies }: SubjectTools,
  { operation, caller }: ProjectAuthority,
  { credentials, subject: header = null, signal }: Request,
  reading: Reading,
  exchange: Exchange | null,
): Promise<FoundSubject | null> {
  // What the server does for a call is for whom the call is.
  if (operation.forSubjects === undefined) return null;
  if (credentials.kind === "caller" || credentials.kind === "task")
    return caller.subject === null ? null : { subject: caller.subject, isRecorded: true };
  // Without a body it says nothing about anybody, such as a request for the list of models, which clients send by themselves.
  if (exchange?.method === "GET" && header === null && isForSeveral(caller)) return null;
  // The body of an exchange is for another server: what it says about its user does not contradict a header.
  const isInBody = exchange !== null && header === null && operation.readSubject !== undefined;
  const inBody = isInBody ? await operation.readSubject(exchange, { gateway, bodies, caller, signal }) : null;
  const name = chooseSubject(caller, {
    header: header === null ? null : readHeader(header),
    input: reading.input === null ? null : (inBody ?? reading.subject),
  });
  if (name === null) return null;
  if (caller.token !== undefined && caller.subject !== null)
    return { subject: caller.subject, isRecorded: true };
  const known = await subjects.find(caller.project, name);
  // The transaction stores a name that is not known, so that an erasure finds the record, unless the call says nothing about anybody.
  const saysSomething = reading.kept.bodyText !== null || operation.exchange !== undefined;
  const isRecorded = known !== null || (saysSomething && operation.forSubjects === true);
  return { subject: known ?? { id: randomId(), name }, isRecorded };
}

/** As FoundSubject. */
export interface FoundConversation {
  readonly conversation: Conversation;
  readonly isRecorded: boolean;
}

/**
 * @param found the subject; null: the project itself
 * @returns null: the call names none
 * @throws Refusal 1400
 */
export async function findConversation(
  { conversations }: Pick<Store, "conversations">,
  { operation, caller }: ProjectAuthority,
  { credentials, conversation: header = null }: Request,
  reading: Reading,
  found: FoundSubject | null,
): Promise<FoundConversation | null> {
  const { forConversations } = operation;
  if (forConversations === undefined) return null;
  const { conversation: known } = caller;
  const isForOther = credentials.kind === "caller" || credentials.kind === "task";
  if (isForOther && known !== null) return { conversation: known, isRecorded: true };
  const isExchange = operation.exchange !== undefined;
  const inHeader = isExchange && header !== null ? readConversation(header) : null;
  const name = reading.input === null ? null : (inHeader ?? reading.conversation);
  if (name === null) return null;
  const owner = { project: caller.project.id, subject: found?.subject.id ?? null };
  const stored = await conversations.find(owner, name);
  const isNew =
    stored === null && forConversations === true && (reading.kept.bodyText !== null || isExchange);
  const isRecorded = (stored !== null || isNew) && found?.isRecorded !== false;
  return { conversation: stored ?? { id: randomId(), name }, isRecorded };
}

/** @throws Refusal 1400 */
function readConversation(value: string): string {
  parseConversation({ "Memledger-Conversation": value });
  return toLabel(value);
}

/** @throws Refusal 1400 */
function readHeader(value: string): string {
  parseHeader({ "Memledger-Subject": value });
  return toLabel(value);
}
