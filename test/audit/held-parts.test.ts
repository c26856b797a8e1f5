// Proves which parts of each kind of record an erasure takes: all that the text of the memory is in, and nothing of other memories.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findHeldParts, type HeldText } from "../../src/audit/parts/held-parts.ts";
import { exampleDetail } from "../../src/audit/record-schema.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { traceRecords } from "../../src/calls/operations/ledger/trace-records.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "../gateway/fake-upstream.ts";
import { chatAnswer } from "../gateway/upstream-shapes.ts";

let upstream: FakeUpstream;
let app: TestApp;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  const toml = `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["*"]\nmemory-floor = 0\nmemory-deadline-ms = 20000\n`;
  app = await startTestApp({}, undefined, undefined, toml);
});
afterAll(async () => {
  await app.stop();
  await upstream.close();
});

const itemsOf = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);

async function openProject() {
  const { id, key } = await app.createProject("custom");
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, path, body === undefined ? { key, headers } : { key, body, headers });
  /** Of the newest record of an action, after an erasure. */
  const erasedIn = async (action: string): Promise<unknown> => {
    const { data } = await call("GET", `/v1/audit/logs?action=${action}&page_size=1`);
    const detail = await call("GET", `/v1/audit/logs/${itemsOf(data.logs)[0]?.id}`);
    return detail.data.redacted === true ? "all" : detail.data.erased_places;
  };
  const textOf = (action: string) =>
    JSON.stringify(app.records(id).flatMap((each) => (each.action === action ? [each.payload] : [])));
  return { id, call, erasedIn, textOf };
}

const create = (content: string) => ({ content, memory_type: "rule" });

test("a text that is too short to be looked for is erased where the record names its memory", async () => {
  const { call, erasedIn, textOf } = await openProject();
  const batch = { memories: ["No fish today", "Tea", "Use the stairs"].map(create) };
  const { data } = await call("POST", "/v1/memories/batch", batch);
  const memory = String(itemsOf(data.results)[1]?.id);
  await call("PUT", `/v1/memories/${memory}`, { content: "Sake" });
  await call("GET", `/v1/memories/${memory}`);
  await call("GET", "/v1/memories");
  const { data: injected } = await call("POST", "/v1/memories/inject", {});
  expect(String(injected.prompt)).toContain("Sake");
  const place = (list: Json | undefined, isIt: (item: JsonObject) => boolean) =>
    itemsOf(list).findIndex(isIt);
  const rule = place(injected.rules, ({ id }) => id === memory);
  const erased = await app.administer(eraseRecords, { memory, delete_memory: true });
  expect(erased).toMatchObject({ redacted: 5, shown: 5, memory: "deleted" });
  expect(await erasedIn("memory.create_batch")).toEqual(["/request_body/memories/1"]);
  expect(await erasedIn("memory.update")).toEqual(
    expect.arrayContaining(["/request_body", "/response_body/data/content", "/former_values"]),
  );
  expect(await erasedIn("memory.read")).toEqual(["/response_body/data/content"]);
  expect(await erasedIn("memory.list")).toEqual([
    expect.stringMatching(/^\/response_body\/data\/memories\/\d$/),
  ]);
  expect(await erasedIn("memory.inject")).toEqual(
    expect.arrayContaining(["/response_body/data/prompt", `/response_body/data/rules/${rule}`]),
  );
  for (const action of ["memory.create_batch", "memory.list", "memory.inject"]) {
    expect(textOf(action)).toContain("Use the stairs");
    expect(textOf(action)).toContain("No fish today");
    expect(textOf(action)).not.toMatch(/"Tea"|Sake/);
  }
  // Nothing is left to erase, although the records still name the memory.
  const traced = await app.administer(traceRecords, { memory });
  expect(traced).toMatchObject({ records: [], shown: 0 });
  expect((await call("GET", "/v1/audit/verify")).data.failure).toBeNull();
});

