// Owns the second half of every call: inside one transaction, apply the change and append its audit record.
// Nothing commits without its record, and a refused or failed call leaves its record alone.

import { authorise } from "../access/authorise.ts";
import type { Caller } from "../access/caller.ts";
import { free } from "../access/credits.ts";
import type { Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import type { StoredRecord } from "../audit/record.ts";
import type { Clock } from "../clock.ts";
import { Refusal, successCode } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import type { Transaction } from "../storage/store.ts";
import { type Answer, internalFailure, type Refused, toData, toRefusalAnswer } from "./answer.ts";
import { bodyOf, type Call } from "./call.ts";
import { type Settled, toRecordDraft } from "./call-record.ts";
import type { Applied, Operation } from "./operation.ts";
import { findOperation } from "./operations.ts";

export interface Settlement {
  readonly clock: Clock;
  readonly plans: Plans;
  /** Told of errors that are nobody's refusal; the caller sees 1500 and the incident only. */
  report(incident: string, error: unknown): void;
  /** Whether an error means that the whole transaction is gone, not only this call. */
  isLost(error: unknown): boolean;
}

/** @throws when the record cannot be appended or the transaction is lost; the engine then answers 1503. */
export async function settle(transaction: Transaction, call: Call, settlement: Settlement): Promise<Answer> {
  const operation = findOperation(call.operation);
  if (operation === undefined) throw new Error(`no operation is named ${call.operation}`);
  const now = settlement.clock.now();
  const caller = call.keyId === null ? null : await transaction.access.findCaller(call.keyId);
  const body = bodyOf(call);
  const settled = await decide(transaction, call, body, operation, caller, now, settlement);
  const clock = { now, elapsed: settlement.clock.elapsed() };
  const record = await transaction.audit.append(toRecordDraft(call, body, operation, caller, settled, clock));
  return settled.toAnswer(record);
}

async function decide(
  transaction: Transaction,
  call: Call,
  body: JsonObject | null,
  operation: Operation,
  caller: Caller | null,
  now: number,
  settlement: Settlement,
): Promise<Settled> {
  const { decision } = call;
  if (decision.refused !== null) return refuse(decision.refused);
  try {
    const applied = await transaction.attempt(() =>
      apply(
        transaction,
        operation,
        caller,
        { ...body, ...decision.parameters },
        decision.prepared,
        now,
        settlement.plans,
      ),
    );
    return succeed(operation, applied);
  } catch (error) {
    if (settlement.isLost(error)) throw error;
    if (error instanceof Refusal) return refuse(error);
    const incident = crypto.randomUUID();
    settlement.report(incident, error);
    return refuse(internalFailure(incident));
  }
}

async function apply(
  transaction: Transaction,
  operation: Operation,
  caller: Caller | null,
  input: Readonly<Record<string, unknown>>,
  prepared: unknown,
  now: number,
  plans: Plans,
): Promise<Applied<unknown>> {
  if (operation.feature === "installation")
    return operation.apply(transaction, input, { now, plans }, prepared);
  if (caller === null) throw new Refusal(1401, "The API key does not exist any more. Ask for a new one.");
  const plan = planOf(caller.project, plans);
  authorise(operation, caller, plan, now);
  transaction.access.touchKey(caller.key.id, now);
  return operation.apply(transaction, input, prepared, { now, plans, caller, plan });
}

function succeed(operation: Operation, applied: Applied<unknown>): Settled {
  const { message } = success;
  if ("record" in applied) {
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
      toAnswer,
    };
  }
  const { data, file, memoryId = null, details = {}, cost = free } = applied;
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
    memoryId,
    details,
    cost,
    recordedResponse:
      hasData && keepsResponse(operation) ? toRecordedResponse(successCode, message, data) : null,
    toAnswer: () => answer,
  };
}

const success = {
  ...{ code: successCode, message: "success", memoryId: null, details: {}, cost: free, appended: null },
};

/** A secret belongs in no record, and a log that contains its own answers would grow without end. */
function keepsResponse(operation: Operation): boolean {
  return operation.feature === "installation" ? !operation.secret : operation.answersWithRecords !== true;
}

function refuse(refused: Refused): Settled {
  const { code, message, data, details } = refused;
  const answer = toRefusalAnswer(refused);
  return {
    ...{ code, message, status: answer.status, memoryId: null, cost: free, appended: null },
    details: details ?? {},
    recordedResponse: toRecordedResponse(code, message, data),
    toAnswer: () => answer,
  };
}

function toRecordedResponse(code: number, message: string, data: unknown): JsonObject {
  return { success: code === successCode, code, message, data: (data ?? {}) as JsonObject };
}
