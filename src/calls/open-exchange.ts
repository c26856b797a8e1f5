// Owns what is committed of an exchange before anything is sent, and the record that the next start makes of it if the process ends before
// its own record: what was sent is known, and the outcome is not.

import type { Caller } from "../access/caller.ts";
import { encodeWithPrepared, leftOut, type PreparedMembers } from "../audit/parts/prepared-members.ts";
import type { RecordDraft } from "../audit/record.ts";
import { errorStatus } from "../platform/errors.ts";
import { isObject, type JsonObject, textIn } from "../platform/json/json.ts";
import { payloadOf } from "./call-record.ts";
import { bodyOf, type Call } from "./contract/call.ts";
import type { OpenExchange } from "./storage/open-exchange.ts";

const code = 1503;
const message =
  "The server ended before the answer was complete, so its outcome is unknown: the upstream may have received the request and answered it.";

/** Null for a call without an id or a key. */
export function toOpenExchange(
  call: Omit<Call, "decision">,
  details: JsonObject,
  kept: PreparedMembers,
): OpenExchange | null {
  const { recordId: record, keyId: key, operation: action } = call;
  if (record === undefined || key === null) return null;
  const outcome = { outcome: "unknown", answer: { end: "unknown" } };
  const recorded = { code, message, response: null, details: { ...details, ...outcome } };
  const payload = payloadOf({ call, body: bodyOf(call) }, recorded);
  const isCompressed = kept instanceof Uint8Array;
  const text = JSON.stringify(isCompressed ? payload : { ...payload, ...kept });
  const { subject = null, conversation = null } = call;
  return { record, key, action, subject, conversation, payload: text, kept: isCompressed ? kept : null };
}

/** Members that say who has sent the request and to whom it was passed on, not what was said. */
const facts: ReadonlySet<string> = new Set([
  "transport",
  "ip_address",
  "user_agent",
  "client_name",
  "model_id",
  "gateway_id",
  "error_msg",
  "outcome",
  "answer",
]);

/** Without everything in which an erased text could be. */
export function withoutContent<Open extends Pick<OpenExchange, "payload" | "kept">>(open: Open): Open {
  const payload: unknown = JSON.parse(open.payload);
  const members = isObject(payload) ? Object.entries(payload).filter(([name]) => facts.has(name)) : [];
  return {
    ...open,
    payload: JSON.stringify({ ...Object.fromEntries(members), left_out: leftOut }),
    kept: null,
  };
}

/** With pseudonyms instead of the subject and the conversation. */
export interface UnfinishedExchange extends Omit<OpenExchange, "subject" | "conversation"> {
  readonly subject: string | null;
  readonly conversation: string | null;
}

/** The name of the person whom the row of an exchange names; null: nobody, or it was removed because of an erasure. */
export function personIn({ payload }: Pick<OpenExchange, "payload">): string | null {
  const members: unknown = JSON.parse(payload);
  return isObject(members) ? textIn(members.on_behalf_of) : null;
}

/**
 * @param caller null: there is no such key any more, so the record belongs to the installation
 * @param person the pseudonym of the person; null: nobody is named
 */
export function toUnfinishedRecord(
  { record, key, action, subject, conversation, payload, kept }: UnfinishedExchange,
  caller: Caller | null,
  person: string | null,
  now: number,
): RecordDraft {
  return {
    id: record,
    project: caller?.project.id ?? null,
    now,
    action,
    status: errorStatus[code],
    code,
    keyId: caller === null ? null : key,
    memoryId: null,
    subject: caller === null ? null : subject,
    conversation: caller === null ? null : conversation,
    person,
    isPerformed: caller !== null,
    numbers: { duration: null, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false },
    payload: encodeWithPrepared(
      JSON.parse(payload),
      kept ?? {},
      [subject, conversation].filter((id) => id !== null),
      person,
    ),
  };
}
