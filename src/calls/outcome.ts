// Owns the outcome of a call: its answer and the contents of its record. The transaction determines the outcome, or it was prepared before
// (foreseen). Must never change data.

import { free } from "../access/credits.ts";
import { sealPayload } from "../audit/payload.ts";
import type { StoredRecord } from "../audit/record.ts";
import { successCode } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import type { AfterCommit, AnsweredCall, SettledCall } from "../storage/after-commit.ts";
import { type Answer, type Refused, toData, toRefusalAnswer } from "./answer.ts";
import { bodyOf, type Call, type ForeseenOutcome } from "./call.ts";
import { payloadOf, type Settled } from "./call-record.ts";
import type { Appended, Done, Foreseen, Operation } from "./operation.ts";

export function succeed(
  operation: Operation,
  applied: Done<unknown> | Appended<unknown>,
  after: readonly AfterCommit[],
): Settled {
  if (!("record" in applied)) return settleDone(operation, applied, after);
  const { message } = success;
  const toAnswer = (record: StoredRecord): Answer => ({
    status: operation.success,
    code: successCode,
    message,
    data: toData(applied.present(record)),
  });
  return {
    ...success,
    status: operation.success,
    recordedResponse: null,
    appended: applied.record,
    after,
    toAnswer,
  };
}

/** What `prepare` has foreseen becomes of the call. */
export function foresee(
  operation: Operation,
  call: Pick<Call, "origin" | "parameters" | "unreadableBody" | "bodyText">,
  { foreseen }: Foreseen<unknown, unknown>,
): ForeseenOutcome {
  const settled = settleDone(operation, foreseen, foreseen.after ?? []);
  const { salt, hash, compressed } = sealPayload(payloadOf(call, bodyOf(call), settled));
  const { memoryId, after } = settled;
  return { answer: settled.answer, memoryId, payload: { salt, hash, compressed }, after };
}

/** @param settled what `settle` made of the call, here or in another thread. */
export function withAnswer({ decision }: Call, { answer, after }: SettledCall): AnsweredCall {
  const foreseen = decision.refused === null ? decision.foreseen?.answer : null;
  const found = answer ?? foreseen ?? null;
  if (found === null) throw new Error("a call was confirmed that had foreseen no answer");
  return { answer: found, after };
}

/** @throws Error when nothing was foreseen. */
export function confirm(
  operation: Operation,
  foreseen: ForeseenOutcome | undefined,
  after: readonly AfterCommit[],
): Settled {
  if (foreseen === undefined) throw new Error(`${operation.name} has foreseen nothing`);
  return {
    ...success,
    status: operation.success,
    memoryId: foreseen.memoryId,
    recordedResponse: null,
    sealed: foreseen.payload,
    after: [...after, ...foreseen.after],
    toAnswer: () => foreseen.answer,
  };
}

function settleDone(
  operation: Operation,
  { data, file, memoryId, details = {}, cost = free }: Done<unknown>,
  after: readonly AfterCommit[],
): Settled & { readonly answer: Answer } {
  const { message } = success;
  const hasData = operation.success !== 204 && file === undefined;
  const answer: Answer = {
    status: operation.success,
    code: successCode,
    message,
    data: hasData ? toData(data) : null,
    file,
  };
  return {
    ...success,
    status: operation.success,
    memoryId: memoryId ?? null,
    details,
    cost,
    after,
    recordedResponse:
      hasData && keepsResponse(operation) ? toRecordedResponse(successCode, message, data) : null,
    answer,
    toAnswer: () => answer,
  };
}

const success = {
  code: successCode,
  message: "success",
  memoryId: null,
  details: {},
  cost: free,
  appended: null,
  sealed: null,
};

/** A secret must not be recorded, and a log that contains its own answers would grow without limit. */
function keepsResponse(operation: Operation): boolean {
  return operation.scope === "installation" ? !operation.secret : operation.answersWithRecords !== true;
}

export function refuse(refused: Refused, after: readonly AfterCommit[]): Settled {
  const { code, message, data, details } = refused;
  const answer = toRefusalAnswer(refused);
  return {
    code,
    message,
    status: answer.status,
    memoryId: null,
    cost: free,
    appended: null,
    sealed: null,
    after,
    details: details ?? {},
    recordedResponse: toRecordedResponse(code, message, data),
    toAnswer: () => answer,
  };
}

function toRecordedResponse(code: number, message: string, data: unknown): JsonObject {
  return { success: code === successCode, code, message, data: (data ?? {}) as JsonObject };
}
