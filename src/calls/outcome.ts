// Owns the outcome of a call: its answer and what its record says. The transaction determines the outcome, or it was prepared before
// (precomputed). Must never change data.

import { type Cost, free } from "../access/price.ts";
import { encodeWithSources, type MadeMemory, type MadeOfTexts } from "../audit/parts/made-of.ts";
import type { EncodedPayload } from "../audit/parts/parts.ts";
import { encodeAppendedPayload, encodePayload } from "../audit/parts/payload.ts";
import type { StoredRecord } from "../audit/record.ts";
import { parseEntry } from "../audit/verify/entry-parser.ts";
import { errorMeaning, successCode } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json/json.ts";
import { aboutOf, type Entry, entryOf, payloadOf, type RecordedCall, withoutNulls } from "./call-record.ts";
import { type Answer, type Refused, toData, toRefusalAnswer } from "./contract/answer.ts";
import type { Appended, Done, Precomputed } from "./contract/applied.ts";
import { bodyOf, type Call, type PrecomputedOutcome } from "./contract/call.ts";
import type { PrecomputedEntry } from "./contract/exchange.ts";
import type { Operation } from "./contract/operation.ts";
import type { AfterCommit, AnsweredCall, SettledCall } from "./storage/after-commit.ts";

/** What became of a call. */
export interface Settled {
  /** @param durationMs how long the call took */
  toEntry(durationMs: number): Entry;
  /** Of the record. */
  readonly payload: EncodedPayload;
  /** Memories whose rows are to say of what they were made. */
  readonly made: readonly MadeMemory[];
  /** What the engine does after the commit. */
  readonly after: readonly AfterCommit[];
  /** Null: the thread that prepared the call has the answer. */
  toAnswer(record: StoredRecord): Answer | null;
}

const message = "success";

/** @throws Error if the record cannot express the outcome */
export function succeed(
  recordedCall: RecordedCall,
  applied: Done<unknown> | Appended<unknown>,
  after: readonly AfterCommit[],
): Settled {
  if (!("record" in applied)) return settleDone(recordedCall, applied, after);
  const { payload: given, ...entry } = applied.record;
  // Besides what the client says of its operation, only the person for whom it says it.
  const { onBehalfOf = null } = recordedCall.call.origin;
  const payload = withoutNulls({ ...given, on_behalf_of: onBehalfOf });
  return {
    toEntry: () => ({
      ...entry,
      memoryId: null,
      subject: recordedCall.call.subject?.id ?? null,
      conversation: recordedCall.call.conversation?.id ?? null,
    }),
    payload: encodeAppendedPayload(payload, aboutOf(recordedCall.call), recordedCall.call.person?.id),
    made: [],
    after,
    toAnswer: (record) => ({
      status: recordedCall.operation.success,
      code: successCode,
      message,
      data: toData(applied.present(record, payload)),
    }),
  };
}

/** What `prepare` has precomputed becomes of the call. */
export function precompute(
  operation: Operation,
  call: Omit<Call, "decision">,
  { precomputed }: Precomputed<unknown, unknown>,
): PrecomputedOutcome {
  const { memoryId = null, after = [] } = precomputed;
  const { answer, payload } = settleDone({ operation, call, body: bodyOf(call) }, precomputed, after);
  return { answer, memoryId, payload, after };
}

/** The same for an exchange, whose record may be large. @param encode with what the exchange has kept */
export async function precomputeExchange(
  call: Omit<Call, "decision">,
  { precomputed: { details = {}, after = [] }, entry }: Precomputed<unknown, unknown>,
  encode: (payload: JsonObject) => EncodedPayload | Promise<EncodedPayload>,
): Promise<PrecomputedOutcome> {
  if (entry === undefined) throw new Error(`${call.operation} has precomputed no entry`);
  const { status, code } = entry;
  const answer = { status, code, message: code === successCode ? message : errorMeaning[code], data: null };
  const recorded = { code: successCode, message, response: null, details };
  const payload = await encode(payloadOf({ call, body: bodyOf(call) }, recorded));
  return { answer, memoryId: null, entry, payload, after };
}

/** What the record of a refused call has besides its entry. */
export function refusedPayload(
  recordedCall: Pick<RecordedCall, "call" | "body">,
  { code, message: reason, data, details }: Refused,
): JsonObject {
  return payloadOf(recordedCall, { code, message: reason, response: { data }, details: details ?? {} });
}

