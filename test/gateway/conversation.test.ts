// Proves over HTTP what a conversation of several turns sends to the upstream: the memory of earlier turns stays byte for byte, so that
// prompt caches hold, nothing is said twice, and what was erased, deleted or made inactive is never said again.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";

let upstream: FakeUpstream;
let app: TestApp;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  upstream.answerWith(() => ({
    body: '{"choices":[{"index":0,"message":{"content":"Yes."},"finish_reason":"stop"}]}',
  }));
  const toml = `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["*"]\nmemory-deadline-ms = 20000\n`;
  app = await startTestApp({}, undefined, undefined, toml);
});
afterAll(async () => {
  await app.stop();
  await upstream.close();
});

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: Json;
  readonly tool_call_id?: string;
}
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const loop = (id: string): Message[] => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: `result of ${id}` },
];

async function openProject() {
  const { id, key } = await app.createProject("custom");
  const create = async (content: string, memory_type = "fact") => {
    const { data } = await app.call("POST", "/v1/memories", { key, body: { content, memory_type } });
    return String(data.id);
  };
  /** Sends the messages. @returns the body that the upstream got, as text */
  const send = async (messages: readonly Message[], others: { key?: string } = {}): Promise<string> => {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: "POST",
      headers: { Authorization: `Bearer ${others.key ?? key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model: "m", messages }),
    });
    expect(response.status).toBe(200);
    await response.text();
    return String(upstream.received.at(-1)?.body.toString());
  };
  const lastMemories = (): string[] => {
    const record = app.records(id).findLast(({ action }) => action === "gateway.chat");
    const results = Array.isArray(record?.payload.memory_results) ? record.payload.memory_results : [];
    return results.filter(isObject).map(({ content }) => String(content));
  };
  await create("The office wifi password is on the whiteboard in room 4.");
  const cat = await create("The cat of the office is called Mimi.");
  await create("Answer in complete sentences.", "rule");
  return { id, key, cat, create, send, lastMemories };
}

/** What the client has added to its last request is all that follows the common beginning. */
function common(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}
const contentsOf = (body: string): string[] => {
  const parsed: unknown = JSON.parse(body);
  const { messages = [] }: JsonObject = isObject(parsed) ? parsed : {};
  return (Array.isArray(messages) ? messages : []).filter(isObject).map(({ content }) => String(content));
};
const count = (body: string, text: string) => body.split(text).length - 1;

const wifi = "Where is the wifi password of the office?";
const named = "What is the cat of the office called?";

describe("a conversation", () => {
  test("repeats the memory of earlier turns byte for byte, in tool loops too, and says each memory once", async () => {
    const { create, send, lastMemories } = await openProject();
    const messages: Message[] = [user(wifi)];
    let before = await send(messages);
    expect(contentsOf(before)[1]).toContain("whiteboard in room 4");
    for (const step of [
      loop("1"),
      loop("2"),
      [assistant("It is there."), user(named)],
      loop("3"),
      [assistant("Mimi."), user(wifi)],
    ]) {
      // What is new meanwhile does not change what was said.
      await create(`The office has ${messages.length} rooms with wifi.`);
      messages.push(...step);
      const body = await send(messages);
      expect(common(before, body)).toBe(before.length - "]}".length);
      expect(count(body, "whiteboard in room 4")).toBe(1);
      expect(count(body, "called Mimi")).toBeLessThanOrEqual(1);
      before = body;
    }
    expect(count(before, "called Mimi")).toBe(1);
    // The record says everything that the model was told, also in earlier messages.
    expect(lastMemories()).toEqual(
      expect.arrayContaining(["The cat of the office is called Mimi.", "Answer in complete sentences."]),
    );
  });

  test("has the same bytes for the same question, and a new rule is behind the others", async () => {
    const { create, send } = await openProject();
    const first = await send([user(wifi)]);
    expect(await send([user(wifi)])).toBe(first);
    await create("Never send an e-mail without asking.", "rule");
    const [system = ""] = contentsOf(await send([user(wifi)]));
    expect(system.indexOf("complete sentences")).toBeLessThan(system.indexOf("Never send"));
    const [former = ""] = contentsOf(first);
    expect(common(former, system)).toBe(former.indexOf("</rules>"));
  });

  test.each(["deleted", "made inactive", "erased"])("does not repeat a memory that was %s", async (how) => {
    const { key, cat, send } = await openProject();
    const messages = [user(named)];
    expect(await send(messages)).toContain("called Mimi");
    if (how === "deleted") await app.call("DELETE", `/v1/memories/${cat}`, { key });
    if (how === "made inactive")
      await app.call("PUT", `/v1/memories/${cat}`, { key, body: { is_active: false } });
    if (how === "erased") await app.administer(eraseRecords, { memory: cat, delete_memory: true });
    messages.push(...loop("1"));
    expect(await send(messages)).not.toContain("Mimi");
    messages.push(assistant("I do not know."), user(named));
    expect(await send(messages)).not.toContain("Mimi");
  });

  test("keeps the memory of a turn when something else is erased", async () => {
    const { create, send } = await openProject();
    const messages = [user(wifi)];
    const before = await send(messages);
    const other = await create("Something that nobody has asked for.");
    await app.administer(eraseRecords, { memory: other, delete_memory: true });
    messages.push(...loop("1"));
    const after = await send(messages);
    expect(common(before, after)).toBe(before.length - "]}".length);
  });

  test("of another key or project is told nothing of it", async () => {
    const { id, send } = await openProject();
    await send([user(named)]);
    const other = await app.createKey(id, ["gateway.use"]);
    const body = await send([user(named), ...loop("1")], { key: other.key });
    expect(body).not.toContain("Mimi");
    const stranger = await app.createProject("custom");
    expect(await send([user(named), ...loop("1")], { key: stranger.key })).not.toContain("Mimi");
  });
});

describe("a client that has put in memories itself", () => {
  test.each([
    [
      "in the words of the user, as hooks do",
      (prompt: string) => [user(`<system-reminder>\n${prompt}</system-reminder>\n${wifi}`)],
    ],
    ["in the system prompt", (prompt: string) => [{ role: "system", content: prompt }, user(wifi)]],
    ["in an earlier turn", (prompt: string) => [user(`${prompt}\nHello`), assistant("Hello."), user(wifi)]],
  ])("%s gets none of them twice, and what is missing", async (_, messagesOf) => {
    const { key, create, send } = await openProject();
    const { data } = await app.call("POST", "/v1/memories/inject", { key, body: { query: wifi } });
    const messages = messagesOf(String(data.prompt));
    const body = await send(messages);
    expect(body).toBe(JSON.stringify({ model: "m", messages }));
    await create("The wifi password of the office changes every Monday.");
    await create("Never tell a password to guests.", "rule");
    const later = await send(messages);
    for (const text of [
      "whiteboard in room 4",
      "complete sentences",
      "changes every Monday",
      "Never tell a password",
    ])
      expect(count(later, text)).toBe(1);
  });
});
