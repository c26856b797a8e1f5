// Owns what the first half of a call decides after its body was received: whom the call is for, what was prepared, and what is precomputed. Must
// never store anything.

import { callerFor } from "../access/caller.ts";
import { findConversation, findPerson, findSubject } from "./arrival/find-subject.ts";
import type { Authority } from "./arrival/identify.ts";
import type { Reading } from "./arrival/input.ts";
import { aboutOf } from "./call-record.ts";
import { type ReportFailure, toRefused } from "./contract/answer.ts";
import { isPrecomputed } from "./contract/applied.ts";
import { bodyOf, type Call, type Decision } from "./contract/call.ts";
import type { Request } from "./contract/request.ts";
import { createErasureWatch } from "./erasure-watch.ts";
import { createModelWatch } from "./model-watch.ts";
import { toOpenExchange } from "./open-exchange.ts";
import { precompute, precomputeExchange, refusedPayload } from "./outcome.ts";
import type { PreparationTools, Prepare } from "./preparation.ts";
import type { RunningExchange } from "./running-exchange.ts";

/** A call whose body was received. */
export interface Received {
  readonly call: Omit<Call, "decision">;
  readonly authority: Authority;
  readonly reading: Reading;
  readonly request: Request;
  /** What the call has reserved; disposed of after it has been settled. */
  readonly held: DisposableStack;
  /** Null: the operation is no exchange. */
  readonly exchange: RunningExchange | null;
}

interface DecideTools extends Pick<PreparationTools, "store" | "gateway" | "bodies" | "extractors"> {
  readonly report: ReportFailure;
}

/** @returns a function that makes the call that is committed. It can be called again when the call was outdated. */
export function createDecide(tools: DecideTools, prepare: Prepare) {
  const {
    store,
    report,
    bodies: { encode },
  } = tools;
  /** The call and the authority for its subject and its conversation. @throws Refusal 1400 or 1403 */
  const forSubject = async (received: Received): Promise<Received> => {
    const { call, authority, reading, request, exchange } = received;
    const found =
      authority.kind === "project"
        ? await findSubject(tools, authority, request, reading, exchange?.exchange ?? null)
        : null;
    const named =
      authority.kind === "project" ? await findConversation(store, authority, request, reading, found) : null;
    const { subject } = found ?? {};
    const recorded = {
      ...(subject && (found?.isRecorded === true ? { subject } : { unnamedSubject: subject })),
      ...(named?.isRecorded === true ? { conversation: named.conversation } : {}),
    };
    exchange?.opensWith(async (details) => {
      const open = toOpenExchange({ ...call, ...recorded }, details, exchange.kept);
      if (open !== null) await store.openExchange(open);
    });
    if ((found ?? named) === null || authority.kind !== "project") return received;
    const caller = callerFor(authority.caller, found?.subject ?? null, named?.conversation ?? null);
    return { ...received, call: { ...call, ...recorded }, authority: { ...authority, caller } };
  };

  return async (received: Received): Promise<Call> => {
    const { reading, request, held, exchange: running } = received;
    let { call } = received;
    const watch = createErasureWatch(store.audit, call.project ?? null);
    const used = createModelWatch();
    const exchange = running?.exchange ?? null;
    const encoded = (payload: Parameters<typeof encode>[0], kept: Parameters<typeof encode>[1]) =>
      encode(payload, kept, aboutOf(call), call.person?.id);
    const decide = async (): Promise<Decision> => {
      if (reading.input === null) throw reading.fault;
      const { parameters } = reading;
      call = { ...call, ...(await findPerson(store, received)) };
      const found = await forSubject({ ...received, call });
      call = found.call;
      const prepared = await prepare(found.authority, reading.input, request, held, watch, used, exchange);
      const { erasures } = watch;
      // The answer of an exchange was sent, whatever the model is now.
      const models = exchange === null ? used.models : undefined;
      if (!isPrecomputed(prepared)) return { refused: null, erasures, models, parameters, prepared };
      const precomputed =
        running === null
          ? precompute(found.authority.operation, call, prepared)
          : await precomputeExchange(call, prepared, (payload) => encoded(payload, running.kept));
      return { refused: null, erasures, models, parameters, prepared: prepared.prepared, precomputed };
    };
    const refuse = async (error: unknown): Promise<Decision> => {
      const models = exchange === null ? used.models : undefined;
      const refused = toRefused(error, report);
      const { erasures } = watch;
      if (running === null) return { refused, erasures, models };
      const payload = await encoded(refusedPayload({ call, body: bodyOf(call) }, refused), running.kept);
      return { refused, erasures, models, payload };
    };
    const decision = await decide().catch(refuse);
    return { ...call, decision };
  };
}
