// Proves that a record says what the model was told: the ids of the memories, and the digests of the sections in the request that a real
// upstream has received. The digests are computed here from the received bytes, with another hash function.

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { runtime } from "../calls/storage/seam.ts";
import { findSecondVerdict, findVerdict } from "../crash/verify.ts";
import { startTestGateway, type TestGateway } from "./exchanges.ts";
import { eventStream, type PreparedAnswer } from "./fake-upstream.ts";
import { chatEvents } from "./upstream-shapes.ts";

let gateway: TestGateway;
/** Ids of the memories by their contents. */
const ids = new Map<string, string>();
beforeAll(async () => {
  gateway = await startTestGateway(`
[[gateway.upstreams]]
name = "nobody"
kind = "openai"
base-url = "http://127.0.0.1:9/v1"
models = ["unreachable"]
memory-deadline-ms = 60000
`);
  const remember = async (content: string, type?: string) =>
    ids.set(content, await gateway.remember(content, type));
  // A context that is older than a fact, and texts that JSON and the prompt escape.
  await remember("The printer in room 4 is broken: “out of paper”\n<b>again</b>.", "context");
  await remember("The password of the office printer is on the whiteboard in room 4.");
  await remember("Always answer in complete sentences.", "rule");
});
afterAll(() => gateway[Symbol.asyncDispose]());
afterEach(() => {
  gateway.openai.answerWith(null);
  gateway.anthropic.answerWith(null);
});

const question = "Where is the password of the printer in room 4?";
const user = { role: "user", content: question };
const parts = { role: "user", content: [{ type: "text", text: question }] };
const system = { role: "system", content: "You help." };

const sections = /<memories>\n[\s\S]*?<\/memories>\n/g;
/** What a received request has told the model: sections in the order of its bytes, and the memories of their lines. */
function toldIn(body: Buffer | Json): JsonObject {
  const found = stringsIn(Buffer.isBuffer(body) ? JSON.parse(body.toString("utf8")) : body).flatMap(
    (each) => each.match(sections) ?? [],
  );
  const lines = found.flatMap((each) => each.split("\n").filter((line) => line.startsWith("- (")));
  return {
    memories: lines.map((line) => ids.get(JSON.parse(line.slice(line.indexOf('"')))) ?? "unknown"),
    sections: found.map((each) => createHash("sha256").update(each, "utf8").digest("hex")),
  };
}

/** In the order of the text that was parsed. */
function stringsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

async function ask(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await gateway.post(path, body, headers);
  await response.text().catch(() => "");
  return gateway.lastRecord().payload;
}
const countOf = (told: Json | undefined) => {
  const { memories, sections: found } = isObject(told) ? told : {};
  return [memories, found].map((each) => (Array.isArray(each) ? each.length : 0));
};

const chat = "/v1/chat/completions";
test.each<[string, string, object]>([
  ["chat", chat, { model: "fake", messages: [user] }],
  ["chat with parts and instructions", chat, { model: "fake", messages: [system, parts] }],
  ["chat as a stream", chat, { model: "fake", messages: [user], stream: true }],
  ["responses", "/v1/responses", { model: "fake", input: question }],
  [
    "responses with the instructions at the end",
    "/v1/responses",
    { model: "fake", input: [user], instructions: "You help." },
  ],
  [
    "responses with a stored prompt",
    "/v1/responses",
    { model: "fake", prompt: { id: "p" }, input: question },
  ],
  ["messages", "/v1/messages", { model: "claude", max_tokens: 9, messages: [user] }],
  [
    "messages with the system prompt at the end",
    "/v1/messages",
    { model: "claude", max_tokens: 9, messages: [parts], system: [{ type: "text", text: "You help." }] },
  ],
  ["a count of tokens", "/v1/messages/count_tokens", { model: "claude", messages: [user] }],
])("%s", async (_, path, body) => {
  const { told } = await ask(path, body);
  const upstream = path.startsWith("/v1/messages") ? gateway.anthropic : gateway.openai;
  expect(told).toEqual(toldIn(upstream.received.at(-1)?.body ?? Buffer.from("null")));
  expect(countOf(told)).toEqual([3, 2]);
});

test("the section of an earlier message is told again, in its place", async () => {
  const first = { role: "user", content: "Where is the password of the office printer written down?" };
  await ask(chat, { model: "fake", messages: [first] });
  const later = [
    first,
    { role: "assistant", content: "On the whiteboard." },
    { role: "user", content: "Thanks!" },
  ];
  const { told } = await ask(chat, { model: "fake", messages: later });
  expect(told).toEqual(toldIn(gateway.openai.received.at(-1)?.body ?? null));
  expect(countOf(told)[1]).toBeGreaterThan(1);
});

