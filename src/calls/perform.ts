// Owns the one door that every call goes through: identify, limit, authorise, validate, prepare, then settle in the store.
// Transports hand in what they received and print the answer; none of them decides anything.

import { authorise, keyFault } from "../access/authorise.ts";
import { type BodyBudget, createBodyBudget } from "../access/body-budget.ts";
import type { Caller } from "../access/caller.ts";
import type { Prices } from "../access/credits.ts";
import { digestSecret, secretFrom } from "../access/key.ts";
import type { Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import type { RateLimiter } from "../access/rate.ts";
import { createReservations, type Reservations } from "../access/reservations.ts";
import {
  createStrangers,
  type JudgeStranger,
  tooManyStrangers,
  unknownKey,
} from "../access/unauthenticated-limit.ts";
import { createPagePins, type PagePins } from "../audit/page-pins.ts";
import type { Clock } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { isInteroperable, type JsonObject } from "../json/json.ts";
import {
  extractionQueueLimits,
  extractionsPerProject,
  largeBodyMinBytes,
  strangerUserAgentMaxCharacters,
} from "../limits.ts";
import type { Logger } from "../log/logger.ts";
import type { Embed } from "../memory/embedding.ts";
import type { Extractor } from "../memory/extractor.ts";
import { createFairGate, type FairGate } from "../scheduling/fair-gate.ts";
import { createTurns } from "../scheduling/turns.ts";
import { createParser } from "../schema/schema.ts";
import type { Store } from "../storage/store.ts";
import { logAdministration } from "./administration-log.ts";
import { type Answer, internalFailure, type Refused, toRefusalAnswer } from "./answer.ts";
import type { Call } from "./call.ts";
import type { InstallationOperation, Operation, ProjectOperation } from "./operation.ts";
import { nothingKept, type Request, readInput, readOrigin, recordParameters } from "./request.ts";

export interface Perform {
  /** @throws nothing: every outcome is an answer. */
  forProject(operation: ProjectOperation, request: Request): Promise<Performed>;
  /** For callers whose authority is this machine itself: the command line. */
  forInstallation(operation: InstallationOperation, input: JsonObject): Promise<Answer>;
}

export interface Performed {
  readonly answer: Answer;
  /** Null when the key is unknown. */
  readonly caller: Caller | null;
}

export interface PerformTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
  readonly prices: Prices;
  readonly extractor: Extractor;
  readonly embed: Embed;
}

export function createPerform(tools: PerformTools): Perform {
  const places = { places: Number.POSITIVE_INFINITY, placesPerProject: extractionsPerProject };
  const doors = {
    judgeStranger: createStrangers(),
    pagePins: createPagePins(tools.clock),
    claimBody: createBodyBudget(),
    turnForLargeBody: createTurns(),
    reservations: createReservations((project) => tools.store.access.findCredits(project)),
    inTurn: createFairGate({ ...places, limits: extractionQueueLimits }),
  };
  return {
    async forProject(operation, request) {
      let caller: Caller | null = null;
      const answered = await answer(tools, async () => {
        caller = await findCaller(tools.store, request);
        return performForProject(tools, operation, request, caller, doors);
      });
      return { answer: answered, caller };
    },
    async forInstallation(operation, input) {
      const answered = await answer(tools, () => performForInstallation(tools, operation, input));
      logAdministration(tools.logger, operation, input, answered);
      return answered;
    },
  };
}

/** What is remembered over all calls. */
interface Doors {
  readonly judgeStranger: JudgeStranger;
  readonly pagePins: PagePins;
  readonly claimBody: BodyBudget;
  /** Resolves when a large body may be read. */
  readonly turnForLargeBody: () => Promise<void>;
  readonly reservations: Reservations;
  /** What Preparation.inTurn waits for. */
  readonly inTurn: FairGate;
}

function findCaller({ access }: Store, { authorization }: Request): Promise<Caller | null> {
  const secret = secretFrom(authorization);
  return secret === null ? Promise.resolve(null) : access.findCaller(digestSecret(secret));
}

