// Tests the only entry point of all operations: which refusal comes first, and that every failure is an answer and a record.

import { afterAll, describe, expect, test } from "bun:test";
import { defaultPlans } from "../../src/access/plan.ts";
import { createRateLimiter } from "../../src/access/rate.ts";
import type { Answer } from "../../src/calls/contract/answer.ts";
import type { ProjectOperation } from "../../src/calls/contract/operation.ts";
import type { ReceivedInput, Request } from "../../src/calls/contract/request.ts";
import { createMemory } from "../../src/calls/operations/memories/create.ts";
import { readMemory } from "../../src/calls/operations/memories/read.ts";
import { updateMemory } from "../../src/calls/operations/memories/update.ts";
import { searchMemories } from "../../src/calls/operations/search/search.ts";
import { createPerform, type Perform } from "../../src/calls/perform.ts";
import { bodiesHere } from "../../src/gateway/bodies.ts";
import { noReranker } from "../../src/memory/search/reranker.ts";
import { Refusal, unavailable } from "../../src/platform/errors.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { testTokens } from "../access/tokens.ts";
import { checkChains } from "../audit/chain-check.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../gateway/no-gateway.ts";
import { keepsSecrets } from "./in-process.ts";
import { reportedSettings } from "./reported-settings.ts";
import { openSeam, seamModel, unitVector } from "./storage/seam.ts";

const seam = await openSeam();
afterAll(() => seam.close());

/** What the embedder does with the next text. */
let embed: (text: string) => Promise<Float32Array> = async (text) => unitVector(text.length);
const logged: string[] = [];
const log = (message: string, fields?: unknown) => void logged.push(`${message} ${Bun.inspect(fields)}`);
const perform: Perform = createPerform({
  store: seam.store,
  clock: createClock(),
  plans: defaultPlans,
  settings: reportedSettings,
  limiter: createRateLimiter(),
  logger: { debug: log, info: log, warn: log, error: log },
  embeddingModel: () => "of-the-test",
  reranker: noReranker,
  embed: async (text) => ({ vector: await embed(text), model: seamModel.sha256 }),
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
});

const text = (value: string): Pick<ReceivedInput, "receiveBody"> => ({
  receiveBody: async () => ({ kind: "text", bytes: Buffer.from(value), text: value }),
});
const json = (value: unknown) => text(JSON.stringify(value));
const advice = {
  missing: "The Authorization header is missing.",
  unknown: "The API key is unknown or malformed.",
};
const arrival = (
  secret: string | null,
  { metadata = null, ...input }: Partial<ReceivedInput> & { metadata?: string | null } = {},
): Request => ({
  credentials: { kind: "key", secret, advice },
  input: {
    kind: "received",
    parameters: {},
    fault: null,
    receiveBody: async () => ({ kind: "none" }),
    ...input,
  },
  origin: {
    transport: "http",
    ip: "127.0.0.1",
    userAgent: null,
    client: null,
    metadata:
      metadata === null
        ? null
        : { value: metadata, label: "The header X-Audit-Metadata", field: "X-Audit-Metadata" },
  },
  signal: new AbortController().signal,
});

function parse({ status, code, message, data }: Answer): {
  status: number;
  code: number;
  message: string;
  data: JsonObject | null;
} {
  return { status, code, message, data: JSON.parse(data ?? "null") };
}

async function newSecret(fields: JsonObject, permissions: string[]): Promise<string> {
  const project = await seam.administer("project.create", { name: crypto.randomUUID(), ...fields });
  const { data } = await seam.administer("key.create", { project: String(project.data.id), permissions });
  return String(data.key);
}

function countRecords(): number {
  return [...checkChains(seam.path).values()].reduce((sum, count) => sum + count, 0);
}

/** Performs, and checks that exactly one record came of it. */
async function recorded(operation: ProjectOperation, request: Request): Promise<ReturnType<typeof parse>> {
  const before = countRecords();
  const { answer } = await perform(operation, request);
  expect(countRecords()).toBe(before + 1);
  return parse(answer);
}

