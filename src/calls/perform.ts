// Owns the only entry point of every call and the order of its first half: identify, limit, authorise, receive, validate, prepare, then
// settle in the store. Transports pass what they received and print the answer; they decide nothing.

import { uncountedBody } from "../access/body-budget.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal, successCode } from "../platform/errors.ts";
import { createIdSource, type IdSource } from "../platform/ids.ts";
import { largeBodyMinBytes, preparationAttemptsMax } from "../platform/limits.ts";
import { secondsBetween } from "../platform/statistics/distribution.ts";
import { logAdministration } from "./administration-log.ts";
import { type Actor, anonymous } from "./arrival/actor.ts";
import { type ArrivalChecks, type ArrivalTools, createArrivalChecks } from "./arrival/arrival-checks.ts";
import { type Authority, identify, requireAuthority } from "./arrival/identify.ts";
import { keepBody, nothingKept, openInput, readInput } from "./arrival/input.ts";
import { readOrigin } from "./arrival/origin.ts";
import { type Answer, type Refused, toRefusalAnswer, toRefused } from "./contract/answer.ts";
import type { Call } from "./contract/call.ts";
import { exchangeOf, type Operation } from "./contract/operation.ts";
import type { Request } from "./contract/request.ts";
import { createDecide, type Received } from "./decide.ts";
import { outdated } from "./erasure-watch.ts";
import { ofOtherModel } from "./model-watch.ts";
import { useConsoleKey } from "./operations/access/console-key.ts";
import { createPrepare, type PreparationTools, type Prepare } from "./preparation.ts";
import { type RunningExchange, runExchange } from "./running-exchange.ts";
import { type CallStatistics, createCallStatistics } from "./statistics/call-statistics.ts";

/** Never throws: every outcome is an answer. */
export type Perform = (operation: Operation, request: Request) => Promise<Performed>;

export interface Performed {
  readonly answer: Answer;
  /** Null: administration, or a key that is missing or unknown. */
  readonly caller: Caller | null;
}

export interface PerformTools extends PreparationTools, ArrivalTools {
  /** Absent: nobody reads the counts. */
  readonly statistics?: CallStatistics;
}

/** @param checks those of the other entry point, if there is one */
export function createPerform(tools: PerformTools, checks = createArrivalChecks(tools)): Perform {
  const { clock, logger, statistics = createCallStatistics() } = tools;
  const createRecordId = createIdSource();

  const perform: Perform = async (operation, request) => {
    let exchange: RunningExchange | null = null;
    let actor = anonymous;
    let answer: Answer;
    const arrivedAt = request.arrivedAt ?? clock.elapsed();
    statistics.begin();
    try {
      exchange = beginExchange(operation, request);
      actor = await identify(tools, request.credentials, clock.now());
      const refused = actor.lacksKeyOf === undefined ? null : await createKeyFor(request, actor.lacksKeyOf);
      if (actor.lacksKeyOf !== undefined) actor = await identify(tools, request.credentials, clock.now());
      answer = refused ?? (await performAs(actor, operation, request, exchange));
    } catch (error) {
      answer = toRefusalAnswer(toRefused(error, checks.report));
    }
    exchange?.finish();
    const { caller } = actor;
    const endedAtMs = clock.elapsed();
    statistics.end({
      operation: operation.name,
      transport: request.origin.transport,
      code: answer.code,
      seconds: secondsBetween(arrivedAt, endedAtMs),
      project: caller?.project.id ?? null,
      endedAtMs,
    });
    logAdministration(logger, operation, request, actor, answer);
    return { answer, caller };
  };
  /** @throws Refusal 1400 for an exchange whose answer cannot be passed on */
  const beginExchange = (operation: Operation, { exchange }: Request): RunningExchange | null => {
    if (exchangeOf(operation) === undefined) return null;
    if (exchange === undefined) throw new Refusal(1400, `${operation.name} is performed over HTTP only.`);
    return runExchange(exchange, createRecordId(clock.now()));
  };
  /** Creates the console's key of a project for the first call of an administrator. @returns the answer if that is refused */
  const createKeyFor = async (request: Request, project: string): Promise<Answer | null> => {
    const { credentials, origin, signal } = request;
    if (credentials.kind !== "session") return null;
    const { answer } = await perform(useConsoleKey, {
      credentials: { ...credentials, project: null },
      input: { kind: "object", fields: { project } },
      origin: { ...origin, metadata: null },
      signal,
    });
    return answer.code === successCode ? null : answer;
  };
  const prepare = createPrepare(
    tools,
    async (operation, request) => (await perform(operation, request)).answer,
    createRecordId,
  );
  const performAs = createPerformAs({ ...tools, statistics }, checks, prepare, createRecordId);

  return perform;
}

