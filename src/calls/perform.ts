// Owns the only entry point of every call and the order of its first half: identify, limit, authorise, receive, validate, prepare, then
// settle in the store. Transports pass what they received and print the answer; they decide nothing.

import { uncountedBody } from "../access/body-budget.ts";
import type { Caller } from "../access/caller.ts";
import type { Refusal } from "../errors.ts";
import { largeBodyMinBytes, preparationAttemptsMax } from "../limits.ts";
import { secondsBetween } from "../statistics/distribution.ts";
import { logAdministration } from "./administration-log.ts";
import { type Answer, type Refused, toRefusalAnswer, toRefused } from "./answer.ts";
import { type ArrivalTools, createArrivalChecks } from "./arrival-checks.ts";
import type { Call, Decision } from "./call.ts";
import { type CallStatistics, createCallStatistics } from "./call-statistics.ts";
import { createErasureWatch, outdated } from "./erasure-watch.ts";
import { type Actor, type Authority, identify, requireAuthority } from "./identify.ts";
import { nothingKept, openInput, type Reading, readInput } from "./input.ts";
import { createModelWatch, ofOtherModel } from "./model-watch.ts";
import { isForeseen, type Operation } from "./operation.ts";
import { readOrigin } from "./origin.ts";
import { foresee } from "./outcome.ts";
import { createPrepare, type PreparationTools } from "./preparation.ts";
import type { Request } from "./request.ts";

/** Never throws: every outcome is an answer. */
export type Perform = (operation: Operation, request: Request) => Promise<Performed>;

interface Performed {
  readonly answer: Answer;
  /** Null: administration, or a key that is missing or unknown. */
  readonly caller: Caller | null;
}

/** A call whose body was received. */
interface Received {
  readonly call: Omit<Call, "decision">;
  readonly authority: Authority;
  readonly reading: Reading;
  readonly request: Request;
  /** What the call has reserved; disposed of after it has been settled. */
  readonly held: DisposableStack;
}

export interface PerformTools extends PreparationTools, ArrivalTools {
  /** Absent: nobody reads the counts. */
  readonly statistics?: CallStatistics;
}

/** @param checks those of the other entry point, if there is one */
export function createPerform(tools: PerformTools, checks = createArrivalChecks(tools)): Perform {
  const { store, clock, plans, logger, statistics = createCallStatistics() } = tools;
  const { report, refuseUnauthenticated, claimBody, turnForLargeBody } = checks;

  const perform: Perform = async (operation, request) => {
    let caller: Caller | null = null;
    let answer: Answer;
    const arrivedAt = request.arrivedAt ?? clock.elapsed();
    statistics.begin();
    try {
      const actor = await identify(store.access, request.credentials, clock.now());
      caller = actor.caller;
      answer = await performAs(actor, operation, request);
    } catch (error) {
      answer = toRefusalAnswer(toRefused(error, report));
    }
    const endedAtMs = clock.elapsed();
    statistics.end({
      operation: operation.name,
      transport: request.origin.transport,
      code: answer.code,
      seconds: secondsBetween(arrivedAt, endedAtMs),
      project: caller?.project.id ?? null,
      endedAtMs,
    });
    logAdministration(logger, operation, request, answer);
    return { answer, caller };
  };
  const commit = async (call: Call): Promise<Answer> => {
    const startedAt = clock.elapsed();
    const answer = await store.commit(call);
    statistics.recorded(call.operation, secondsBetween(startedAt, clock.elapsed()));
    return answer;
  };
  const prepare = createPrepare(
    tools,
    async (operation, request) => (await perform(operation, request)).answer,
  );

  /** @throws Refusal if the call is not recorded: it is only counted, or its body exceeds the memory for bodies */
  const performAs = async (actor: Actor, operation: Operation, request: Request): Promise<Answer> => {
    const { caller, invalid } = actor;
    const named = { operation: operation.name, arrivedAt: request.arrivedAt ?? clock.elapsed() };
    if (invalid !== null) {
      return commit({ ...named, ...refuseUnauthenticated(request, caller, invalid) });
    }
    if (caller !== null) limitRate(caller, request);

    using held = new DisposableStack();
    const input = openInput(operation, request.input, caller);
    const { origin, fault } = readOrigin(request);
    const call = { ...named, ...ownerOf(caller), origin, ...input.recorded };
    const admitted = admit(operation, caller, input.fault ?? fault);
    if ("refused" in admitted) return await commit({ ...call, ...nothingKept, decision: admitted });

    const claim = caller === null ? uncountedBody : held.use(claimBody(caller.project.id));
    const body = await input.receiveBody(claim);
    if ("bytes" in body && body.bytes.length >= largeBodyMinBytes) await turnForLargeBody();
    const reading = readInput(operation, body, input);
    const received = { call: { ...call, ...reading.kept }, authority: admitted, reading, request, held };
    return await settlePrepared(received);
  };

  /**
   * Prepares the call and settles it. If an erasure or a change of the model was committed in between, it is prepared again, unless it
   * had other operations performed that change something.
   */
  const settlePrepared = async (received: Received): Promise<Answer> => {
    const { call, authority } = received;
    const { readOnly } = authority.operation.effects;
    let refused = outdated;
    for (let attempts = 1; attempts <= preparationAttemptsMax; attempts++) {
      const decision = await decide(received);
      const answer = await commit({ ...call, decision });
      if (answer.outdatedBy === undefined) return answer;
      refused = answer.outdatedBy === "model" ? ofOtherModel : outdated;
      if (!readOnly && decision.erasures !== undefined) break;
    }
    return commit({ ...call, decision: { refused } });
  };

  /** @param fault the fault of the request's form; null: none */
  const admit = (
    operation: Operation,
    caller: Caller | null,
    fault: Refusal | null,
  ): Authority | { readonly refused: Refused } => {
    try {
      const authority = requireAuthority(operation, caller, plans, clock.now());
      if (fault !== null) throw fault;
      return authority;
    } catch (error) {
      return { refused: toRefused(error, report) };
    }
  };

  const decide = async ({ call, authority, reading, request, held }: Received): Promise<Decision> => {
    const watch = createErasureWatch(store.audit);
    const used = createModelWatch();
    try {
      if (reading.input === null) throw reading.fault;
      const { parameters } = reading;
      const prepared = await prepare(authority, reading.input, request, held, watch, used);
      const { erasures } = watch;
      const { models } = used;
      if (!isForeseen(prepared)) return { refused: null, erasures, models, parameters, prepared };
      const foreseen = foresee(authority.operation, call, prepared);
      return { refused: null, erasures, models, parameters, prepared: prepared.prepared, foreseen };
    } catch (error) {
      return { refused: toRefused(error, report), erasures: watch.erasures, models: used.models };
    }
  };

  /** A request counts once, even if other operations are performed for it. @throws Refusal 1429 */
  const limitRate = (caller: Caller, { credentials, isCounted = false }: Request): void => {
    if (credentials.kind !== "caller" && !isCounted) checks.limitRate(caller);
  };

  return perform;
}

/** The key in the record of the call, and the project in whose queue the call waits for the writer. */
function ownerOf(caller: Caller | null): Pick<Call, "keyId" | "project"> {
  return caller === null ? { keyId: null } : { keyId: caller.key.id, project: caller.project.id };
}
