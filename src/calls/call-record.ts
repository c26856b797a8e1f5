// Owns the audit record of a call: numbers and identifiers in the entry, everything that may be personal in the payload.

import type { Cost } from "../access/price.ts";
import type { RecordDraft } from "../audit/record.ts";
import { isReserved } from "../audit/verify/own-records.ts";
import type { Subject } from "../memory/owner.ts";
import { attemptsMax } from "../memory/remembering/limits.ts";
import type { RememberedPart } from "../memory/remembering/task.ts";
import { successCode } from "../platform/errors.ts";
import type { Json, JsonObject } from "../platform/json/json.ts";
import type { Call, Origin } from "./contract/call.ts";
import type { PrecomputedEntry } from "./contract/exchange.ts";
import type { Operation } from "./contract/operation.ts";

/** The call of a record. */
export interface RecordedCall<Named = Operation> {
  readonly operation: Named;
  readonly call: Pick<
    Call,
    | "origin"
    | "token"
    | "memoryId"
    | "parameters"
    | "unreadableBody"
    | "unrecorded"
    | "recordId"
    | "subject"
    | "conversation"
    | "person"
  >;
  readonly body: JsonObject | null;
}

/** The outcome of a call, as its record has it. */
interface RecordedOutcome {
  readonly code: number;
  readonly message: string;
  /** The data of the answer; null for 204, for a file, and if the answer contains a secret or audit records. */
  readonly response: { readonly data: unknown } | null;
  /** Additional members of the record, beside request and answer. */
  readonly details: JsonObject;
}

/** The members of the entry that the outcome determines. */
export type Entry = Pick<
  RecordDraft,
  "id" | "action" | "status" | "code" | "memoryId" | "subject" | "conversation" | "isPerformed" | "numbers"
>;

interface EntryOutcome extends Pick<Entry, "status" | "code" | "memoryId"> {
  /** Besides those of every call. */
  readonly numbers?: PrecomputedEntry["numbers"];
}

/** The entry of the call's own record. */
export function entryOf(
  { operation, call }: RecordedCall<Pick<Operation, "name">>,
  { status, code, memoryId, numbers }: EntryOutcome,
  { credits, usd }: Cost,
  durationMs: number,
): Entry {
  return {
    id: call.recordId,
    action: operation.name,
    status,
    code,
    memoryId: memoryId ?? call.memoryId,
    subject: call.subject?.id ?? null,
    conversation: call.conversation?.id ?? null,
    isPerformed: !isReserved(operation.name),
    numbers: {
      duration: Math.max(0, Math.round(durationMs * 1000) / 1000),
      credits_consumed: credits,
      balance_consumed_usd: usd,
      is_cache_hit: false,
      ...numbers,
    },
  };
}

/** Reads nothing from the transaction, so it can run before it. */
export function payloadOf(
  {
    call: { origin, token, parameters, unreadableBody, unrecorded = [] },
    body,
  }: Pick<RecordedCall, "call" | "body">,
  { code, message, response, details }: RecordedOutcome,
): JsonObject {
  const isSuccess = code === successCode;
  return withoutNulls({
    ...describeOrigin(origin),
    token_id: token?.id ?? null,
    error_msg: isSuccess ? null : message,
    request_parameters: toParameters(parameters, unrecorded),
    request_body: body === null ? null : without(body, unrecorded),
    unreadable_body: unreadableBody === null ? null : { ...unreadableBody },
    response_body:
      response === null
        ? null
        : { success: isSuccess, code, message, data: (response.data ?? {}) as JsonObject },
    ...details,
  });
}

function toParameters(parameters: JsonObject | null, unrecorded: readonly string[]): JsonObject | null {
  const recorded = without(parameters ?? {}, unrecorded);
  return Object.keys(recorded).length === 0 ? null : recorded;
}

function without(body: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** As a record says it that a call leaves beside its own, of which no erasure of a person takes a part: it names no person. */
export function senderOf({ onBehalfOf: _, ...origin }: Origin): JsonObject {
  return withoutNulls(describeOrigin(origin));
}

/** Why the call was made, if it says so: in the query if the call has no body. */
export function reasonOf({ parameters }: Pick<Call, "parameters">, body: JsonObject | null): JsonObject {
  const reason = body?.reason ?? parameters?.reason ?? null;
  return typeof reason === "string" ? { reason } : {};
}

/** Calls over HTTP have only the address (or, on the local socket, the user of the machine), the user agent and the metadata. */
function describeOrigin({
  transport,
  ip,
  userAgent,
  client,
  metadata,
  administrator,
  administrationKey,
  session,
  performedFor,
  remembers,
  onBehalfOf,
}: Origin) {
  return {
    transport: transport === "http" ? null : transport,
    ip_address: ip,
    user_agent: userAgent,
    client_name: client,
    os_uid: administrator?.osUid ?? null,
    os_user: administrator?.osUser ?? null,
    sudo_user: administrator?.sudoUser ?? null,
    administration_key_id: administrationKey ?? null,
    session_id: session ?? null,
    performed_for: performedFor ?? null,
    on_behalf_of: onBehalfOf ?? null,
    remembers: remembers === undefined ? null : describePart(remembers),
    metadata,
  };
}

/** Parts and attempts are numbered from 1 on. */
function describePart({ record, part, parts, attempt, leftOutCharacters }: RememberedPart): JsonObject {
  return {
    record,
    part: part + 1,
    parts,
    attempt,
    attempts: attemptsMax,
    left_out_characters: leftOutCharacters,
  };
}

/** Pseudonyms of the subject and the conversation that the texts of a call's record are about. */
export function aboutOf({
  subject,
  conversation,
}: {
  readonly subject?: Pick<Subject, "id"> | null;
  readonly conversation?: Pick<Subject, "id"> | null;
}): readonly string[] {
  return [subject, conversation].flatMap((named) => (named ? [named.id] : []));
}

export function withoutNulls(fields: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