/** @returns the steps of a call from when it is known who calls */
function createPerformAs(
  tools: PerformTools & { readonly statistics: CallStatistics },
  checks: ArrivalChecks,
  prepare: Prepare,
  createRecordId: IdSource,
) {
  const { store, clock, plans, statistics } = tools;
  const { report, refuseUnauthenticated, claimBody, turnForLargeBody } = checks;
  const decide = createDecide({ ...tools, report }, prepare);
  const commit = async (call: Call): Promise<Answer> => {
    const startedAt = clock.elapsed();
    const answer = await store.commit(call);
    statistics.recorded(call.operation, secondsBetween(startedAt, clock.elapsed()));
    return answer;
  };
  const createOwnRecordId = (operation: Operation): string | undefined =>
    operation.scope === "project" && operation.namesItsRecord === true
      ? createRecordId(clock.now())
      : undefined;
  /** @param fault the fault of the request's form; null: none */
  const admit = (
    operation: Operation,
    actor: Actor,
    fault: Refusal | null,
  ): Authority | { readonly refused: Refused } => {
    try {
      const authority = requireAuthority(operation, actor, plans, clock.now());
      if (fault !== null) throw fault;
      return authority;
    } catch (error) {
      return { refused: toRefused(error, report) };
    }
  };

  /** A request counts once, even if other operations are performed for it. @throws Refusal 1429 */
  const limitRate = (caller: Caller, { credentials, isCounted = false }: Request): void => {
    const isOfOtherCall = credentials.kind === "caller" || credentials.kind === "task";
    if (!isOfOtherCall && !isCounted) checks.limitRate(caller);
  };

  /** @throws Refusal if the call is not recorded: it is only counted, or its body exceeds the memory for bodies */
  return async (
    actor: Actor,
    operation: Operation,
    request: Request,
    exchange: RunningExchange | null,
  ): Promise<Answer> => {
    const { caller, administrationKey, session, link, invalid } = actor;
    const given = exchange?.exchange.recordId ?? request.recordId ?? createOwnRecordId(operation);
    const recordId = given === undefined ? {} : { recordId: given };
    const { name, unrecorded } = operation;
    const hidden = unrecorded === undefined ? {} : { unrecorded };
    const arrivedAt = request.arrivedAt ?? clock.elapsed();
    const named = { operation: name, arrivedAt, ...recordId, ...hidden };
    if (invalid !== null) {
      return commit({ ...named, ...refuseUnauthenticated(request, actor, invalid) });
    }
    if (caller !== null) limitRate(caller, request);
    else checks.limitAdministration(actor);

    using held = new DisposableStack();
    const input = openInput(operation, request.input, request.credentials.kind === "administration");
    const { origin, fault } = readOrigin(request, actor);
    const authorised = link === null ? {} : { link: link.id };
    const call = { ...named, ...ownerOf(caller), ...authorised, origin, ...input.recorded };
    const admitted = admit(operation, actor, input.fault ?? fault);
    const budgetOwner = caller?.project.id ?? session?.id ?? link?.id ?? administrationKey?.id;
    // Of a caller who is not known, no body is received.
    if ("refused" in admitted && budgetOwner === undefined && request.credentials.kind !== "administration")
      return await commit({ ...call, ...nothingKept, decision: admitted });

    if (exchange !== null && caller !== null) held.use(checks.exchanges.enter(caller.key));
    const claimOf = exchange === null ? claimBody : checks.claimExchangeBody;
    const claim = budgetOwner === undefined ? uncountedBody : held.use(claimOf(budgetOwner));
    const body = await input.receiveBody(claim);
    if ("bytes" in body && body.bytes.length >= largeBodyMinBytes) await turnForLargeBody();
    if ("refused" in admitted)
      return await commit({ ...call, ...keepBody(operation, body, input), decision: admitted });
    if (body.kind === "bytes") exchange?.received(body.bytes, () => claim[Symbol.dispose]());
    const reading = readInput(operation, body, input);
    const received = {
      call: { ...call, ...reading.kept },
      authority: admitted,
      reading,
      request,
      held,
      exchange,
    };
    return await settlePrepared(received, decide, commit);
  };
}

/**
 * Prepares the call and settles it. If an erasure or a change of the model was committed in between, it is prepared again, unless it
 * had other operations performed that change something. An exchange keeps what has happened.
 */
async function settlePrepared(
  received: Received,
  decide: ReturnType<typeof createDecide>,
  commit: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { authority, exchange } = received;
  const { readOnly } = authority.operation.effects;
  let refused = outdated;
  for (let attempts = 1; attempts <= preparationAttemptsMax; attempts++) {
    const call = await decide(received);
    const { decision } = call;
    const answer = await commit(call);
    if (answer.outdatedBy === undefined) {
      // An answer of the transaction is another one.
      if (exchange === null || decision.refused !== null || decision.precomputed?.answer !== answer)
        return answer;
      exchange.recorded();
      return answer.code === successCode ? answer : { ...answer, recordId: exchange.exchange.recordId };
    }
    exchange?.erasedMeanwhile();
    refused = answer.outdatedBy === "model" ? ofOtherModel : outdated;
    if (exchange === null && !readOnly && decision.erasures !== undefined) break;
  }
  return commit({ ...received.call, decision: { refused } });
}

/** The key in the record of the call, the project in whose queue the call waits for the writer, and what a token adds. */
function ownerOf(caller: Caller | null): Pick<Call, "keyId" | "project" | "token" | "subject"> {
  if (caller === null) return { keyId: null };
  const { key, project, token, subject } = caller;
  const owner = { keyId: key.id, project: project.id };
  return token === undefined || subject === null ? owner : { ...owner, token, subject };
}
