// Owns the only entry point of every call and the order of its first half: identify, limit, authorise, receive, validate, prepare, then
// settle in the store. Transports pass what they received and print the answer; they decide nothing.

import { uncountedBody } from "../access/body-budget.ts";
import { type Caller, callerFor } from "../access/caller.ts";
import { useConsoleKey } from "../access/console-key.ts";
import { Refusal, successCode } from "../errors.ts";
import { createIdSource } from "../ids.ts";
import { largeBodyMinBytes, preparationAttemptsMax } from "../limits.ts";
import { secondsBetween } from "../statistics/distribution.ts";
import { type Actor, nobody } from "./actor.ts";
import { logAdministration } from "./administration-log.ts";
import { type Answer, type Refused, toRefusalAnswer, toRefused } from "./answer.ts";
import { type ArrivalTools, createArrivalChecks } from "./arrival-checks.ts";
import { bodyOf, type Call, type Decision } from "./call.ts";
import { aboutOf } from "./call-record.ts";
import { type CallStatistics, createCallStatistics } from "./call-statistics.ts";
import { createErasureWatch, outdated } from "./erasure-watch.ts";
import { findSubject } from "./find-subject.ts";
import { type Authority, identify, requireAuthority } from "./identify.ts";
import { keepBody, nothingKept, openInput, type Reading, readInput } from "./input.ts";
import { createModelWatch, ofOtherModel } from "./model-watch.ts";
import { toOpenExchange } from "./open-exchange.ts";
import { exchangeOf, isForeseen, type Operation } from "./operation.ts";
import { readOrigin } from "./origin.ts";
import { foresee, foreseeExchange, refusedPayload } from "./outcome.ts";
import { createPrepare, type PreparationTools } from "./preparation.ts";
import type { Request } from "./request.ts";
import { type RunningExchange, runExchange } from "./running-exchange.ts";

/** Never throws: every outcome is an answer. */
export type Perform = (operation: Operation, request: Request) => Promise<Performed>;

export interface Performed {
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
  /** Null: the operation is no exchange. */
  readonly exchange: RunningExchange | null;
}

export interface PerformTools extends PreparationTools, ArrivalTools {
  /** Absent: nobody reads the counts. */
  readonly statistics?: CallStatistics;
}

