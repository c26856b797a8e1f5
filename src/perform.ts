// Owns the one door that every call goes through: identify, limit, authorise, validate, prepare, then settle in the store.
// Transports hand in what they received and print the answer; none of them decides anything.

import { authorise, unauthenticated } from "./access/authorise.ts";
import type { Prices } from "./access/credits.ts";
import { digestSecret, secretFrom } from "./access/key.ts";
import type { Plans } from "./access/plan.ts";
import { planOf } from "./access/project.ts";
import type { RateLimiter } from "./access/rate.ts";
import { createStrangers } from "./access/strangers.ts";
import type { Answer, Call, Refused } from "./call.ts";
import type { Clock } from "./clock.ts";
import { Refusal } from "./errors.ts";
import { isInteroperable, type JsonObject } from "./json.ts";
import type { Logger } from "./logger.ts";
import type { Extractor } from "./memory/extraction.ts";
import type { EmbeddingRole, InstallationOperation, Operation, ProjectOperation } from "./operation.ts";
import { mergeInput, type Request, readBody, readOrigin } from "./request.ts";
import { createParser } from "./schema.ts";
import { internalMessage, toRefusalAnswer } from "./settle.ts";
import type { Store } from "./store.ts";

export interface Perform {
  /** @throws nothing: every outcome is an answer. */
  forProject(operation: ProjectOperation, request: Request): Promise<Answer>;
  /** For callers whose authority is this machine itself: the command line. */
  forInstallation(operation: InstallationOperation, input: JsonObject): Promise<Answer>;
}

export interface PerformTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
  readonly prices: Prices;
  readonly extractor: Extractor;
  embed(text: string, role: EmbeddingRole): Promise<Float32Array>;
}

export function createPerform(tools: PerformTools): Perform {
  const judgeStranger = createStrangers();
  return {
    forProject: (operation, request) =>
      answer(tools, () => performForProject(tools, operation, request, judgeStranger)),
    forInstallation: (operation, input) =>
      answer(tools, () => performForInstallation(tools, operation, input)),
  };
}

async function performForProject(
  tools: PerformTools,
  operation: ProjectOperation,
  request: Request,
  judgeStranger: ReturnType<typeof createStrangers>,
): Promise<Answer> {
  const { store, clock, plans, limiter } = tools;
  const secret = secretFrom(request.authorization);
  const caller = secret === null ? null : await store.access.findCaller(digestSecret(secret));
  if (caller === null) return answerStranger(tools, operation, request, judgeStranger);

  const plan = planOf(caller.project, plans);
  const waitSeconds = limiter.take(caller.key.id, plan.rate, clock.elapsed());
  if (waitSeconds > 0) throw rateLimited(waitSeconds);

  const body = readBody(request.body);
  const { origin, fault } = readOrigin(request);
  const decide = async (): Promise<Call["plan"]> => {
    authorise(operation, caller, plan, clock.now());
    if (request.fault !== null) throw request.fault;
    if (fault !== null) throw fault;
    if (body.refused !== null) throw body.refused;
    const input = parserOf(operation)(mergeInput(request.parameters, body.fields));
    const { embed, prices, extractor } = tools;
    const { signal } = request;
    const now = clock.now();
    const preparation = { caller, plan, store, embed, prices, extractor, signal, now };
    const prepared = await operation.prepare(input, preparation);
    return { refused: null, input, prepared };
  };
  return store.commit({
    operation: operation.name,
    keyId: caller.key.id,
    origin,
    arrivedAt: request.arrivedAt,
    body: body.recorded,
    unreadableBody: body.unreadable,
    plan: await decide().catch((error: unknown) => ({ refused: toRefused(tools, error) })),
  });
}

async function performForInstallation(
  tools: PerformTools,
  operation: InstallationOperation,
  input: JsonObject,
): Promise<Answer> {
  const decide = async (): Promise<Call["plan"]> => {
    const parsed = parserOf(operation)(input);
    const prepared = (await operation.prepare?.(parsed, { store: tools.store })) ?? null;
    return { refused: null, input: parsed, prepared };
  };
  return tools.store.commit({
    operation: operation.name,
    keyId: null,
    origin: { ip: null, userAgent: null, metadata: null },
    arrivedAt: tools.clock.elapsed(),
    body: isInteroperable(input) ? input : null,
    unreadableBody: null,
    plan: await decide().catch((error: unknown) => ({ refused: toRefused(tools, error) })),
  });
}

/** Calls without a known key are recorded on the installation's chain, but nobody may fill the disk without a key. */
async function answerStranger(
  tools: PerformTools,
  operation: ProjectOperation,
  request: Request,
  judgeStranger: ReturnType<typeof createStrangers>,
): Promise<Answer> {
  const verdict = judgeStranger(request.ip ?? "unknown", tools.clock.elapsed());
  if (verdict.kind === "limit" && verdict.uncounted === null) throw rateLimited(verdict.waitSeconds);
  const refusal = verdict.kind === "limit" ? tooManyStrangers(verdict) : unknownKey(request.authorization);
  return tools.store.commit({
    operation: operation.name,
    keyId: null,
    origin: { ip: request.ip, userAgent: request.userAgent, metadata: null },
    arrivedAt: request.arrivedAt,
    body: null,
    unreadableBody: null,
    plan: { refused: toRefused(tools, refusal) },
  });
}

function unknownKey(authorization: string | null): Refusal {
  return unauthenticated(
    authorization === null
      ? "The Authorization header is missing. Send Authorization: Bearer <API_KEY>."
      : "The API key is unknown or malformed. Send exactly one header Authorization: Bearer <API_KEY>.",
  );
}

function tooManyStrangers({
  waitSeconds,
  uncounted,
}: {
  waitSeconds: number;
  uncounted: number | null;
}): Refusal {
  const message = `Too many calls without a known key: ${uncounted} from this address were not recorded one by one. Wait ${waitSeconds} s.`;
  return new Refusal(1429, message, { calls: uncounted }, waitSeconds);
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
    const { code, message, data, retryAfterSeconds } = error;
    return { code, message, data, retryAfterSeconds };
  }
  const incident = crypto.randomUUID();
  tools.logger.error("a call failed", { incident, error });
  return { code: 1500, message: internalMessage(incident), data: { incident } };
}

function rateLimited(waitSeconds: number): Refusal {
  return new Refusal(
    1429,
    `Too many calls. Wait ${waitSeconds} s and send the call again.`,
    null,
    waitSeconds,
  );
}

const parsers = new WeakMap<Operation, (value: unknown) => Record<string, unknown>>();

function parserOf(operation: Operation): (value: unknown) => Record<string, unknown> {
  const parser = parsers.get(operation) ?? createParser(operation.input);
  parsers.set(operation, parser);
  return parser;
}