test("an injection says what its section tells", async () => {
  const { data } = await gateway.app.call("POST", "/v1/memories/inject", {
    body: { query: question, min_similarity: 0 },
  });
  const record = gateway.app.records(gateway.app.projectId).at(-1);
  expect([record?.action, record?.payload.told]).toEqual(["memory.inject", toldIn(data.prompt ?? null)]);
  expect(countOf(record?.payload.told)).toEqual([3, 1]);
});

test("who was told nothing has no such member", async () => {
  expect(
    (await ask(chat, { model: "fake", messages: [user] }, { "memledger-memory": "off" })).told,
  ).toBeUndefined();
  const nobody = { tags: ["nobody"], query: question };
  await gateway.app.call("POST", "/v1/memories/search", { body: { query: question } });
  expect(gateway.app.records(gateway.app.projectId).at(-1)?.payload.told).toBeUndefined();
  const project = await gateway.app.createProject("custom");
  await gateway.app.call("POST", "/v1/memories/inject", { key: project.key, body: nobody });
  expect(gateway.app.records(project.id).at(-1)?.payload.told).toBeUndefined();
});

const [piece = ""] = chatEvents("fake", "On the whiteboard.", false);
const failures: readonly [string, PreparedAnswer][] = [
  ["refuses", { status: 500, body: "{}" }],
  ["redirects", { status: 307, headers: { location: "/" }, body: "" }],
  ["breaks off a stream", { headers: eventStream, body: [piece], end: "close" }],
  ["answers too late", { body: "", delayMs: 2_500 }],
];
test.each(failures)("an upstream that %s was told it", async (_, answer) => {
  gateway.openai.answerWith(() => answer);
  const { told } = await ask(chat, { model: "fake", messages: [user], stream: true });
  expect(told).toEqual(toldIn(gateway.openai.received.at(-1)?.body ?? null));
  expect(countOf(told)).toEqual([3, 2]);
});

test("an upstream that cannot be reached was told nothing", async () => {
  const payload = await ask(chat, { model: "unreachable", messages: [user] });
  expect([payload.memory, payload.told]).toEqual(["injected", undefined]);
});

const lateFailures: readonly [string, number, PreparedAnswer][] = [
  ["failure", 504, { body: "", delayMs: 2_500 }],
  [
    "refusal that quotes the prompt",
    400,
    {
      status: 400,
      body: JSON.stringify({ error: { message: "Not allowed: the whiteboard" } }),
      delayMs: 700,
    },
  ],
];
test.each(lateFailures)(
  "the record of a %s says nothing of what was erased meanwhile",
  async (_, status, answer) => {
    const project = await gateway.app.createProject("custom");
    const { data } = await gateway.app.call("POST", "/v1/memories", {
      key: project.key,
      body: { content: "The password is on the whiteboard in room 4.", memory_type: "fact" },
    });
    gateway.openai.answerWith(() => answer);
    const sent = gateway.openai.received.length;
    const headers = { authorization: `Bearer ${project.key}` };
    const asked = gateway.post(chat, { model: "fake", messages: [user] }, headers);
    while (gateway.openai.received.length === sent) await Bun.sleep(5);
    expect(countOf(toldIn(gateway.openai.received.at(-1)?.body ?? null))).toEqual([1, 1]);
    await gateway.app.administer(eraseRecords, { memory: String(data.id) });
    expect((await asked).status).toBe(status);
    const newest = () => gateway.app.records(project.id).at(-1);
    // An answer is complete before its record is there.
    while (newest()?.action !== "gateway.chat") await Bun.sleep(5);
    const { payload } = newest() ?? {};
    expect(payload?.memory).toBe("injected");
    expect(Object.keys(payload ?? {})).toEqual(expect.not.arrayContaining(["told"]));
    expect(JSON.stringify(payload)).not.toContain(question);
    expect(JSON.stringify(payload)).not.toContain("whiteboard");
    expect(payload?.left_out).toContain("erasure");
  },
);

test("it is a part of its own", async () => {
  await ask(chat, { model: "fake", messages: [user] });
  const { dataDir } = gateway.app.config;
  const database = openDatabase(locate(dataDir).database, runtime, { readonly: true });
  const texts = database
    .prepare<[], { text: Uint8Array }>(
      "SELECT p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number WHERE e.action = 'gateway.chat' ORDER BY e.number DESC LIMIT 1",
    )
    .get()?.text;
  database.close();
  const lines = Bun.zstdDecompressSync(texts ?? new Uint8Array())
    .toString()
    .split("\n");
  const told = lines.filter((line) => line.includes('"sections":'));
  expect(told).toEqual([expect.stringContaining('{"about":[],"at":["/told"]}\t{"memories":[')]);
  expect(told[0]).not.toBe(lines[0]);
});

test("both verifiers accept the records", async () => {
  const { dataDir } = gateway.app.config;
  expect(await findVerdict(["bun", "src/main.ts"], dataDir)).toEqual([]);
  expect(await findSecondVerdict(dataDir)).toEqual([]);
});
