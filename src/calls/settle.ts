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
import type { AfterCommit, SettledCall } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import {
  type Answer,
  type Refused,
  type ReportFailure,
  toData,
  toRefusalAnswer,
  toRefused,
} from "./answer.ts";
import { bodyOf, type Call } from "./call.ts";
import { type Settled, toRecordDraft } from "./call-record.ts";
import type { Application, Applied, Declined, Operation } from "./operation.ts";
import { findOperation } from "./operations.ts";

export interface Settlement {
  readonly clock: Clock;
  readonly plans: Plans;
  readonly report: ReportFailure;
  /** Whether an error means that the whole transaction is gone, not only this call. */
  isLost(error: unknown): boolean;
}

/** @throws what Transaction.lock throws; else when the record cannot be appended or the transaction is lost. The engine then answers 1503. */
export async function settle(
  transaction: Transaction,
  call: Call,
  settlement: Settlement,
): Promise<SettledCall> {
  const operation = findOperation(call.operation);
  if (operation === undefined) throw new Error(`no operation is named ${call.operation}`);
  const now = settlement.clock.now();
  const caller = await transaction.lock(call.keyId);
  const body = bodyOf(call);
  const settled = await decide(transaction, call, body, operation, caller, now, settlement);
  const clock = { now, elapsed: settlement.clock.elapsed() };
  const draft = toRecordDraft(call, body, operation, caller, settled, clock);
  const entry = await transaction.audit.append(draft);
  const { salt, text } = draft.payload;
  const record: StoredRecord = { ...entry, salt, payload: text, removal: null };
  return { answer: settled.toAnswer(record), after: settled.after };
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
  if (decision.refused !== null) return refuse(decision.refused, []);
  const after: AfterCommit[] = [];
  try {
    const applied = await transaction.attempt(async () => {
      const input = { ...body, ...decision.parameters };
      const application = { now, plans: settlement.plans };
      const result = await apply(
        transaction,
        operation,
        caller,
        input,
        decision.prepared,
        application,
        after,
      );
      after.push(...(result.after ?? []));
      if ("refusal" in result) throw result.refusal;
      return result;
    });
    return succeed(operation, applied, after);
  } catch (error) {
    if (settlement.isLost(error)) throw error;
    return refuse(toRefused(error, settlement.report), after);
  }
}

async function apply(
  transaction: Transaction,
  operation: Operation,
  caller: Caller | null,
  input: Readonly<Record<string, unknown>>,
  prepared: unknown,
  application: Application,
  after: AfterCommit[],
): Promise<Applied<unknown>> {
  if (operation.scope === "installation") return operation.apply(transaction, input, application, prepared);
  if (caller === null) throw new Refusal(1401, "The API key does not exist any more. Ask for a new one.");
  const { now } = application;
  const plan = planOf(caller.project, application.plans);
  authorise(operation, caller, plan, now);
  after.push({ effect: "touch_key", keyId: caller.key.id, at: now });
  return operation.apply(transaction, input, prepared, { ...application, caller, plan });
}

function succeed(
  operation: Operation,
  applied: Exclude<Applied<unknown>, Declined>,
  after: readonly AfterCommit[],
): Settled {
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
      after,
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
    after,
    recordedResponse:
      hasData && keepsResponse(operation) ? toRecordedResponse(successCode, message, data) : null,
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
};

/** A secret belongs in no record, and a log that contains its own answers would grow without end. */
function keepsResponse(operation: Operation): boolean {
  return operation.scope === "installation" ? !operation.secret : operation.answersWithRecords !== true;
}

function refuse(refused: Refused, after: readonly AfterCommit[]): Settled {
  const { code, message, data, details } = refused;
  const answer = toRefusalAnswer(refused);
  return {
    code,
    message,
    status: answer.status,
    memoryId: null,
    cost: free,
    appended: null,
    after,
    details: details ?? {},
    recordedResponse: toRecordedResponse(code, message, data),
    toAnswer: () => answer,
  };
}

function toRecordedResponse(code: number, message: string, data: unknown): JsonObject {
  return { success: code === successCode, code, message, data: (data ?? {}) as JsonObject };
}
