// Proves the setting subject-from-user of an upstream: the user that a conversation names is its subject, within what the key may, and an erasure
// of it leaves its name in no file.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../everything-stored.ts";
import { extracted } from "../memory/remembering/answers.ts";
import { startTestGateway, type TestGateway } from "./exchanges.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";

let upstream: FakeUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  const table = (kind: string, address: string) =>
    `[[gateway.upstreams]]\nname = "users-${kind}"\nkind = "${kind}"\nbase-url = "${upstream.origin}${address}"\nmodels = ["app-*"]\nmemory-deadline-ms = 20000\nsubject-from-user = true\n`;
  gateway = await startTestGateway(table("openai", "/v1") + table("anthropic", ""));
  await gateway.remember("Ana is allergic to nuts.", "rule", { subject: "user:1" });
  await gateway.remember("Bo is allergic to milk.", "rule", { subject: "user:2" });
  await gateway.remember("Answer in one sentence.", "rule");
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const asking = [{ role: "user", content: "What can I eat?" }];
const chat = { model: "app-1", messages: asking };
const forms = [
  ["/v1/chat/completions", (user: unknown) => ({ ...chat, user })],
  ["/v1/chat/completions", (user: unknown) => ({ ...chat, user: null, safety_identifier: user })],
  ["/v1/responses", (user: unknown) => ({ model: "app-1", input: "What can I eat?", user })],
  [
    "/v1/responses",
    (user: unknown) => ({ model: "app-1", input: "What can I eat?", safety_identifier: user }),
  ],
  ["/v1/messages", (user: unknown) => ({ ...chat, max_tokens: 9, metadata: { user_id: user } })],
  ["/v1/messages/count_tokens", (user: unknown) => ({ ...chat, metadata: { user_id: user } })],
] as const;

const as = (key: string) => ({ authorization: `Bearer ${key}` });
const subject = (name: string) => ({ "Memledger-Subject": name });
/** What the upstream was told, and the subject of the record. */
const ask = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const before = upstream.received.length;
  const response = await gateway.post(path, body, headers);
  const text = await response.text();
  const sent = upstream.received.slice(before).map((each) => String(each.body));
  const { entry, payload } = gateway.lastRecord();
  return { status: response.status, text, told: sent.at(-1) ?? null, subject: entry.subject, payload };
};
const pseudonymOf = async (name: string): Promise<Json> =>
  (await ask("/v1/chat/completions", chat, subject(name))).subject ?? null;

describe.each(forms)("%s %#", (path, withUser) => {
  test("the user is the subject, whose memories are put in and whom the record is about", async () => {
    const one = await ask(path, withUser("user:1"));
    expect(one.status).toBe(200);
    expect(one.told).toContain("nuts");
    expect(one.told).toContain("Answer in one sentence.");
    expect(one.told).not.toContain("milk");
    expect(one.subject).toBe(await pseudonymOf("user:1"));
    expect((await ask(path, withUser(" user:2 "))).told).toContain("milk");
  });

  test("without a user, the request is for the project", async () => {
    const { told, subject: of } = await ask(path, withUser(null));
    expect(told).toContain("Answer in one sentence.");
    expect(told).not.toMatch(/nuts|milk/);
    expect(of).toBeUndefined();
  });

  test("what is no name is refused in the form of the API, and is in no record", async () => {
    for (const user of ["", "  ", "x".repeat(201), "a\nb", 7, { id: "user:1" }, ["user:1"], false]) {
      const { status, text, told, payload } = await ask(path, withUser(user));
      expect([user, status, told]).toEqual([user, 400, null]);
      const { error } = JSON.parse(text) as { error: JsonObject };
      expect(error.type).toBe("invalid_request_error");
      expect(String(error.message)).toMatch(/^Field "(user|safety_identifier|metadata\/user_id)" /);
      expect(payload.request_body).toBeUndefined();
    }
  });

  test("the header decides", async () => {
    for (const user of ["user:1", "", 7]) {
      const { status, told, subject: of } = await ask(path, withUser(user), subject("user:2"));
      expect([status, of]).toEqual([200, await pseudonymOf("user:2")]);
      expect(told).toContain("milk");
      expect(told).not.toContain("nuts");
    }
  });
});

