// Owns the second half of every call: inside one transaction, apply the change and append its audit record.
// No change is committed without its record. A refused or failed call changes nothing but its record.

import { administrationKeyFault } from "../access/administration-key.ts";
import { authorise, keyFault, unauthenticated } from "../access/authorise.ts";
import { type Caller, callerFor, callerWithToken } from "../access/caller.ts";
import type { Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import { type Session, sessionFault } from "../access/session.ts";
import type { StoredRecord } from "../audit/record.ts";
import { remainderOf } from "../memory/remembering/task.ts";
import { Refusal, unavailable } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json/json.ts";
import { accessResolutionMs } from "../platform/limits.ts";
import type { Clock } from "../platform/time/clock.ts";
import { reasonOf, senderOf } from "./call-record.ts";
import { type ReportFailure, toRefusalAnswer, toRefused } from "./contract/answer.ts";
import type { Application } from "./contract/application.ts";
import type { Applied, Declined } from "./contract/applied.ts";
import { type Accepted, bodyOf, type Call } from "./contract/call.ts";
import { exchangeOf, type Operation } from "./contract/operation.ts";
import { isOutdated, settledOutdated } from "./erasure-watch.ts";
import { isOfOtherModel, settledOfOtherModel } from "./model-watch.ts";
import { acceptOlderDatabase } from "./operations/ledger/accept-older-database.ts";
import { acceptRecords } from "./operations/ledger/accept-records.ts";
import { rotateKey } from "./operations/ledger/rotate-key.ts";
import { findOperation } from "./operations.ts";
import { confirm, refuse, type Settled, succeed } from "./outcome.ts";
import { openPseudonyms, withPerson } from "./pseudonyms.ts";
import type { AfterCommit, SettledCall } from "./storage/after-commit.ts";
import type { Transaction } from "./storage/store.ts";

export interface Settlement {
  readonly clock: Clock;
  readonly plans: Plans;
  readonly report: ReportFailure;
  /** Whether an error rolls back the whole transaction, not only this call. */
  readonly isLost: (error: unknown) => boolean;
}

/** They accept chains that another program has changed: the last one if the previous key is lost. */
const accepting: ReadonlySet<string> = new Set([
  acceptRecords.name,
  acceptOlderDatabase.name,
  rotateKey.name,
]);

/** A call inside its transaction. */
interface Settling {
  readonly transaction: Transaction;
  readonly call: Call;
  /** As found inside the transaction; null: administration, or no known key. */
  readonly caller: Caller | null;
  readonly body: JsonObject | null;
  readonly application: Application;
}

interface Accepting extends Settling {
  readonly operation: Operation;
}

/** @throws what Transaction.lock throws, and when the record cannot be appended or the transaction is lost. The engine then answers 1503. */
export async function settle(
  transaction: Transaction,
  call: Call,
  settlement: Settlement,
): Promise<SettledCall> {
  const now = settlement.clock.now();
  const accepts = call.decision.refused === null && accepting.has(call.operation);
  const known = await transaction.lock(call.keyId, accepts);
  const caller = known === null ? null : callerOf(known, call);
  const isNamed = call.unnamedSubject === undefined;
  if (isNamed && !(await openPseudonyms(transaction, caller))) return settledOfOtherSubject;
  const { person } = await withPerson(transaction, caller, call);
  if (isEncoded(call) && person?.id !== call.person?.id) return settledOfOtherSubject;
  if (await isOutdated(transaction, call)) return settledOutdated;
  if (await isOfOtherModel(transaction, call)) return settledOfOtherModel;
  const { remembers } = call.origin;
  if (remembers !== undefined && !(await transaction.remembering.isDue(remembers))) return settledNotDue;
  const body = bodyOf(call);
  const { origin } = call;
  const { recordId } = call;
  const named = recordId === undefined ? {} : { recordId };
  const application = {
    now,
    plans: settlement.plans,
    origin,
    ...named,
    sender: () => ({ ...senderOf(origin), ...reasonOf(call, body) }),
  };
  const settled = await decide({ transaction, call, caller, body, application }, settlement);
  const { payload, made } = settled;
  for (const each of made) await transaction.memories.setMadeOf(each);
  const outcome = settled.toEntry(settlement.clock.elapsed() - call.arrivedAt);
  const entry = await transaction.audit.append({
    ...outcome,
    // Clients cannot append to the chain of the installation.
    isPerformed: caller !== null && outcome.isPerformed === true,
    project: caller?.project.id ?? null,
    subject: isNamed ? (caller?.subject?.id ?? null) : null,
    conversation: caller?.conversation?.id ?? null,
    person: (await withPerson(transaction, caller, call)).person?.id ?? null,
    now,
    keyId: caller?.key.id ?? null,
    payload,
  });
  if (remembers !== undefined) {
    await transaction.remembering.settle(remembers, remainderOf(remembers, outcome));
  }
  const record: StoredRecord = { ...entry, salt: payload.salt, payload: null, erased: [], removal: null };
  return { answer: settled.toAnswer(record), after: settled.after };
}

function callerOf(known: Caller, { token, subject, unnamedSubject, conversation }: Call): Caller {
  if (token === undefined) return callerFor(known, subject ?? unnamedSubject ?? null, conversation ?? null);
  if (subject === undefined) throw new Error("a call with a token has no subject");
  return callerWithToken(known, token, subject, conversation ?? null);
}

const ofOtherSubject = unavailable(
  "The subject or the conversation of this call was created or erased while the call was performed. Send the call again.",
);

/** Nothing of the call has happened, and it has no record. */
const settledOfOtherSubject: SettledCall = {
  answer: { ...toRefusalAnswer(ofOtherSubject), outdatedBy: "subject" },
  after: [],
};

/** The texts were erased while they were extracted, or the project was deleted. Nothing of the call has happened, and it has no record. */
const settledNotDue: SettledCall = {
  answer: toRefusalAnswer(
    new Refusal(2204, "The record whose answer was to be remembered was erased. No action is needed."),
  ),
  after: [],
};

async function decide(settling: Settling, settlement: Settlement): Promise<Settled> {
  const { decision, operation: name } = settling.call;
  if (decision.refused !== null) {
    const refused = { ...(await forPerson(settling)), operation: { name } };
    return refuse(refused, decision.refused, [], decision.payload);
  }
  const operation = findOperation(name);
  if (operation === undefined) throw new Error(`no operation is named ${name}`);
  return accept({ ...settling, operation }, decision, settlement);
}

/** With the person as the record names it. */
async function forPerson<Decided extends Settling>(settling: Decided): Promise<Decided> {
  const { transaction, caller, call } = settling;
  return { ...settling, call: await withPerson(transaction, caller, call) };
}

/** Whether the payload of the record was encoded before the transaction. */
function isEncoded({ decision }: Call): boolean {
  return decision.refused === null ? decision.precomputed !== undefined : decision.payload !== undefined;
}

async function accept(
  settling: Accepting,
  decision: Accepted,
  { isLost, report }: Settlement,
): Promise<Settled> {
  const { transaction } = settling;
  const { precomputed } = decision;
  const after: AfterCommit[] = [];
  const work = async () => {
    const result = await apply(settling, decision, after);
    after.push(...(result.after ?? []));
    if ("refusal" in result) throw result.refusal;
    return result;
  };
  let applied: Exclude<Applied<unknown>, Declined>;
  const isExchange = exchangeOf(settling.operation) !== undefined;
  try {
    // A call with a precomputed outcome changes nothing, so it needs no savepoint. An exchange may leave something to do.
    applied = precomputed === undefined || isExchange ? await transaction.attempt(work) : await work();
  } catch (error) {
    if (isLost(error)) throw error;
    // The failure may have undone the whole transaction, and with it the creation of what the record names.
    if (settling.call.unnamedSubject === undefined) await openPseudonyms(transaction, settling.caller);
    const refused = toRefused(error, report);
    // What an exchange has passed on has happened, so its record says it in any case.
    if (isExchange && precomputed !== undefined && settling.caller !== null)
      return confirm(settling, precomputed, []);
    return refuse(await forPerson(settling), refused, after);
  }
  // Not caught: the change is made, so a record that cannot be written must undo the transaction.
  if ("confirmed" in applied) return confirm(settling, precomputed, after);
  return succeed(await forPerson(settling), applied, after);
}

async function apply(
  settling: Accepting,
  { parameters, prepared }: Accepted,
  after: AfterCommit[],
): Promise<Applied<unknown>> {
  const { transaction, operation, caller, body, application } = settling;
  const input = { ...body, ...parameters };
  if (operation.scope === "project" && operation.exchange !== undefined) {
    if (caller === null) throw noKey();
    const applying = { ...application, caller, plan: planOf(caller.project, application.plans) };
    after.push({ effect: "touch_key", keyId: caller.key.id, at: application.now });
    return operation.apply(transaction, input, prepared, applying);
  }
  const session = await requireSession(settling, after);
  await requireAdministrationKey(settling);
  if (operation.scope === "installation") return operation.apply(transaction, input, application, prepared);
  const { now, plans } = application;
  if (operation.scope === "session") {
    const fault = caller === null ? null : keyFault(caller, now);
    if (fault !== null) throw fault;
    const { link: id } = settling.call;
    const link = id === undefined ? null : await transaction.access.findSignInLink(id);
    return operation.apply(transaction, input, { ...application, caller, session, link });
  }
  if (caller === null) throw noKey();
  const plan = planOf(caller.project, plans);
  authorise(operation, caller, plan, now);
  after.push({ effect: "touch_key", keyId: caller.key.id, at: now });
  return operation.apply(transaction, input, prepared, { ...application, caller, plan });
}

function noKey(): Refusal {
  return new Refusal(1401, "The API key no longer exists. Ask the operator for a new one.");
}

/** The session of the call, which may have ended since the call arrived; null: the call was sent in none. @throws Refusal 1401 */
async function requireSession(
  { transaction, call, application: { now } }: Accepting,
  after: AfterCommit[],
): Promise<Session | null> {
  const { session: id } = call.origin;
  if (id === undefined) return null;
  const known = await transaction.access.findSession(id);
  if (known === null) throw unauthenticated("The session was closed. Sign in to the console again.");
  const fault = sessionFault(known, now);
  if (fault !== null) throw fault;
  after.push({ effect: "touch_session", session: id, at: now });
  return known.session;
}

/** The administration key of the call may have ended since the call arrived. @throws Refusal 1401 */
async function requireAdministrationKey({
  transaction,
  call,
  application: { now },
}: Accepting): Promise<void> {
  const { administrationKey: id } = call.origin;
  if (id === undefined) return;
  const key = await transaction.access.findAdministrationKey(id);
  const fault = key === null ? noKey() : administrationKeyFault(key, now);
  if (fault !== null) throw fault;
  const lastUsedAt = key?.lastUsedAt ?? null;
  if (lastUsedAt === null || lastUsedAt <= now - accessResolutionMs || lastUsedAt > now)
    await transaction.access.touchAdministrationKey(id, now);
}
