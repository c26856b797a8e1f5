// Tells a text to a server over its gateway, lets it spread, erases it once, and looks for it in everything that the API shows and in every
// file of the data directory.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { traceRecords } from "../../src/calls/operations/ledger/trace-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "../gateway/fake-upstream.ts";
import { chatAnswer } from "../gateway/upstream-shapes.ts";
import { extracted } from "../memory/remembering/answers.ts";
import { toAsciiJson } from "../platform/text/ascii-json.ts";

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

interface Message {
  readonly role: string;
  readonly content: string;
}

/** What the assistant says, whatever it was told. */
const answers = {
  noted: "I will keep the allergy to pistachios in mind from now on.",
  restated: "You cannot eat that baklava, because it is full of pistachios.",
  other: "The meeting room on the second floor is free at three today.",
};

async function openConversations() {
  const { id, key } = await app.createProject("custom");
  const chat = async (messages: readonly Message[], answer: string, headers: Record<string, string> = {}) => {
    upstream.answerWith(() => ({ body: JSON.stringify(chatAnswer("m", answer)) }));
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ model: "m", messages }),
    });
    await response.text();
    expect(response.status).toBe(200);
    return response.headers.get("memledger-record") ?? "";
  };
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body === undefined ? { key } : { key, body });
  return { id, key, chat, call };
}

const remember = { "Memledger-Remember": "true" };
const without = { "Memledger-Memory": "off" };
const said = "I am allergic to pistachios.";

/** A text that spreads: said, remembered, injected, answered in other words, carried on in histories, and searched for. */
async function spread() {
  const project = await openConversations();
  const { chat, call, id } = project;
  const user = (content: string) => ({ role: "user", content });
  const assistant = (content: string) => ({ role: "assistant", content });
  const first = await chat([user(said)], answers.noted, remember);
  await extracted(app, 1, id);
  // The same conversation goes on without memory: its history has the text without an id.
  const history = [user(said), assistant(answers.noted), user("Is a room free?")];
  await chat(history, answers.other, without);
  // Another one is told the memory, repeats it in other words, and goes on without memory.
  const asked = [user("May I have the baklava?")];
  await chat(asked, answers.restated, remember);
  await extracted(app, 2, id);
  await chat([...asked, assistant(answers.restated), user("Thank you, see you.")], answers.other, without);
  await call("POST", "/v1/memories/search", { query: "What is she allergic to?" });
  await call("GET", "/v1/memories");
  await call("POST", "/v1/memories/extract", { text: `Notes of today. ${said.toUpperCase()} The end.` });
  // Records of something else, which stay.
  await chat([user("Which floor has the printers?")], answers.other, without);
  await call("POST", "/v1/memories", {
    content: "The printers are on the fourth floor.",
    memory_type: "fact",
  });
  const { data } = await call("GET", "/v1/memories?memory_type=fact");
  const memories = Array.isArray(data.memories) ? data.memories.filter(isObject) : [];
  const memory = memories.find(({ content }) => String(content).includes("pistachios"));
  return { ...project, first, memory: String(memory?.id) };
}

/** Everything that the API shows of the memories and the records of the project. */
async function everythingShown({ call }: Awaited<ReturnType<typeof openConversations>>): Promise<string> {
  const texts: string[] = [];
  const listed = await call("GET", "/v1/audit/logs?page_size=100");
  const logs = Array.isArray(listed.data.logs) ? listed.data.logs.filter(isObject) : [];
  texts.push(listed.text, (await call("GET", "/v1/memories?is_active=false")).text);
  for (const { id } of logs) texts.push((await call("GET", `/v1/audit/logs/${id}`)).text);
  texts.push((await call("GET", "/v1/memories")).text, (await call("GET", "/v1/memories/export")).text);
  texts.push((await call("POST", "/v1/memories/inject", {})).text);
  return texts.join("\n");
}

const kinds = (records: unknown): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const each of Array.isArray(records) ? records.filter(isObject) : [])
    counts[`${each.action} ${each.holding}`] = (counts[`${each.action} ${each.holding}`] ?? 0) + 1;
  return counts;
};

/** All files of the data directory, with the payloads of the database decompressed. */
function everythingStored(): string {
  const { dataDir } = app.config;
  const files = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)));
  const bytes = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file));
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
  const payloads = bytes.flatMap((each) => {
    const found: string[] = [];
    for (let at = each.indexOf(frame); at !== -1; at = each.indexOf(frame, at + 1)) {
      try {
        found.push(Buffer.from(Bun.zstdDecompressSync(each.subarray(at))).toString());
      } catch {
        // A page ends in the middle of it, or it is no frame. The table itself is read below.
      }
    }
    return found;
  });
  return [...bytes.map((each) => each.toString("latin1")), ...payloads].join("\n");
}

