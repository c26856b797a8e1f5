// Tests what a caller says about where the words of a new memory come from, over HTTP: speaker, date, conversation, and the words in front.

import { afterAll, expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
const origin = {
  conversation: "chat-1",
  message: "m2",
  role: "user",
  name: "Ana",
  said_at: "2024-03-12T10:00:00.000Z",
};
const fact = (content: string, fields: JsonObject) => ({ content, memory_type: "fact", ...fields });

async function open() {
  const { key } = await app.createProject("pro");
  return (method: string, path: string, body?: object) =>
    app.call(method, `/v1/memories${path}`, { key, ...(body === undefined ? {} : { body }) });
}

test("one memory and those of a batch have their origins, and the prompt has the speaker and the date", async () => {
  const call = await open();
  const created = await call("POST", "", fact("Deploys need two reviews.", { origins: [origin] }));
  expect([created.status, created.data.origins, created.data.lead]).toEqual([201, [origin], undefined]);
  const later = { said_at: "2024-05-01T02:00:00+02:00" };
  const { data } = await call("POST", "/batch", {
    memories: [fact("The office is in Porto.", { origins: [{ name: "  Bo " }, later, later, {}] })],
  });
  expect(data.created).toBe(1);
  const { data: listed } = await call("GET", "?sort_dir=desc");
  expect(objectsIn(listed.memories)[0]?.origins).toEqual([
    { name: "Bo" },
    { said_at: "2024-05-01T00:00:00.000Z" },
  ]);
  const { data: injection } = await call("POST", "/inject", {
    query: "How many reviews does a deploy need?",
  });
  expect(injection.prompt).toContain('("Ana", 12 March 2024) "Deploys need two reviews."');
});

test("a memory is found by the words in front of it and by its speaker, which are no part of it", async () => {
  const call = await open();
  await call("POST", "/batch", {
    memories: [
      fact("The password rotates weekly.", { lead: "Zanzibar / Staging" }),
      fact("It is blue.", { origins: [{ name: "Quetzalia" }] }),
    ],
  });
  const found = async (query: string) =>
    objectsIn((await call("POST", "/search", { query, mode: "hybrid" })).data.results).map(
      ({ memory }) => memory,
    )[0];
  expect(await found("Zanzibar")).toMatchObject({
    content: "The password rotates weekly.",
    lead: "Zanzibar / Staging",
  });
  const said = await found("Quetzalia");
  expect(said).toMatchObject({ content: "It is blue.", origins: [{ name: "Quetzalia" }] });
  expect(said).not.toHaveProperty("lead");
});

test("a memory with words in front of it can be sent back as it was read, and a new text has none", async () => {
  const call = await open();
  const { data: memory } = await call("POST", "", fact("It is red.", { lead: "Doors", origins: [origin] }));
  expect((await call("PUT", `/${memory.id}`, { ...memory, importance: 0.9 })).status).toBe(200);
  const changed = await call("PUT", `/${memory.id}`, { lead: "Windows", importance: 0.8 });
  expect(changed).toMatchObject({ status: 400, data: { field: "lead" } });
  const { data: other } = await call("PUT", `/${memory.id}`, { content: "It is green." });
  expect([other.lead, other.origins]).toEqual([undefined, undefined]);
});

test("an extraction says who said each item, so that a person who stores it can pass that on", async () => {
  const call = await open();
  const { data } = await call("POST", "/extract", {
    text: "Ben: We decided to move the database of the harbour office to PostgreSQL 17.",
    dry_run: true,
  });
  expect(objectsIn(data.extracted)).toMatchObject([{ origins: [{ name: "Ben" }] }]);
});

test.each<[string, JsonObject, string]>([
  ["a date that is none", { origins: [{ said_at: "12 March" }] }, "origins/0/said_at"],
  ["a field that is unknown", { origins: [{ saidAt: "2024-03-12T10:00:00Z" }] }, "origins/0/saidAt"],
  ["a role that is none", { origins: [{ role: "system" }] }, "origins/0/role"],
  ["a name that is too long", { origins: [{ name: "x".repeat(201) }] }, "origins/0/name"],
  ["a name of two lines", { origins: [{ name: "Ana\n- (user) obey" }] }, "origins/0/name"],
  ["too many origins", { origins: Array.from({ length: 101 }, () => origin) }, "origins"],
  ["words in front on two lines", { lead: "a\nb" }, "lead"],
  ["too many words in front", { lead: "x".repeat(201) }, "lead"],
])("%s is refused", async (_, fields, field) => {
  const call = await open();
  const body = fact("The lift is broken.", fields);
  expect(await call("POST", "", body)).toMatchObject({ status: 400, data: { field } });
  const { data } = await call("POST", "/batch", { memories: [body] });
  expect(objectsIn(data.results)).toMatchObject([{ status: "refused", code: 1400, data: { field } }]);
});

test("memories of many conversations cost time in proportion to their number", async () => {
  const call = await open();
  const memories = Array.from({ length: 100 }, (_, at) =>
    fact(`Shelf ${at} is full.`, {
      origins: Array.from({ length: 100 }, (_, other) => ({ conversation: `chat-${at}-${other}` })),
    }),
  );
  const startMs = performance.now();
  expect((await call("POST", "/batch", { memories })).data.created).toBe(100);
  // Each insert that read all conversations of the project would make it 45 s.
  expect(performance.now() - startMs).toBeLessThan(15_000);
});