/** @param checks those of the other entry point, if there is one */
export function createPerform(tools: PerformTools, checks = createArrivalChecks(tools)): Perform {
  const {
    store,
    clock,
    plans,
    logger,
    bodies: { seal },
    statistics = createCallStatistics(),
  } = tools;
  const { report, refuseUnauthenticated, claimBody, turnForLargeBody } = checks;
  const createRecordId = createIdSource();

  const perform: Perform = async (operation, request) => {
    let exchange: RunningExchange | null = null;
    let actor = nobody;
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
      answer = toRefusalAnswer(toRefused(error, report));
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
  const createOwnRecordId = (operation: Operation): string | undefined =>
    operation.scope === "project" && operation.namesItsRecord === true
      ? createRecordId(clock.now())
      : undefined;
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
  const commit = async (call: Call): Promise<Answer> => {
    const startedAt = clock.elapsed();
    const answer = await store.commit(call);
    statistics.recorded(call.operation, secondsBetween(startedAt, clock.elapsed()));
    return answer;
  };
  const prepare = createPrepare(
    tools,
    async (operation, request) => (await perform(operation, request)).answer,
    createRecordId,
  );

  /** @throws Refusal if the call is not recorded: it is only counted, or its body exceeds the memory for bodies */
  const performAs = async (
    actor: Actor,
    operation: Operation,
    request: Request,
    exchange: RunningExchange | null,
  ): Promise<Answer> => {
    const { caller, session, link, invalid } = actor;
    const given = exchange?.exchange.recordId ?? request.recordId ?? createOwnRecordId(operation);
    const recordId = given === undefined ? {} : { recordId: given };
    const named = { operation: operation.name, arrivedAt: request.arrivedAt ?? clock.elapsed(), ...recordId };
    if (invalid !== null) {
      return commit({ ...named, ...refuseUnauthenticated(request, actor, invalid) });
    }
    if (caller !== null) limitRate(caller, request);
    else if (session !== null) checks.limitSession(session);

    using held = new DisposableStack();
    const input = openInput(operation, request.input, request.credentials.kind === "administration");
    const { origin, fault } = readOrigin(request, actor);
    const authorised = link === null ? {} : { link: link.id };
    const call = { ...named, ...ownerOf(caller), ...authorised, origin, ...input.recorded };
    const admitted = admit(operation, actor, input.fault ?? fault);
    const payer = caller?.project.id ?? session?.id ?? link?.id;
    // Of a caller who is not known, no body is received.
    if ("refused" in admitted && payer === undefined && request.credentials.kind !== "administration")
      return await commit({ ...call, ...nothingKept, decision: admitted });

    if (exchange !== null && caller !== null) held.use(checks.exchanges.enter(caller.key));
    const claimOf = exchange === null ? claimBody : checks.claimExchangeBody;
    const claim = payer === undefined ? uncountedBody : held.use(claimOf(payer));
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
    return await settlePrepared(received);
  };

  /**
   * The call and the authority for its subject. A name that no call has used since it was erased gets a pseudonym, which the transaction
   * stores. @throws Refusal 1400 or 1403
   */
  const forSubject = async (received: Received): Promise<Received> => {
    const { call, authority, reading, request, exchange } = received;
    const found =
      authority.kind === "project" ? await findSubject(store.subjects, authority, request, reading) : null;
    const recorded = found?.isRecorded === true ? { subject: found.subject } : {};
    exchange?.opensWith(async (details) => {
      const open = toOpenExchange({ ...call, ...recorded }, details, exchange.kept);
      if (open !== null) await store.openExchange(open);
    });
    if (found === null || authority.kind !== "project") return received;
    const caller = callerFor(authority.caller, found.subject);
    return { ...received, call: { ...call, ...recorded }, authority: { ...authority, caller } };
  };

  /**
   * Prepares the call and settles it. If an erasure or a change of the model was committed in between, it is prepared again, unless it
   * had other operations performed that change something. An exchange keeps what has happened.
   */
  const settlePrepared = async (received: Received): Promise<Answer> => {
    const { authority, exchange } = received;
    const { readOnly } = authority.operation.effects;
    let refused = outdated;
    for (let attempts = 1; attempts <= preparationAttemptsMax; attempts++) {
      const { call, decision } = await decide(received);
      const answer = await commit({ ...call, decision });
      if (answer.outdatedBy === undefined) {
        // An answer of the transaction is another one.
        if (exchange === null || decision.refused !== null || decision.foreseen?.answer !== answer)
          return answer;
        exchange.recorded();
        return answer.code === successCode ? answer : { ...answer, recordId: exchange.exchange.recordId };
      }
      exchange?.erasedMeanwhile();
      refused = answer.outdatedBy === "model" ? ofOtherModel : outdated;
      if (exchange === null && !readOnly && decision.erasures !== undefined) break;
    }
    return commit({ ...received.call, decision: { refused } });
  };

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

  const decide = async (
    arrived: Received,
  ): Promise<Pick<Received, "call"> & { readonly decision: Decision }> => {
    let received = arrived;
    const decision = await decideFor(arrived, async () => {
      received = await forSubject(arrived);
      return received;
    });
    return { call: received.call, decision };
  };

  const decideFor = async (arrived: Received, forSubject: () => Promise<Received>): Promise<Decision> => {
    const { reading, request, held } = arrived;
    let { call } = arrived;
    const watch = createErasureWatch(store.audit);
    const used = createModelWatch();
    const { exchange: running } = arrived;
    const exchange = running?.exchange ?? null;
    try {
      if (reading.input === null) throw reading.fault;
      const { parameters } = reading;
      const found = await forSubject();
      const { authority } = found;
      ({ call } = found);
      const prepared = await prepare(authority, reading.input, request, held, watch, used, exchange);
      const { erasures } = watch;
      // The answer of an exchange was sent, whatever the model is now.
      const models = exchange === null ? used.models : undefined;
      if (!isForeseen(prepared)) return { refused: null, erasures, models, parameters, prepared };
      const foreseen =
        running === null
          ? foresee(authority.operation, call, prepared)
          : await foreseeExchange(call, prepared, (payload) =>
              seal(payload, running.kept, aboutOf(found.call)),
            );
      return { refused: null, erasures, models, parameters, prepared: prepared.prepared, foreseen };
    } catch (error) {
      const models = exchange === null ? used.models : undefined;
      const refused = toRefused(error, report);
      const { erasures } = watch;
      if (running === null) return { refused, erasures, models };
      const payload = await seal(
        refusedPayload({ call, body: bodyOf(call) }, refused),
        running.kept,
        aboutOf(call),
      );
      return { refused, erasures, models, payload };
    }
  };

  /** A request counts once, even if other operations are performed for it. @throws Refusal 1429 */
  const limitRate = (caller: Caller, { credentials, isCounted = false }: Request): void => {
    const isOfOtherCall = credentials.kind === "caller" || credentials.kind === "task";
    if (!isOfOtherCall && !isCounted) checks.limitRate(caller);
  };

  return perform;
}

/** The key in the record of the call, the project in whose queue the call waits for the writer, and what a token adds. */
function ownerOf(caller: Caller | null): Pick<Call, "keyId" | "project" | "token" | "subject"> {
  if (caller === null) return { keyId: null };
  const { key, project, token, subject } = caller;
  const owner = { keyId: key.id, project: project.id };
  return token === undefined || subject === null ? owner : { ...owner, token, subject };
}