function payloadsOf(id: string): string {
  return JSON.stringify(app.records(id).map(({ payload }) => payload));
}

/** The parts of all payloads, also those that are inside an erased one. */
function storedPayloads(): string {
  using database = new Database(join(app.config.dataDir, "memledger.db"), { readonly: true });
  const rows = database.query("SELECT text FROM audit_payload").values();
  return rows
    .map(([text]) => Buffer.from(Bun.zstdDecompressSync(text as Uint8Array<ArrayBuffer>)))
    .join("\n");
}

const rest = (text: string) => text.match(/.{0,80}pistachio.{0,80}/gi) ?? [];

describe("a text that was remembered over the gateway", () => {
  for (const by of ["memory", "record"] as const) {
    test(`is nowhere after one erasure of its ${by}`, async () => {
      const spreading = await spread();
      const { id, first, memory } = spreading;
      const target: JsonObject = by === "memory" ? { memory } : { record: first };
      expect(rest(payloadsOf(id)).length).toBeGreaterThan(10);
      const before = app.countRecords(id);
      const traced = await app.administer(traceRecords, target);
      expect(kinds(traced.records)).toMatchObject({ "gateway.chat origin": 1, "memory.search shown": 1 });
      expect(Number(traced.repeated)).toBeGreaterThanOrEqual(3);
      expect(app.countRecords(id)).toBe(before);
      expect(rest(payloadsOf(id)).length).toBeGreaterThan(10);

      const erased = await app.administer(eraseRecords, { ...target, delete_memory: true });
      expect(erased).toMatchObject({ deleted_memories: [memory], remaining_memories: [] });
      expect(erased.redacted).toBe(Number(erased.origin) + Number(erased.shown) + Number(erased.repeated));
      expect(rest(payloadsOf(id))).toEqual([]);
      expect(rest(await everythingShown(spreading))).toEqual([]);
      expect(rest(everythingStored())).toEqual([]);
      // What is about something else is still there.
      expect(payloadsOf(id)).toContain("Which floor has the printers?");
      expect((await spreading.call("GET", "/v1/memories")).text).toContain(
        "The printers are on the fourth floor.",
      );
      expect((await spreading.call("GET", "/v1/audit/verify")).data.verdict).toBe("unattested");
    });
  }

  test("is nowhere, in whatever form a program has written its characters", async () => {
    const { id, chat, call } = await openConversations();
    const text = 'Zoë must not eat "Käse" or pistachios.';
    const { data } = await call("POST", "/v1/memories", { content: text, memory_type: "fact" });
    const inAscii = toAsciiJson({ note: text });
    const inHtml = text.replace(/[^ -~]/g, (unit) => `&#${unit.charCodeAt(0)};`).replaceAll('"', "&quot;");
    for (const form of [inAscii, JSON.stringify({ result: inAscii }), inHtml, text.replace("st", "s\u00adt")])
      await chat([{ role: "user", content: `A tool says: ${form}` }], answers.other, without);
    await call("GET", `/v1/files?said=${encodeURIComponent(text)}`);
    await app.administer(eraseRecords, { memory: String(data.id), delete_memory: true });
    expect(payloadsOf(id)).not.toMatch(/must/i);
    expect(everythingStored()).not.toMatch(/not(?: |%20)eat/);
  });

  test("is found where a message has divided it into parts", async () => {
    const { id, key, call } = await openConversations();
    const content = "Ottilie Quarzbein lives at Zimbelweg forty-two.";
    const { data } = await call("POST", "/v1/memories", { content, memory_type: "fact" });
    const parts = ["Ottilie Quarzbein", "lives at Zimbelweg forty-two."].map((text) => ({
      type: "text",
      text,
    }));
    const messages = [{ role: "user", content: parts }];
    upstream.answerWith(() => ({ body: JSON.stringify(chatAnswer("m", answers.other)) }));
    await app.call("POST", "/v1/chat/completions", { key, body: { model: "m", messages }, headers: without });
    expect(payloadsOf(id)).toContain("Zimbelweg");
    await app.administer(eraseRecords, { memory: String(data.id), delete_memory: true });
    expect(payloadsOf(id)).not.toContain("Zimbelweg");
  });

  test("takes the headings and the speaker of an imported memory with it, and leaves those of others", async () => {
    const { id, call } = await openConversations();
    const item = (content: string, lead: string, name: string) => ({
      ...{ content, memory_type: "fact", lead },
      origins: [{ name, said_at: "2024-03-12T10:00:00Z" }],
    });
    const memories = [
      item("The gate opens at nine.", "House / Wisteria", "Ludmilla Osterby"),
      item("The yard closes at ten.", "House / Larkspur", "Henrike Vollmar"),
    ];
    const { data } = await call("POST", "/v1/memories/batch", { memories });
    const [first] = Array.isArray(data.results) ? data.results.filter(isObject) : [];
    await call("GET", "/v1/memories");
    await call("POST", "/v1/memories/search", { query: "When does the gate open?" });
    await app.administer(eraseRecords, { memory: String(first?.id), delete_memory: true });
    for (const stored of [payloadsOf(id), everythingStored()])
      expect(stored).not.toMatch(/Wisteria|Osterby|gate opens at nine/);
    expect(payloadsOf(id)).toMatch(/Larkspur/);
    expect(payloadsOf(id)).toMatch(/Vollmar/);
  });

  test("is found inside a part that another erasure has taken", async () => {
    const { id, call } = await openConversations();
    const create = async (content: string) =>
      String((await call("POST", "/v1/memories", { content, memory_type: "fact" })).data.id);
    const first = await create("Gravel orders");
    const messages = [
      { role: "user", content: "Wendeline hides the spare key under the third flowerpot." },
      { role: "assistant", content: "I see." },
      { role: "user", content: "What do we order for the path to the gate?" },
    ];
    await call("POST", "/v1/memories/inject", { messages, tags: ["gravel orders"] });
    const second = await create(String(messages[0]?.content));
    await app.administer(eraseRecords, { memory: first, delete_memory: true });
    // The API does not show it any more.
    expect(payloadsOf(id).match(/flowerpot/g)).toHaveLength(2);
    expect(storedPayloads().match(/flowerpot/g)).toHaveLength(3);
    await app.administer(eraseRecords, { memory: second, delete_memory: true });
    expect(storedPayloads()).not.toContain("flowerpot");
  });

  test("is found in another case, also of letters that become several", async () => {
    const { id, chat, call } = await openConversations();
    const content = "Die Schlüssel liegen Hauptstraße 7.";
    const { data } = await call("POST", "/v1/memories", { content, memory_type: "fact" });
    await chat([{ role: "user", content: content.toUpperCase() }], answers.other, without);
    expect(payloadsOf(id)).toContain("HAUPTSTRASSE");
    await app.administer(eraseRecords, { memory: String(data.id), delete_memory: true });
    expect(payloadsOf(id)).not.toContain("HAUPTSTRASSE");
  });

  test("is in no check, whichever memory the check expects", async () => {
    const { call } = await openConversations();
    const create = async (content: string) =>
      String((await call("POST", "/v1/memories", { content, memory_type: "fact" })).data.id);
    const memory = await create(said);
    const other = await create("The printers are on the fourth floor.");
    const check = (query: string) => call("POST", "/v1/checks", { query, expected_memory_id: other });
    await check(`Is it true? ${said}`);
    await check("Where are the printers?");
    const erased = await app.administer(eraseRecords, { memory, delete_memory: true });
    expect(erased.checks).toBe(1);
    const listed = (await call("GET", "/v1/checks")).text;
    expect([rest(listed), listed.includes("Where are the printers?")]).toEqual([[], true]);
  });

  test("of one short word takes no record of something else with it", async () => {
    const { id, chat, call } = await openConversations();
    const { data } = await call("POST", "/v1/memories", { content: "Tea", memory_type: "fact" });
    const memory = String(data.id);
    await chat(
      [{ role: "user", content: "The auditors drink tea with us on Friday." }],
      answers.other,
      without,
    );
    const traced = await app.administer(traceRecords, { memory });
    expect([kinds(traced.records), traced.memories]).toEqual([{ "memory.create shown": 1 }, [memory]]);
    await app.administer(eraseRecords, { memory, delete_memory: true });
    expect(payloadsOf(id)).toContain("The auditors drink tea");
  });

  test("stays in the records of another project, which has said the same", async () => {
    const other = await openConversations();
    await other.chat([{ role: "user", content: said }], answers.noted);
    const { memory } = await spread();
    await app.administer(eraseRecords, { memory, delete_memory: true });
    expect(payloadsOf(other.id)).toContain(said);
  });
});
