// Owns the one door that every call goes through: identify, limit, authorise, validate, prepare, then settle in the store.
// Transports hand in what they received and print the answer; none of them decides anything.

import { createHash } from "node:crypto";
import { authorise, unauthenticated } from "./access/authorise.ts";
import { digestSecret, secretFrom } from "./access/key.ts";
import type { Plans } from "./access/plan.ts";
import { planOf } from "./access/project.ts";
import type { RateLimiter } from "./access/rate.ts";
import { createStrangers } from "./access/strangers.ts";
import type { Answer, Call, Origin, Refused, UnreadableBody } from "./call.ts";
import type { Clock } from "./clock.ts";
import { type ErrorCode, Refusal } from "./errors.ts";
import { isInteroperable, isObject, type JsonObject } from "./json.ts";
import { metadataMaxBytes } from "./limits.ts";
import type { Logger } from "./logger.ts";
import type { EmbeddingRole, InstallationOperation, Operation, ProjectOperation } from "./operation.ts";
import { createParser } from "./schema.ts";
import { internalMessage, toRefusalAnswer } from "./settle.ts";
import type { Store } from "./store.ts";

/** What a transport received, before anything is trusted. */
export interface Request {
  /** The value of the Authorization header. */
  readonly authorization: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The value of the X-Audit-Metadata header. */
  readonly metadata: string | null;
  /** Path and query parameters, already in the types of the schema where they have that form. */
  readonly parameters: JsonObject;
  /** What is wrong with the request's form and only its transport can see; answered once the caller is authorised. */
  readonly fault: Refusal | null;
  readonly body: RequestBody;
  /** Clock.elapsed() at arrival. */
  readonly arrivedAt: number;
}

export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly bytes: Uint8Array; readonly text: string }
  | {
      readonly kind: "unreadable";
      readonly bytes: Uint8Array;
      readonly code: 1400 | 1415;
      readonly message: string;
    };

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
    const { embed } = tools;
    const prepared = await operation.prepare(input, { caller, plan, store, embed, now: clock.now() });
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

interface ReadBody {
  readonly fields: JsonObject;
  readonly refused: Refusal | null;
  /** What the audit record keeps: the body itself, or the digest of one that cannot be kept. */
  readonly recorded: JsonObject | null;
  readonly unreadable: UnreadableBody | null;
}

function readBody(body: RequestBody): ReadBody {
  if (body.kind === "none") return { fields: {}, refused: null, recorded: null, unreadable: null };
  const unreadable = {
    length: body.bytes.length,
    sha256: createHash("sha256").update(body.bytes).digest("hex"),
  };
  const refuse = (code: ErrorCode, message: string): ReadBody => ({
    fields: {},
    refused: new Refusal(code, message),
    recorded: null,
    unreadable,
  });
  if (body.kind === "unreadable") return refuse(body.code, body.message);
  try {
    const value: unknown = JSON.parse(body.text);
    if (!isObject(value)) return refuse(1400, "The body must be a JSON object, such as {}.");
    // A body that the ledger cannot hold is still judged field by field, so that the message can name the fault.
    return isInteroperable(value)
      ? { fields: value, refused: null, recorded: value, unreadable: null }
      : { fields: value, refused: null, recorded: null, unreadable };
  } catch {
    return refuse(1400, "The body is not valid JSON. Check quotes, commas and that it is complete.");
  }
}

/** A body cannot name what the path or the query already says. */
function mergeInput(parameters: JsonObject, fields: JsonObject): JsonObject {
  const twice = Object.keys(parameters).find((name) => Object.hasOwn(fields, name));
  if (twice !== undefined) {
    const reason = "belongs in the URL, not in the body";
    throw new Refusal(1400, `Field "${twice}" ${reason}.`, { field: twice, reason });
  }
  return { ...fields, ...parameters };
}

function readOrigin({ ip, userAgent, metadata }: Request): { origin: Origin; fault: Refusal | null } {
  if (metadata === null) return { origin: { ip, userAgent, metadata: null }, fault: null };
  const parsed = parseMetadata(metadata);
  const fault = parsed === null ? new Refusal(1400, metadataMessage, { field: "X-Audit-Metadata" }) : null;
  return { origin: { ip, userAgent, metadata: parsed }, fault };
}

const metadataMessage = `The header X-Audit-Metadata must be a JSON object of at most ${metadataMaxBytes} bytes. Shorten or leave it out.`;

function parseMetadata(text: string): JsonObject | null {
  if (Buffer.byteLength(text) > metadataMaxBytes) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isInteroperable(value) ? value : null;
  } catch {
    return null;
  }
}

const parsers = new WeakMap<Operation, (value: unknown) => Record<string, unknown>>();

function parserOf(operation: Operation): (value: unknown) => Record<string, unknown> {
  const parser = parsers.get(operation) ?? createParser(operation.input);
  parsers.set(operation, parser);
  return parser;
}
