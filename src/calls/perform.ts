// Owns the only entry point of every call and the order of its first half: identify, limit, authorise, receive, validate, prepare, then
// settle in the store. Transports hand in what they received and print the answer; none of them decides anything.

import { createBodyBudget, uncountedBody } from "../access/body-budget.ts";
import type { Caller } from "../access/caller.ts";
import type { Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import { type RateLimiter, tooManyCalls } from "../access/rate.ts";
import { largeBodyMinBytes } from "../limits.ts";
import type { Logger } from "../log/logger.ts";
import { createTurns } from "../scheduling/turns.ts";
import { logAdministration } from "./administration-log.ts";
import { type Answer, type ReportFailure, toRefusalAnswer, toRefused } from "./answer.ts";
import type { Decision } from "./call.ts";
import { type Actor, type Authority, identify, requireAuthority } from "./identify.ts";
import {
  administrationLimits,
  callerLimits,
  nothingKept,
  readInput,
  recordParameters,
  toReceivedInput,
} from "./input.ts";
import { isForeseen, type Operation } from "./operation.ts";
import { readOrigin } from "./origin.ts";
import { foresee } from "./outcome.ts";
import { createPrepare, type PreparationTools } from "./preparation.ts";
import type { Credentials, Request } from "./request.ts";
import { createJudgeUnauthenticated } from "./unauthenticated.ts";

/** @throws nothing: every outcome is an answer. */
export type Perform = (operation: Operation, request: Request) => Promise<Performed>;

export interface Performed {
  readonly answer: Answer;
  /** Null: administration, or a key that is missing or unknown. */
  readonly caller: Caller | null;
}

export interface PerformTools extends PreparationTools {
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
}

export function createPerform(tools: PerformTools): Perform {
  const { store, clock, plans, limiter, logger } = tools;
  const report: ReportFailure = (incident, error) => logger.error("a call failed", { incident, error });
  const judgeUnauthenticated = createJudgeUnauthenticated(clock);
  const claimBody = createBodyBudget();
  const turnForLargeBody = createTurns();

  const perform: Perform = async (operation, request) => {
    let caller: Caller | null = null;
    let answer: Answer;
    try {
      const actor = await identify(store.access, request.credentials, clock.now());
      caller = actor.caller;
      answer = await performAs(actor, operation, request);
    } catch (error) {
      answer = toRefusalAnswer(toRefused(error, report));
    }
    logAdministration(logger, operation, request, answer);
    return { answer, caller };
  };
  const prepare = createPrepare(
    tools,
    async (operation, request) => (await perform(operation, request)).answer,
  );

  /** @throws Refusal where the call leaves no record: it is only counted, or there is no memory for its body. */
  const performAs = async (
    { caller, invalid }: Actor,
    operation: Operation,
    request: Request,
  ): Promise<Answer> => {
    const named = { operation: operation.name, arrivedAt: request.arrivedAt ?? clock.elapsed() };
    if (invalid !== null) {
      const { refusal, ...record } = judgeUnauthenticated(request, caller, invalid);
      const decision = { refused: toRefused(refusal, report) };
      return store.commit({ ...named, ...record, ...recordParameters({}, false), ...nothingKept, decision });
    }
    if (caller !== null) limitRate(caller, request.credentials);

    using held = new DisposableStack();
    const claim = caller === null ? uncountedBody : held.use(claimBody(caller.project.id));
    const limits = caller === null ? administrationLimits : callerLimits;
    const namesMemory = operation.scope === "project" && operation.feature === "memory";
    const { parameters, fault, receiveBody } = toReceivedInput(request.input, namesMemory, limits);
    const { origin, fault: originFault } = readOrigin(request);
    const call = {
      ...named,
      keyId: caller?.key.id ?? null,
      ...(caller === null ? {} : { project: caller.project.id }),
      origin,
      ...recordParameters(parameters, namesMemory),
    };
    let authority: Authority;
    try {
      authority = requireAuthority(operation, caller, plans, clock.now());
      if (fault !== null) throw fault;
      if (originFault !== null) throw originFault;
    } catch (error) {
      return await store.commit({ ...call, ...nothingKept, decision: { refused: toRefused(error, report) } });
    }
    const body = await receiveBody(claim);
    if ("bytes" in body && body.bytes.length >= largeBodyMinBytes) await turnForLargeBody();
    const { kept, ...reading } = readInput(operation, body, parameters, limits);
    const decide = async (): Promise<Decision> => {
      if (reading.input === null) throw reading.fault;
      const prepared = await prepare(authority, reading.input, request, held);
      if (!isForeseen(prepared)) return { refused: null, parameters, prepared };
      const foreseen = foresee(operation, { ...call, ...kept }, prepared);
      return { refused: null, parameters, prepared: prepared.prepared, foreseen };
    };
    const decision = await decide().catch((error: unknown) => ({ refused: toRefused(error, report) }));
    return await store.commit({ ...call, ...kept, decision });
  };

  /** One request takes one token, also when it has other operations performed for it. @throws Refusal 1429 */
  const limitRate = ({ key, project }: Caller, { kind }: Credentials): void => {
    if (kind !== "key") return;
    const waitSeconds = limiter.take(key.id, planOf(project, plans).rate, clock.elapsed());
    if (waitSeconds > 0) throw tooManyCalls(waitSeconds);
  };

  return perform;
}