describe("a bound key", () => {
  let one: string;
  let some: string;
  let token: string;
  beforeAll(async () => {
    const { app } = gateway;
    const create = async (name: string) =>
      (await app.createKey(app.projectId, ["memory.read", "gateway.use"], { subject: name })).key;
    one = await create("user:1");
    some = await create("user:*");
    token = String((await app.call("POST", "/v1/keys", { body: { subject: "user:1" } })).data.token);
  });

  test.each(forms)("gets nothing of another subject: %s %#", async (path, withUser) => {
    for (const key of [one, token]) {
      for (const [user, headers] of [
        ["user:2", {}],
        ["user:2", subject("user:2")],
        ["user:1", subject("user:2")],
      ] as const) {
        const { status, text, told } = await ask(path, withUser(user), { ...as(key), ...headers });
        expect([status, told]).toEqual([403, null]);
        expect(text).not.toContain("user:2");
      }
      for (const [user, headers] of [
        ["user:1", {}],
        [null, {}],
        ["user:2", subject("user:1")],
      ] as const) {
        const { status, told } = await ask(path, withUser(user), { ...as(key), ...headers });
        expect(status).toBe(200);
        expect(told).toContain("nuts");
        expect(told).not.toContain("milk");
      }
    }
  });

  test("for several subjects needs one of them", async () => {
    const path = "/v1/chat/completions";
    const sent = async (user: unknown, headers = {}) => {
      const { status, told } = await ask(path, { ...chat, user }, { ...as(some), ...headers });
      return [status, told?.includes("nuts") ?? null, told?.includes("milk") ?? null];
    };
    expect(await sent("user:2")).toEqual([200, false, true]);
    expect(await sent("admin")).toEqual([403, null, null]);
    expect(await sent(null)).toEqual([400, null, null]);
    expect(await sent("user:1", subject("admin"))).toEqual([403, null, null]);
    expect(await sent("admin", subject("user:1"))).toEqual([200, true, false]);
    const get = async (address: string) =>
      (await fetch(`${gateway.app.url}${address}`, { headers: as(some) })).status;
    // Clients that cannot set a header list the models first.
    expect(await get("/v1/models")).toBe(200);
    expect(gateway.lastRecord().entry).toMatchObject({ action: "gateway.models", status: 200 });
    expect(gateway.lastRecord().entry.subject).toBeUndefined();
    expect(await get("/v1/files")).toBe(403);
    expect(await get("/v1/responses/resp_1")).toBe(403);
  });
});

test("the setting is that of the upstream of the model, and off by default", async () => {
  for (const [path, model] of [
    ["/v1/chat/completions", "fake"],
    ["/v1/messages", "claude"],
  ] as const) {
    const body = { ...chat, model, max_tokens: 9, user: 7, metadata: { user_id: "" } };
    const response = await gateway.post(path, body);
    expect(response.status).toBe(200);
    await response.text();
    expect(gateway.lastRecord().entry.subject).toBeUndefined();
  }
});

test("what is no conversation has no subject", async () => {
  for (const [path, body] of [
    ["/v1/embeddings", { model: "app-1", input: "Ana", user: "user:1" }],
    ["/v1/embeddings", { model: "memledger-embed-v3", input: "Ana", user: "user:1" }],
    ["/v1/moderations", { model: "app-1", input: "Ana", user: "user:1" }],
  ] as const) {
    await (await gateway.post(path, body)).text();
    expect(gateway.lastRecord().entry.subject).toBeUndefined();
  }
});