describe("everything wrong at once is answered with the first thing to repair", async () => {
  const malformed = text("{");
  const all = ["memory.read", "memory.write"];
  const reader = await newSecret({ plan: "custom" }, ["memory.read"]);
  const free = await newSecret({ plan: "free" }, all);
  const writer = await newSecret({ plan: "custom" }, all);
  const fault = new Refusal(1400, 'Query parameter "x" is unknown.');
  const wrong = { fault, metadata: "[]", ...malformed, parameters: {} };

  test.each<[string, Request, number, RegExp]>([
    ["no key", arrival(null, wrong), 1401, /header is missing/],
    ["an unknown key", arrival(`ml_${"0".repeat(43)}`, wrong), 1401, /unknown or malformed/],
    ["no permission", arrival(reader, wrong), 1403, /memory\.write/],
    ["no plan", arrival(free, wrong), 2106, /plan/],
    ["a faulty address", arrival(writer, wrong), 1400, /Query parameter/],
    ["faulty metadata", arrival(writer, { ...wrong, fault: null }), 1400, /X-Audit-Metadata/],
    ["a faulty body", arrival(writer, { ...wrong, fault: null, metadata: null }), 1400, /not valid JSON/],
    ["a faulty field", arrival(writer, json({ content: 1, memory_type: "fact" })), 1400, /"content"/],
    ["nothing", arrival(writer, json({ content: "fine", memory_type: "fact" })), 1000, /success/],
  ])("%s", async (_, request, code, message) => {
    const answer = await recorded(createMemory, request);
    expect(answer).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("a field that belongs into the address is refused in the body", async () => {
    const request = arrival(writer, {
      parameters: { memory_id: "0".repeat(32) },
      ...json({ memory_id: "1".repeat(32), importance: 1 }),
    });
    expect(await recorded(updateMemory, request)).toMatchObject({ code: 1400, data: { field: "memory_id" } });
  });

  test("a JSON body that is no object is refused", async () => {
    for (const body of ["[]", "null", "7", '"text"', "true"]) {
      expect(await recorded(createMemory, arrival(writer, text(body)))).toMatchObject({
        code: 1400,
      });
    }
  });
});

describe("a failing embedder", async () => {
  const secret = await newSecret({ plan: "custom" }, ["memory.read", "memory.write"]);
  const create = (content: string) => arrival(secret, json({ content, memory_type: "fact" }));
  const search = arrival(secret, json({ query: "x" }));

  test("that is busy is answered with its refusal", async () => {
    embed = async () => {
      throw unavailable("Busy; repeat the call.");
    };
    expect(await recorded(createMemory, create("a"))).toMatchObject({
      status: 503,
      code: 1503,
      message: "Busy; repeat the call.",
    });
    expect(await recorded(searchMemories, search)).toMatchObject({ status: 503, code: 1503 });
  });

  test("that breaks is answered with an incident that is logged, and nothing of its text", async () => {
    embed = async () => {
      throw new Error("secret detail in /some/path");
    };
    logged.length = 0;
    const answer = await recorded(createMemory, create("a"));
    expect(answer).toMatchObject({ status: 500, code: 1500 });
    expect(answer.message).not.toContain("secret detail");
    expect(logged.join()).toContain("secret detail");
    expect(answer.data?.incident).toMatch(/^[0-9a-f-]{36}$/);
    expect(logged.join()).toContain(String(answer.data?.incident));
    expect(answer.message).toContain(String(answer.data?.incident));
  });

  test("is forgotten when it works again", async () => {
    embed = async (content) => unitVector(content.length);
    const created = await recorded(createMemory, create("a"));
    expect(created.code).toBe(1000);
    const read = arrival(secret, { parameters: { memory_id: String(created.data?.id) } });
    expect(await recorded(readMemory, read)).toMatchObject({ code: 1000, data: { content: "a" } });
  });
});

test("a rate-limited call is refused before anything else and leaves no record", async () => {
  const secret = await newSecret({ plan: "free" }, ["memory.read"]);
  const answers: number[] = [];
  const before = countRecords();
  for (let call = 0; call < 12; call++)
    answers.push(parse((await perform(searchMemories, arrival(secret))).answer).code);
  const limited = answers.filter((code) => code === 1429).length;
  expect(answers.slice(0, 5)).toEqual([2106, 2106, 2106, 2106, 2106]);
  expect(limited).toBeGreaterThanOrEqual(5);
  expect(countRecords() - before).toBe(12 - limited);
});
