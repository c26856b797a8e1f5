// Owns the second half of every call: inside one transaction, apply the change and append its audit record.
// Nothing commits without its record, and a refused or failed call leaves its record alone.

import { authorise } from "../access/authorise.ts";
import type { Caller } from "../access/caller.ts";
import type { Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import { sealPayload } from "../audit/payload.ts";
import type { StoredRecord } from "../audit/record.ts";
import type { Clock } from "../clock.ts";
import { Refusal } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import type { AfterCommit, SettledCall } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import { type ReportFailure, toRefused } from "./answer.ts";
import { bodyOf, type Call } from "./call.ts";
import { payloadOf, type Settled, toRecordDraft } from "./call-record.ts";
import type { Application, Applied, Operation } from "./operation.ts";
import { findOperation } from "./operations.ts";
import { confirm, refuse, succeed } from "./outcome.ts";

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
  const payload = settled.sealed ?? sealPayload(payloadOf(call, body, settled));
  const clock = { now, elapsed: settlement.clock.elapsed() };
  const draft = toRecordDraft(call, operation, caller, settled, payload, clock);
  const entry = await transaction.audit.append(draft);
  const text = "text" in payload ? String(payload.text) : null;
  const record: StoredRecord = { ...entry, salt: payload.salt, payload: text, removal: null };
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
  const { foreseen } = decision;
  const after: AfterCommit[] = [];
  const work = async () => {
    const input = { ...body, ...decision.parameters };
    const application = { now, plans: settlement.plans };
    const result = await apply(transaction, operation, caller, input, decision.prepared, application, after);
    after.push(...(result.after ?? []));
    if ("refusal" in result) throw result.refusal;
    return result;
  };
  try {
    // An operation that can foresee its outcome changes nothing that would have to be undone.
    const applied = foreseen === undefined ? await transaction.attempt(work) : await work();
    return "confirmed" in applied ? confirm(operation, foreseen, after) : succeed(operation, applied, after);
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
  if (caller === null)
    throw new Refusal(1401, "The API key no longer exists. Ask the operator for a new one.");
  const { now } = application;
  const plan = planOf(caller.project, application.plans);
  authorise(operation, caller, plan, now);
  after.push({ effect: "touch_key", keyId: caller.key.id, at: now });
  return operation.apply(transaction, input, prepared, { ...application, caller, plan });
}