/** @param settled what `settle` made of the call, here or in another thread. */
export function withAnswer({ decision }: Call, { answer, after }: SettledCall): AnsweredCall {
  const precomputed = decision.refused === null ? decision.precomputed?.answer : null;
  const found = answer ?? precomputed ?? null;
  if (found === null) throw new Error("a call was confirmed that had precomputed no answer");
  return { answer: found, after };
}

/** @throws Error when nothing was precomputed. */
export function confirm(
  recordedCall: RecordedCall,
  precomputed: PrecomputedOutcome | undefined,
  after: readonly AfterCommit[],
): Settled {
  if (precomputed === undefined) throw new Error(`${recordedCall.operation.name} has precomputed nothing`);
  const { memoryId, entry } = precomputed;
  return {
    toEntry: toEntryOfSuccess(recordedCall, { memoryId, cost: free, ...entry }),
    payload: precomputed.payload,
    made: [],
    after: [...after, ...precomputed.after],
    toAnswer: () => precomputed.answer,
  };
}

function settleDone(
  recordedCall: RecordedCall,
  {
    data,
    recorded,
    file,
    memoryId,
    recordId,
    details = {},
    made = [],
    cost = free,
    status: other,
  }: Omit<Done<unknown>, "after">,
  after: readonly AfterCommit[],
): Settled & { readonly answer: Answer } {
  const { operation } = recordedCall;
  const status = other ?? operation.success;
  const hasData = operation.success !== 204 && file === undefined;
  const answer: Answer = {
    status,
    code: successCode,
    message,
    data: hasData ? toData(data) : null,
    file,
  };
  const response = hasData && keepsResponse(operation) ? { data: recorded ?? data } : null;
  return {
    toEntry: toEntryOfSuccess(recordedCall, { memoryId: memoryId ?? null, recordId, cost, status }),
    ...encodeMade(
      recordedCall,
      payloadOf(recordedCall, { code: successCode, message, response, details }),
      made,
    ),
    after,
    answer,
    toAnswer: () => answer,
  };
}

function encodeMade(
  { operation, call }: RecordedCall,
  payload: JsonObject,
  made: readonly MadeOfTexts[],
): Pick<Settled, "payload" | "made"> {
  const { recordId } = call;
  if (made.length === 0) return { payload: encodePayload(payload, aboutOf(call), call.person?.id), made: [] };
  if (recordId === undefined) throw new Error(`${operation.name} does not name its record`);
  return encodeWithSources(payload, recordId, made, aboutOf(call), call.person?.id);
}

interface Success extends Partial<PrecomputedEntry> {
  readonly memoryId: string | null;
  readonly recordId?: string | undefined;
  readonly cost: Cost;
}

function toEntryOfSuccess(
  recordedCall: RecordedCall,
  { cost, recordId, ...success }: Success,
): Settled["toEntry"] {
  const outcome = { status: recordedCall.operation.success, code: successCode, ...success };
  return (durationMs) => {
    const entry = entryOf(recordedCall, outcome, cost, durationMs);
    return recordId === undefined ? entry : { ...entry, id: recordId };
  };
}

/** A secret must not be recorded, and a log that contains its own answers would grow without limit. */
function keepsResponse(operation: Operation): boolean {
  const isSecret = operation.scope !== "project" && operation.secret;
  return !isSecret && operation.answersWithRecords !== true;
}

/**
 * @param recordedCall its operation may be a name only, if the caller was refused before the operation was known
 * @param encoded the payload, if it was encoded before the transaction
 */
export function refuse(
  recordedCall: RecordedCall<Pick<Operation, "name">>,
  refused: Refused,
  after: readonly AfterCommit[],
  encoded?: EncodedPayload,
): Settled {
  const { call } = recordedCall;
  const { code } = refused;
  const answer = toRefusalAnswer(refused);
  const outcome = { status: answer.status, code, memoryId: null };
  return {
    toEntry: (durationMs) => entryOf(recordedCall, outcome, free, durationMs),
    payload: encoded ?? encodePayload(refusedPayload(recordedCall, refused), aboutOf(call), call.person?.id),
    made: [],
    after,
    toAnswer: (record) => ({ ...answer, ...recordIdOf(record) }),
  };
}

function recordIdOf({ entry }: StoredRecord): Pick<Answer, "recordId"> {
  const recordId = parseEntry(entry)?.id;
  return recordId === undefined ? {} : { recordId };
}