test("an extraction loses what was said and the memory, and keeps the others that it made", async () => {
  const { call, erasedIn, textOf } = await openProject();
  const text = "I live in Pemmingtonby. My sister Mathilda plays the cello. I never eat herring.";
  const { data } = await call("POST", "/v1/memories/extract", { text });
  const items = itemsOf(data.extracted);
  expect(items.length).toBeGreaterThan(1);
  const index = items.findIndex(({ content }) => String(content).includes("Pemmingtonby"));
  await app.administer(eraseRecords, { memory: String(items[index]?.id), delete_memory: true });
  // The output repeats all memories in one text.
  expect(await erasedIn("memory.extract")).toEqual([
    "/request_body",
    "/input_content",
    `/response_body/data/extracted/${index}`,
    "/output_content",
  ]);
  expect(textOf("memory.extract")).not.toContain("Pemmingtonby");
  for (const [at, { content }] of items.entries())
    if (at !== index) expect(textOf("memory.extract")).toContain(JSON.stringify(content).slice(1, -1));
});

test("an answer of a model that was told the memory goes with it, and other messages stay", async () => {
  const { call, erasedIn, textOf } = await openProject();
  const stays = String((await call("POST", "/v1/memories", create("Never promise dates."))).data.id);
  const memory = String((await call("POST", "/v1/memories", create("Ada drinks oolong."))).data.id);
  upstream.answerWith(() => ({ body: JSON.stringify(chatAnswer("m", "She prefers it over coffee.")) }));
  const messages = [{ role: "user", content: "What shall I bring for the guest?" }];
  await call("POST", "/v1/chat/completions", { model: "m", messages });
  expect(textOf("gateway.chat")).toContain(memory);
  await app.administer(eraseRecords, { memory, delete_memory: true });
  const erased = await erasedIn("gateway.chat");
  expect(erased).toEqual(expect.arrayContaining(["/output_content"]));
  const said = textOf("gateway.chat");
  expect([said.includes("over coffee"), said.includes("oolong"), said.includes(memory)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([said.includes("What shall I bring"), said.includes(stays)]).toEqual([true, true]);
});

test("a check of the memory loses its query, which the answer repeats", async () => {
  const { call, erasedIn, textOf } = await openProject();
  const memory = String((await call("POST", "/v1/memories", create("Ada drinks oolong."))).data.id);
  await call("POST", "/v1/checks", { query: "Which leaves does she brew?", expected_memory_id: memory });
  expect(textOf("check.create")).toContain("she brew");
  await app.administer(eraseRecords, { memory, delete_memory: true });
  expect(await erasedIn("check.create")).toContain("/response_body/data/query");
  expect(textOf("check.create")).not.toContain("she brew");
});

test("an error of an upstream that was told the memory goes with it, also where the record repeats its message", async () => {
  const { call, textOf } = await openProject();
  const memory = String((await call("POST", "/v1/memories", create("Ada drinks oolong."))).data.id);
  upstream.answerWith(() => ({
    status: 400,
    body: JSON.stringify({ error: { message: "Not allowed: drinks oolo..." } }),
  }));
  const messages = [{ role: "user", content: "What shall I bring for the guest?" }];
  await call("POST", "/v1/chat/completions", { model: "m", messages });
  expect(textOf("gateway.chat")).toContain(memory);
  await app.administer(eraseRecords, { memory, delete_memory: true });
  expect(textOf("gateway.chat")).not.toContain("oolo");
  expect(textOf("gateway.chat")).toContain("What shall I bring");
});

test("a memory that is one of the server's own words takes nothing of other records with it", async () => {
  const { call, textOf } = await openProject();
  await call("POST", "/v1/memories", create("Never promise dates."));
  const memory = String((await call("POST", "/v1/memories", create("Injected"))).data.id);
  await app.administer(eraseRecords, { memory, delete_memory: true });
  upstream.answerWith(() => ({ body: JSON.stringify(chatAnswer("m", "Bring a cake.")) }));
  const messages = [{ role: "user", content: "What shall I bring for the guest?" }];
  await call("POST", "/v1/chat/completions", { model: "m", messages });
  expect(textOf("gateway.chat")).toContain('"memory":"injected"');
  const again = String((await call("POST", "/v1/memories", create("Injected"))).data.id);
  await app.administer(eraseRecords, { memory: again, delete_memory: true });
  for (const text of ["What shall I bring", "Bring a cake", "Never promise dates"])
    expect(textOf("gateway.chat")).toContain(text);
  expect(textOf("memory.create")).not.toContain("Injected");
});

test("an appended record loses all, because its client has chosen all of it", async () => {
  const { call, erasedIn } = await openProject();
  const memory = String((await call("POST", "/v1/memories", create("Ada drinks oolong."))).data.id);
  await call("POST", "/v1/audit/logs", {
    action: "gateway.chat",
    http_status: 200,
    request_body: { note: "Somebody said: ada drinks OOLONG" },
  });
  expect(await app.administer(traceRecords, { memory })).toMatchObject({
    records: [
      { action: "memory.create", parts: 2 },
      { action: "gateway.chat", holding: "repeated", parts: null },
    ],
  });
  // The trace has named the memory, too.
  expect(await app.administer(eraseRecords, { memory })).toMatchObject({
    redacted: 3,
    parts: 4,
    repeated: 1,
  });
  expect(await erasedIn("gateway.chat")).toBe("all");
});

test("a text that only several parts have together is erased with all of them", async () => {
  const { call, erasedIn, textOf } = await openProject();
  const content = "Ottilie Quarzbein lives at Zimbelweg forty-two.";
  const memory = String((await call("POST", "/v1/memories", create(content))).data.id);
  upstream.answerWith(() => ({ status: 400, body: "{}" }));
  const input = ["Ottilie Quarzbein", "lives at Zimbelweg forty-two."].map((text) => ({
    type: "input_text",
    text,
  }));
  const off = { "Memledger-Memory": "off" };
  await call("POST", "/v1/responses", { model: "m", input, instructions: "Be brief." }, off);
  expect(textOf("gateway.responses")).toContain("Zimbelweg");
  await app.administer(eraseRecords, { memory, delete_memory: true });
  expect(textOf("gateway.responses")).not.toContain("Zimbelweg");
  expect(await erasedIn("gateway.responses")).not.toContain("/sender");
});

test("digests of what a model was told go with any other part, and with the id of a memory alone", () => {
  const told = { index: 3, places: ["/told"], text: '{"memories":["a"],"sections":["b"]}' };
  const parts = [
    { index: 0, places: [""], text: "{}" },
    { index: 1, places: ["/request_body/messages/0"], text: '{"content":"x"}' },
    { index: 2, places: ["/sender"], text: '{"ip_address":"::1"}' },
    told,
  ];
  const held: HeldText = {
    holding: "repeated",
    detail: { ...exampleDetail, performed: true },
    isTarget: false,
    isOther: false,
    memories: [],
    repeats: (text) => text.includes("x"),
    says: () => false,
  };
  expect(findHeldParts(parts, held)).toEqual([1, 3]);
  const nothing = { ...held, holding: "shown", repeats: () => false } as const;
  expect(findHeldParts(parts, nothing)).toEqual([]);
  expect(
    findHeldParts([...parts.slice(0, 3), { ...told, text: '{"memories":["id"]}' }], {
      ...nothing,
      memories: ["id"],
    }),
  ).toEqual([3]);
  expect(findHeldParts(parts, { ...held, isTarget: true })).toBeNull();
});

test("an injection that was performed for a conversation loses its query, also where the answer repeats it", () => {
  const parts = [
    { index: 0, places: [""], text: "{}" },
    { index: 1, places: ["/request_body"], text: '{"query":"It is there."}' },
    { index: 2, places: ["/response_body/data/query"], text: '"It is there."' },
    { index: 3, places: ["/response_body/data/results/0"], text: '{"content":"Something else"}' },
    { index: 4, places: ["/sender"], text: '{"ip_address":"::1"}' },
  ];
  const held: HeldText = {
    holding: "origin",
    detail: { ...exampleDetail, action: "memory.inject", memory_id: null, performed: true },
    isTarget: false,
    isOther: false,
    memories: [],
    repeats: () => false,
    says: () => false,
  };
  expect(findHeldParts(parts, held)).toEqual([1, 2]);
});
