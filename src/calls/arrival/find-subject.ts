// Owns whom a call is for: the subject that its key, a header or its input names, and the conversation; and the person for whom its client
// says that it acts. Decided once, before the call is prepared.

import { chooseSubject, isForSeveral } from "../../access/bound-subject.ts";
import { isOfMachineUser, machineUser } from "../../access/machine-user.ts";
import type { Extractors } from "../../memory/extraction/extractor.ts";
import type { Conversation, Subject } from "../../memory/owner.ts";
import { randomId, toId } from "../../platform/ids.ts";
import { conversationName } from "../../platform/schema/conversation-name.ts";
import { createParser, Fields } from "../../platform/schema/schema.ts";
import { subjectName } from "../../platform/schema/subject-name.ts";
import { toLabel } from "../../platform/text/label.ts";
import type { Call } from "../contract/call.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { SubjectReading } from "../contract/operation.ts";
import type { Request } from "../contract/request.ts";
import type { Store } from "../storage/store.ts";
import type { Authority } from "./identify.ts";
import type { Reading } from "./input.ts";

type ProjectAuthority = Extract<Authority, { readonly kind: "project" }>;

const parseHeader = createParser(Fields({ "Memledger-Subject": subjectName }));
const parseConversation = createParser(Fields({ "Memledger-Conversation": conversationName }));

/** Whom a call is for. `isRecorded`: the record of the call names it, too. */
export interface FoundSubject {
  readonly subject: Subject;
  readonly isRecorded: boolean;
}

interface SubjectTools extends Pick<SubjectReading, "gateway" | "bodies"> {
  readonly store: Pick<Store, "subjects" | "memories">;
  readonly extractors: Extractors;
}

/**
 * @param exchange of an operation that is one; null: of none
 * @returns null: the project itself
 * @throws Refusal 1400 or 1403, and what reading the body of an exchange throws
 */
export async function findSubject(
  tools: SubjectTools,
  authority: ProjectAuthority,
  request: Request,
  reading: Reading,
  exchange: Exchange | null,
): Promise<FoundSubject | null> {
  if (authority.operation.forSubjects === undefined) return null;
  const found = await findNamed(tools, authority, request, reading, exchange);
  const { kind } = request.credentials;
  const isNamed = found !== null && kind !== "caller" && kind !== "task";
  if (isNamed || !isOfMachineUser(authority.caller.key, found?.subject.name ?? null)) return found;
  return findMachineUser(tools, authority, reading.input ?? {});
}

async function findNamed(
  { store: { subjects }, gateway, bodies }: SubjectTools,
  { operation, caller }: ProjectAuthority,
  { credentials, subject: header = null, signal }: Request,
  reading: Reading,
  exchange: Exchange | null,
): Promise<FoundSubject | null> {
  // What the server does for a call is for whom the call is.
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

/**
 * The user of this machine, if the call has to do with its passages. All other calls are for the project, also those that keep something.
 * @returns null: the project itself
 */
async function findMachineUser(
  { store: { subjects, memories }, extractors }: SubjectTools,
  { operation: { passages }, caller: { project } }: ProjectAuthority,
  input: Readonly<Record<string, unknown>>,
): Promise<FoundSubject | null> {
  if (passages === undefined) return null;
  const known = await subjects.find(project, machineUser);
  const found = { subject: known ?? { id: randomId(), name: machineUser }, isRecorded: true };
  if (typeof passages === "object" && "stores" in passages)
    return passages.stores(input, extractors) ? found : null;
  if (known === null) return null;
  if (passages === "reads") return found;
  const owner = { project: project.id, subject: known.id };
  for (const text of passages.memories(input)) {
    const id = typeof text === "string" ? toId(text) : null;
    if (id !== null && (await memories.find(owner, id)) !== null) return found;
  }
  return null;
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
  const owner = { project: caller.project.id, subject: found?.subject.id ?? null };
  const isForOther = credentials.kind === "caller" || credentials.kind === "task";
  const known = isForOther ? caller.conversation : null;
  // What the user of this machine keeps of a conversation is the project's, and so is the conversation then.
  if (known !== null && caller.owner.subject === owner.subject)
    return { conversation: known, isRecorded: true };
  const isExchange = operation.exchange !== undefined;
  const inHeader = isExchange && header !== null ? readConversation(header) : null;
  const name = reading.input === null ? null : (known?.name ?? inHeader ?? reading.conversation);
  if (name === null) return null;
  const stored = await conversations.find(owner, name);
  const isNew =
    stored === null && forConversations === true && (reading.kept.bodyText !== null || isExchange);
  const isRecorded = (stored !== null || isNew) && found?.isRecorded !== false;
  return { conversation: stored ?? { id: randomId(), name }, isRecorded };
}

/** The person whom the origin names, with the pseudonym that its record will have unless another call gives the name one first. */
export async function findPerson(
  { subjects }: Pick<Store, "subjects">,
  { authority, call }: { readonly authority: Authority; readonly call: Pick<Call, "origin"> },
): Promise<Pick<Call, "person">> {
  const { onBehalfOf: name } = call.origin;
  if (name === undefined || authority.kind !== "project") return {};
  const known = await subjects.findPerson(authority.caller.project, name);
  return { person: known ?? { id: randomId(), name } };
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
