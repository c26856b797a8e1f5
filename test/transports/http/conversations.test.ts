// Tests what is stored of a conversation over HTTP: every word, once, with who said it and when, and nothing else.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
const week = [
  {
    role: "user",
    id: "m1",
    name: "Ana",
    said_at: "2026-03-12T10:00:00Z",
    content: "Welche Datenbank nehmen wir?",
  },
  { role: "assistant", id: "m2", said_at: "2026-03-12T10:00:05Z", content: "Postgres 17." },
  { role: "user", id: "m3", name: "Ana", said_at: "2026-03-12T10:01:00Z", content: "リリースは金曜日です。" },
];

async function open(fields: JsonObject = {}) {
  const project = await app.createProject("pro", fields);
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/v1/memories${path}`, { key: project.key, ...(body === undefined ? {} : { body }) });
  return { ...project, call };
}

test("what is said in a conversation is found by the question before it, with speaker and date in the prompt", async () => {
  const { call } = await open();
  const extracted = await call("POST", "/extract", {
    messages: week,
    conversation: "chat-1",
    detail: "full",
  });
  expect(extracted.data).toMatchObject({ detail: "verbatim", extractor: "built-in" });
  expect(objectsIn(extracted.data.extracted).map(({ content }) => content)).toEqual(
    week.map(({ content }) => content),
  );
  const { data } = await call("POST", "/search", { query: "Welche Datenbank nehmen wir?", mode: "hybrid" });
  const found = objectsIn(data.results).map(({ memory }) => memory);
  expect(found).toContainEqual(
    expect.objectContaining({
      content: "Postgres 17.",
      memory_type: "context",
      origin: "conversation",
      origins: [
        {
          conversation: "chat-1",
          message: "m2",
          role: "assistant",
          said_at: "2026-03-12T10:00:05.000Z",
          span: { start: 0, end: 12 },
        },
      ],
    }),
  );
  const { data: injection } = await call("POST", "/inject", { query: "Welche Datenbank nehmen wir?" });
  expect(String(injection.prompt)).toContain('("Ana", 12 March 2026) ');
  expect(String(injection.prompt)).toContain("(assistant, 12 March 2026) ");
});

test("what is said again is the same passage, from one place more, and never in the way of what is kept", async () => {
  const { call } = await open();
  const say = (conversation: string) =>
    call("POST", "/extract", { messages: week.slice(0, 1), conversation, detail: "verbatim" });
  await say("chat-1");
  expect(objectsIn((await say("chat-2")).data.extracted)).toMatchObject([{ action: "skipped" }]);
  const { data } = await call("GET", "?origin=conversation");
  const [passage, ...others] = objectsIn(data.memories);
  expect(others).toEqual([]);
  expect(objectsIn(passage?.origins).map(({ conversation }) => conversation)).toEqual(["chat-1", "chat-2"]);
  const content = String(week[0]?.content);
  const kept = { content, memory_type: "fact", importance: 0.5 };
  expect((await call("POST", "", kept)).status).toBe(201);
  const again = await call("POST", "/extract", { messages: week.slice(0, 1), detail: "verbatim" });
  expect(objectsIn(again.data.extracted)).toMatchObject([{ action: "skipped", id: passage?.id ?? "" }]);
});

test("a plan without room for passages refuses them, and keeps what is essential", async () => {
  const { call } = await open({ passage_limit: 0 });
  const refused = await call("POST", "/extract", { messages: week, detail: "verbatim" });
  expect(refused).toMatchObject({ status: 400, code: 2101 });
  const text = "Ana: We decided that releases go out on Tuesdays.";
  expect((await call("POST", "/extract", { text })).data).toMatchObject({
    extracted: [{}],
  });
});

test("passages expire, and what is essential does not", async () => {
  const { call } = await open();
  await call("POST", "/extract", { messages: week, detail: "verbatim" });
  const { data } = await call("GET", "");
  const days = objectsIn(data.memories).map(
    ({ expires_at }) => (Date.parse(String(expires_at)) - Date.now()) / 86_400_000,
  );
  expect(days.every((each) => each > 364 && each < 366)).toBe(true);
});
