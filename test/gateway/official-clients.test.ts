// Proves with the official clients of both providers that the gateway is not noticed: each use of a client gives the same through it as
// without it, and the upstream gets the same request, except for the memory.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropicScenarios } from "./anthropic-scenarios.ts";
import type { Scenario } from "./client-scenarios.ts";
import type { ReceivedRequest } from "./fake-upstream.ts";
import { openAiScenarios } from "./openai-scenarios.ts";
import { prepareByModel } from "./prepared-answers.ts";
import { fact, rule, type ServedGateway, startGateway, upstreamKeys, withoutMemory } from "./served.ts";

let served: ServedGateway;
beforeAll(async () => {
  served = await startGateway();
  served.upstream.answerWith(prepareByModel);
});
afterAll(() => served[Symbol.asyncDispose]());

const withoutMemoryHeader = { "Memledger-Memory": "off" };
type Headers = Readonly<Record<string, string>>;
const openAi = (origin: string, apiKey: string, defaultHeaders: Headers = {}) =>
  new OpenAI({ baseURL: `${origin}/v1`, apiKey, defaultHeaders, organization: "org-1", logLevel: "off" });
const anthropic = (origin: string, apiKey: string, defaultHeaders: Headers = {}) =>
  new Anthropic({ baseURL: origin, apiKey, defaultHeaders, logLevel: "off" });

interface Seen {
  readonly result: unknown;
  readonly received: readonly ReceivedRequest[];
}

async function see<Client>(scenario: Scenario<Client>, client: Client): Promise<Seen> {
  const before = served.upstream.received.length;
  const result = await scenario.run(client);
  return { result, received: served.upstream.received.slice(before) };
}

const bodiesOf = ({ received }: Seen) => received.map(({ body }) => body.toString("utf8"));
/** Those that the gateway replaces, because they are about a connection or about credentials. */
const replaced = ["host", "connection", "accept-encoding", "authorization", "x-api-key", "content-length"];
const headersOf = ({ received }: Seen) =>
  received.map(({ method, path, headers }) => ({
    method,
    path,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !replaced.includes(name))
        .toSorted(),
    ),
  }));

/** Each API has its own header for keys. The client of Anthropic may use the one of OpenAI. */
const keyOf = ({ path, headers }: ReceivedRequest) =>
  path.startsWith("/v1/messages")
    ? headers["x-api-key"]
    : String(headers.authorization).replace(/^Bearer /, "");

/** The texts that the upstream quotes contain the memory. */
const told = (seen: Seen) => JSON.stringify(seen.result);

describe.each(openAiScenarios.map((scenario) => [scenario.name, scenario] as const))(
  "openai: %s",
  (_, scenario) => {
    test("is the same through the gateway", () => compare(scenario, openAi, upstreamKeys.openai));
    test("is the same with memory, which is all that the upstream gets besides", () =>
      compareWithMemory(scenario, openAi, upstreamKeys.openai));
  },
);

describe.each(anthropicScenarios.map((scenario) => [scenario.name, scenario] as const))(
  "anthropic: %s",
  (_, scenario) => {
    test("is the same through the gateway", () => compare(scenario, anthropic, upstreamKeys.anthropic));
    test("is the same with memory, which is all that the upstream gets besides", () =>
      compareWithMemory(scenario, anthropic, upstreamKeys.anthropic));
  },
);

type Connect<Client> = (origin: string, apiKey: string, headers?: Headers) => Client;

async function compare<Client>(scenario: Scenario<Client>, connect: Connect<Client>, upstreamKey: string) {
  const { app, upstream } = served;
  const direct = await see(scenario, connect(upstream.origin, upstreamKey));
  const through = await see(scenario, connect(app.url, app.apiKey, withoutMemoryHeader));
  expect(direct.received.length).toBeGreaterThan(0);
  expect(through.result).toEqual(direct.result);
  expect(bodiesOf(through)).toEqual(bodiesOf(direct));
  expect(headersOf(through)).toEqual(headersOf(direct));
  expect(through.received.map(keyOf)).toEqual(through.received.map(() => upstreamKey));
}

async function compareWithMemory<Client>(
  scenario: Scenario<Client>,
  connect: Connect<Client>,
  upstreamKey: string,
) {
  const { app, upstream, sections } = served;
  const direct = await see(scenario, connect(upstream.origin, upstreamKey));
  const through = await see(scenario, connect(app.url, app.apiKey));
  const bodies = bodiesOf(through);
  expect(bodies.map((body) => withoutMemory(body, sections))).toEqual(bodiesOf(direct));
  const hasMemory = !scenario.name.startsWith("embeddings");
  for (const body of bodies)
    expect([body.includes(rule), body.includes(fact)]).toEqual([hasMemory, hasMemory]);
  if (!told(direct).includes("I was told") && !scenario.name.includes("count"))
    expect(through.result).toEqual(direct.result);
}

test("openai: a client that gives up in the middle of a stream ends the request of the upstream, and the record says so", async () => {
  const { app, upstream } = served;
  const before = app.countRecords(app.projectId);
  const abandoned = upstream.abandoned;
  const stream = await openAi(app.url, app.apiKey).chat.completions.create({
    model: "endless",
    messages: [{ role: "user", content: "Hi" }],
    stream: true,
  });
  let chunks = 0;
  for await (const _ of stream) {
    chunks += 1;
    if (chunks === 3) break;
  }
  expect(chunks).toBe(3);
  await until(() => upstream.abandoned > abandoned);
  await until(() => app.records(app.projectId, before).some(({ action }) => action === "gateway.chat"));
  const record = app.records(app.projectId, before).find(({ action }) => action === "gateway.chat");
  expect(record?.status).toBe(499);
});

test("openai: the models are those of the upstream", async () => {
  const { app } = served;
  const models: string[] = [];
  for await (const { id } of openAi(app.url, app.apiKey).models.list()) models.push(id);
  expect(models).toContain("fake");
  expect(models).toContain("memledger-embed-v3");
});

test("openai: the model of the memories embeds texts without an upstream", async () => {
  const { app, upstream } = served;
  const before = upstream.received.length;
  const input = ["Releases are on Tuesdays.", "When do we release?", "The cat sleeps."];
  const { data, model } = await openAi(app.url, app.apiKey).embeddings.create({
    model: "memledger-embed-v3",
    input,
  });
  expect(upstream.received.length).toBe(before);
  expect(model).toBe("memledger-embed-v3");
  const [release = [], question = [], cat = []] = data.map(({ embedding }) => embedding);
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
  expect(dot(release, release)).toBeCloseTo(1, 3);
  expect(dot(release, question)).toBeGreaterThan(dot(cat, question));
});

test.each([
  [
    "openai",
    () =>
      openAi(served.app.url, "ml_wrong").chat.completions.create({
        model: "plain",
        messages: [{ role: "user", content: "Hi" }],
      }),
  ],
  [
    "anthropic",
    () =>
      anthropic(served.app.url, "ml_wrong").messages.create({
        model: "plain",
        max_tokens: 1,
        messages: [{ role: "user", content: "Hi" }],
      }),
  ],
] as const)("%s: a wrong key is the error of the client for wrong keys", async (_, call) => {
  const before = served.upstream.received.length;
  const error = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error && "status" in error)) throw new Error(`no error of the client: ${error}`);
  expect([error.constructor.name, error.status]).toEqual(["AuthenticationError", 401]);
  expect(served.upstream.received.length).toBe(before);
});

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it did not happen in time");
    await Bun.sleep(10);
  }
}