async function performForProject(
  tools: PerformTools,
  operation: ProjectOperation,
  request: Request,
  caller: Caller | null,
  { judgeStranger, pagePins, claimBody, turnForLargeBody, inTurn, reservations }: Doors,
): Promise<Answer> {
  const { store, clock, plans, limiter } = tools;
  const refuseStranger = (keyId: string | null, refusal: Refusal) =>
    answerStranger(tools, operation, request, { keyId, refusal }, judgeStranger);
  if (caller === null) return refuseStranger(null, unknownKey(request.authorization));
  const invalid = keyFault(caller, clock.now());
  if (invalid !== null) return refuseStranger(caller.key.id, invalid);
  const plan = planOf(caller.project, plans);
  const waitSeconds = limiter.take(caller.key.id, plan.rate, clock.elapsed());
  if (waitSeconds > 0) throw rateLimited(waitSeconds);

  using claim = claimBody(caller.project.id);
  using credits = reservations(caller.project);
  const { origin, fault } = readOrigin(request);
  const call = {
    ...{ operation: operation.name, keyId: caller.key.id, project: caller.project.id },
    ...{ origin, arrivedAt: request.arrivedAt },
    ...recordParameters(request.parameters, operation.feature === "memory"),
  };
  try {
    authorise(operation, caller, plan, clock.now());
    if (request.fault !== null) throw request.fault;
    if (fault !== null) throw fault;
  } catch (error) {
    return await store.commit({ ...call, ...nothingKept, decision: { refused: toRefused(tools, error) } });
  }
  const { parameters, signal } = request;
  const body = await request.receiveBody(claim);
  if ("bytes" in body && body.bytes.length >= largeBodyMinBytes) await turnForLargeBody();
  const { kept, ...reading } = readInput(body, parameters, parserOf(operation));
  const decide = async (): Promise<Call["decision"]> => {
    if (reading.input === null) throw reading.fault;
    const { prices, extractor } = tools;
    const waiter = { project: caller.project.id, signal };
    const prepared = await operation.prepare(reading.input, {
      ...{ caller, plan, store, prices, extractor, pagePins, signal, now: clock.now() },
      embed: (text, role) => tools.embed(text, role, waiter),
      inTurn: (work) => inTurn(waiter, work),
      reserve: (cost) => credits.reserve(cost),
    });
    credits.settle();
    return { refused: null, parameters, prepared };
  };
  return await store.commit({
    ...call,
    ...kept,
    decision: await decide().catch((error: unknown) => ({ refused: toRefused(tools, error) })),
  });
}

async function performForInstallation(
  tools: PerformTools,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<Answer> {
  const decide = async (): Promise<Call["decision"]> => {
    const parsed = parserOf(operation)(input);
    const prepared = (await operation.prepare?.(parsed, { store: tools.store })) ?? null;
    return { refused: null, parameters: {}, prepared };
  };
  return tools.store.commit({
    operation: operation.name,
    keyId: null,
    origin: { ip: null, userAgent: null, metadata: null },
    arrivedAt: tools.clock.elapsed(),
    ...{ memoryId: null, parameters: null },
    bodyText: isInteroperable(input) ? JSON.stringify(input) : null,
    unreadableBody: null,
    decision: await decide().catch((error: unknown) => ({ refused: toRefused(tools, error) })),
  });
}

/**
 * Calls without a valid key: of an unknown one they are recorded on the installation's chain, of a revoked or expired one on its
 * project's. Their bodies are never received, and few of them are recorded: nobody may fill the disk without a valid key.
 */
async function answerStranger(
  tools: PerformTools,
  operation: ProjectOperation,
  request: Request,
  { keyId, refusal }: { readonly keyId: string | null; readonly refusal: Refusal },
  judgeStranger: JudgeStranger,
): Promise<Answer> {
  const verdict = judgeStranger(request.ip ?? "unknown", tools.clock.elapsed());
  if (verdict.kind === "limit" && verdict.uncounted === null) throw rateLimited(verdict.waitSeconds);
  const told =
    verdict.kind === "limit" && verdict.uncounted !== null
      ? tooManyStrangers(verdict.uncounted, verdict.waitSeconds)
      : null;
  return tools.store.commit({
    operation: operation.name,
    // A count is of many keys and of none, so it is the installation's.
    keyId: told === null ? keyId : null,
    origin: {
      ip: request.ip,
      userAgent: request.userAgent?.slice(0, strangerUserAgentMaxCharacters).toWellFormed() ?? null,
      metadata: null,
    },
    arrivedAt: request.arrivedAt,
    ...{ memoryId: null, parameters: null },
    ...nothingKept,
    decision: { refused: toRefused(tools, told ?? refusal) },
  });
}

async function answer(tools: PerformTools, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    return toRefusalAnswer(toRefused(tools, error));
  }
}

function toRefused(tools: PerformTools, error: unknown): Refused {
  if (error instanceof Refusal) {
    const { code, message, data, retryAfterSeconds, details } = error;
    return { code, message, data, retryAfterSeconds, details };
  }
  const incident = crypto.randomUUID();
  tools.logger.error("a call failed", { incident, error });
  return internalFailure(incident);
}

function rateLimited(waitSeconds: number): Refusal {
  return new Refusal(1429, `Too many calls. Wait ${waitSeconds} s and send the call again.`, {}, waitSeconds);
}

const parsers = new WeakMap<Operation, (value: unknown) => Record<string, unknown>>();

function parserOf(operation: Operation): (value: unknown) => Record<string, unknown> {
  const parser = parsers.get(operation) ?? createParser(operation.input);
  parsers.set(operation, parser);
  return parser;
}