test("a large body is read in its thread, and its user is the subject", async () => {
  const messages = [{ role: "user", content: "What can I eat? ".repeat(50_000) }];
  const { status, subject: of } = await ask("/v1/chat/completions", { ...chat, messages, user: "user:1" });
  expect([status, of]).toEqual([200, await pseudonymOf("user:1")]);
});

test("a call whose subject is erased meanwhile is recorded for its next pseudonym, without what was said", async () => {
  const { app } = gateway;
  await gateway.remember("Dan is allergic to eggs.", "rule", { subject: "user:3" });
  const former = await pseudonymOf("user:3");
  let erased: Promise<{ readonly data: JsonObject }> | null = null;
  gateway.beforeCommit(async ({ operation }) => {
    if (operation !== "gateway.chat" || erased !== null) return;
    erased = app.call("POST", "/v1/subjects/user:3/erase", { body: {} });
    await erased;
  });
  const {
    status,
    told,
    subject: of,
    payload,
  } = await ask("/v1/chat/completions", { ...chat, user: "user:3" });
  gateway.beforeCommit(null);
  expect(await erased).toMatchObject({ data: { erased: true } });
  expect(status).toBe(200);
  expect(told).toContain("eggs");
  expect(payload.left_out).toContain("erasure");
  expect(JSON.stringify(payload)).not.toMatch(/eggs|user:3/);
  expect(of).toBe(await pseudonymOf("user:3"));
  expect(of).not.toBe(former);
});

test("after an erasure, the name and the words are in no file, whatever became of the request", async () => {
  const { app } = gateway;
  const name = "Gustav Zweigelt";
  const words = ["Zweigelt", "Pyrenäenwanderung", "Kontrabassunterricht"];
  const said = (text: string, model = "app-1") => ({
    model,
    max_tokens: 9,
    messages: [{ role: "user", content: text }],
  });
  const remember = { "Memledger-Remember": "on" };
  const skipped = app.countRecords(app.projectId);
  const post = async (path: string, body: object, headers = {}) => {
    const response = await gateway.post(path, body, headers);
    await response.text();
    return response.status;
  };
  const first = said("Die Pyrenäenwanderung beginnt am 3. Juni. We decided that it takes two weeks.");
  expect(await post("/v1/chat/completions", { ...first, user: name }, remember)).toBe(200);
  const [extraction] = await extracted(app, 1);
  expect(extraction?.entry.subject).toBe(app.records(app.projectId, skipped)[0]?.entry.subject);
  const second = { ...said("Wer gibt Kontrabassunterricht?"), stream: true, metadata: { user_id: name } };
  expect(await post("/v1/messages", second)).toBe(200);
  upstream.answerWith(() => ({ status: 500, body: JSON.stringify({ error: { message: `no ${name}` } }) }));
  expect(await post("/v1/chat/completions", { ...second, user: name })).toBe(500);
  upstream.answerWith(null);
  // No upstream has the model; the messages are none; the key may not use the gateway.
  const third = { ...second, user: name, stream: false };
  expect(await post("/v1/chat/completions", { ...third, model: "other" })).toBe(404);
  expect(await post("/v1/chat/completions", { ...third, messages: name })).toBe(400);
  const { key } = await app.createKey(app.projectId, ["memory.read"]);
  expect(await post("/v1/chat/completions", third, as(key))).toBe(403);
  expect(payloadsIn(app.config.dataDir)).toContain(name);

  const { data } = await app.call("GET", `/v1/memories?subject=${encodeURIComponent(name)}`);
  expect(data.memories).not.toEqual([]);
  const { code } = await app.call("POST", `/v1/subjects/${encodeURIComponent(name)}/erase`, { body: {} });
  expect(code).toBe(1000);
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(words.filter((word) => stored.includes(word))).toEqual([]);
  });
  const { data: verified } = await app.call("GET", "/v1/audit/verify");
  expect(verified.failure).toBeNull();
});
