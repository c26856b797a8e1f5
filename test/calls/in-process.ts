// An example of a transport that is not HTTP: it hands in objects and gets values back, as MCP and a gateway do. Must never import
// anything of a real transport.

import { defaultPlans } from "../../src/access/plan.ts";
import { createRateLimiter } from "../../src/access/rate.ts";
import type { Operation } from "../../src/calls/contract/operation.ts";
import type { Transport } from "../../src/calls/contract/request.ts";
import { createPerform, type Perform, type PerformTools } from "../../src/calls/perform.ts";
import { bodiesHere } from "../../src/gateway/bodies.ts";
import type { Redactor } from "../../src/memory/extraction/redactor.ts";
import { noReranker } from "../../src/memory/search/reranker.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { testTokens } from "../access/tokens.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../gateway/no-gateway.ts";
import { reportedSettings } from "./reported-settings.ts";
import { type Member, neverAborted, type Seam, seamModel, unitVector } from "./storage/seam.ts";

export interface Called {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** Null where the operation has nothing to tell. */
  readonly data: Json;
}

export type Send = (operation: Operation, fields: JsonObject, metadata?: JsonObject) => Promise<Called>;

/** @param secret null: the client has no key. */
export function openClient(perform: Perform, secret: string | null, transport: Transport = "mcp"): Send {
  return async (operation, fields, metadata) => {
    const { answer } = await perform(operation, {
      credentials: {
        kind: "key",
        secret,
        advice: { missing: "There is no key. Give one to the client.", unknown: "The key is unknown." },
      },
      input: { kind: "object", fields },
      origin: {
        transport,
        ip: null,
        userAgent: null,
        client: "example/1.2",
        metadata:
          metadata === undefined ? null : { value: metadata, label: 'The field "_meta"', field: "_meta" },
      },
      signal: neverAborted,
    });
    const { status, code, message, data } = answer;
    return { status, code, message, data: JSON.parse(data ?? "null") };
  };
}

/** All of a server's calls without a server and without a model. */
export function openCalls(seam: Seam, tools: Partial<PerformTools> = {}): Perform {
  const log = () => {};
  return createPerform({
    store: seam.store,
    clock: createClock(),
    plans: defaultPlans,
    settings: reportedSettings,
    limiter: createRateLimiter(),
    logger: { debug: log, info: log, warn: log, error: log },
    embed: async (text) => ({ vector: unitVector(text.length), model: seamModel.sha256 }),
    embeddingModel: () => "of-the-test",
    reranker: noReranker,
    gateway: noGateway,
    memoryOutcomes: nobodyCounts,
    bodies: bodiesHere,
    injectedSections: nothingKept,
    tokens: testTokens,
    forward: cannotForward,
    prices: { extractionCredits: 1, chargeDryRuns: true, creditUsd: 0 },
    extractors: {
      builtIn: { name: "built-in", extract: async () => ({ items: [], model: null, usage: null }) },
      languageModel: null,
      passagesLastMs: null,
    },
    redactor: keepsSecrets,
    ...tools,
  });
}

/** For tests of something else. */
export const keepsSecrets: Redactor = {
  redactSource: async (source) => ({ source, redacted: [] }),
  redactItems: async (items) => ({ items, redacted: [] }),
};

export async function newSecret(
  seam: Seam,
  project: Pick<Member, "id">,
  permissions: readonly string[],
): Promise<string> {
  const { data } = await seam.administer("key.create", {
    project: project.id,
    permissions: [...permissions],
  });
  return String(data.key);
}

export interface FoundRecord {
  readonly entry: JsonObject;
  readonly payload: JsonObject;
}

/** The newest records of the project, oldest first. */
export async function recordsOf(
  seam: Seam,
  { caller }: Pick<Member, "caller">,
  limit = 100,
): Promise<FoundRecord[]> {
  const everything = { from: null, to: null, action: null, keyId: null, memoryId: null, statusClass: null };
  const query = { ...everything, limit, through: null, total: null, after: { skip: 0 } };
  const { records } = await seam.store.audit.list(caller.project, query, neverAborted);
  return records
    .map(({ entry, payload }) => ({ entry: toObject(entry), payload: toObject(payload) }))
    .reverse();
}

function toObject(text: string | null): JsonObject {
  const value: unknown = JSON.parse(text ?? "{}");
  if (!isObject(value)) throw new Error("a record holds no object");
  return value;
}
