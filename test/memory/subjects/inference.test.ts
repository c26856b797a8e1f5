// Proves that whoever has a token or a key for one subject learns nothing of other subjects: the same calls get the same answers whether others have memories or not. Two
// projects of one server are compared, of which one has memories of others.

import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { projectOperations } from "../../../src/calls/operations.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { type FakeUpstream, startFakeUpstream } from "../../gateway/fake-upstream.ts";
import { upstreamTables } from "../../gateway/served.ts";

/** A project in which the holder of a token and a key for the same subject calls. */
interface Side {
  readonly secrets: readonly [token: string, key: string];
  /** Of the memories of others that the holder names; where there are none, ids that nothing has. */
  readonly foreign: readonly string[];
  /** Memories and checks that the holder has made, in their order: the same on both sides. */
  readonly own: string[];
}

const words = ["tea", "coffee", "juice", "water"] as const;
const foreignTexts = ["Bo drinks tea.", "Ana drinks coffee.", "Bo is allergic to juice.", "Water is for Bo."];
let upstream: FakeUpstream;
let app: TestApp;
let sides: readonly [Side, Side];

beforeAll(async () => {
  upstream = await startFakeUpstream();
  const settings = "memory-floor = 0\nmemory-deadline-ms = 20000\nask-for-usage = false";
  app = await startTestApp({}, undefined, undefined, upstreamTables(upstream.origin, settings));
  const open = async (hasOthers: boolean): Promise<Side> => {
    const { id: project, key } = await app.createProject("custom");
    const create = async (content: string, fields: JsonObject) => {
      const body = { content, memory_type: "fact", ...fields };
      return String((await app.call("POST", "/v1/memories", { key, body })).data.id);
    };
    await create("The shop sells tea.", {});
    const foreign: string[] = [];
    for (const [at, content] of hasOthers ? foreignTexts.entries() : []) {
      const fields = {
        subject: `user:${2 + (at % 2)}`,
        memory_type: at === 0 ? "rule" : "fact",
        tags: ["foreign"],
      };
      foreign.push(await create(content, fields));
    }
    for (const word of hasOthers ? words : []) {
      const text = `Bo: I sell ${word}.`;
      const said = { text, conversation: word, detail: "verbatim", subject: "user:2" };
      await app.call("POST", "/v1/memories/extract", { key, body: said });
    }
    const issued = await app.call("POST", "/v1/keys", { key, body: { subject: "user:1" } });
    const none = foreignTexts.map((_, at) => at.toString(16).padStart(32, "0"));
    const bound = await app.createKey(
      project,
      ["memory.read", "memory.write", "memory.propose", "gateway.use"],
      {
        subject: "user:1",
      },
    );
    const secrets = [String(issued.data.token), bound.key] as const;
    return { secrets, foreign: hasOthers ? foreign : none, own: [] };
  };
  sides = [await open(true), await open(false)];
});
afterAll(async () => {
  await app.stop();
  await upstream.close();
});

interface Step {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
}

/** Of each operation that is for subjects: how it is called. `id` is replaced by that of the side. */
const steps: Readonly<Record<string, (word: string, id: string) => Omit<Step, "operation">>> = {
  "memory.create": (word) => post("", { content: `Ana drinks ${word}.`, memory_type: "fact", tags: [word] }),
  "memory.create_batch": (word) =>
    post("/batch", { memories: [{ content: `Bo drinks ${word}.`, memory_type: "fact", source_id: word }] }),
  "memory.put": (word) => ({
    ...post(`/by-source/${word}`, { content: `Cy drinks ${word}.`, memory_type: "fact" }),
    method: "PUT",
  }),
  "memory.update_batch": (word, id) => ({
    ...post("/batch", { memories: [{ memory_id: id, content: `Ana likes ${word}.` }] }),
    method: "PUT",
  }),
  "memory.delete_batch": (_, id) => ({ ...post("/batch", { memory_ids: [id] }), method: "DELETE" }),
  "memory.list": (word) => get(`?text=${word}&page_size=2`),
  "memory.tags": () => get("/tags"),
  "memory.statistics": () => get("/statistics"),
  "memory.export": () => get("/export"),
  "memory.read": (_, id) => get(`/${id}`),
  "memory.update": (word, id) => ({ ...post(`/${id}`, { content: `Bo drinks ${word}.` }), method: "PUT" }),
  "memory.delete": (_, id) => ({ method: "DELETE", path: `/v1/memories/${id}` }),
  "memory.delete_all": (word) => ({ ...post("", { tags: [word] }), method: "DELETE" }),
  "memory.search": (word) => post("/search", { query: `Who drinks ${word}?`, mode: "hybrid", explain: true }),
  "memory.inject": (word) => post("/inject", { query: `What about ${word}?`, min_similarity: 0 }),
  "memory.extract": (word) =>
    post("/extract", { text: `User: I am Bo, and I drink ${word}.`, conversation: word, detail: "verbatim" }),
  "conversation.list": () => ({ method: "GET", path: "/v1/memories/conversations" }),
  "conversation.read": (word) => ({ method: "GET", path: `/v1/memories/conversations/${word}` }),
  "suggestion.create": (word, id) =>
    suggest("", { kind: "change", memory_id: id, content: `Ana drinks ${word} now.`, reason: word }),
  "suggestion.list": () => ({ method: "GET", path: "/v1/suggestions" }),
  "suggestion.read": (_, id) => ({ method: "GET", path: `/v1/suggestions/${id}` }),
  "suggestion.accept": (word, id) => suggest(`/${id}/accept`, { content: `Ana likes ${word} better.` }),
  "suggestion.merge": (_, id) => suggest(`/${id}/merge`, {}),
  "suggestion.refuse": (_, id) => ({ method: "POST", path: `/v1/suggestions/${id}/refuse` }),
  "suggestion.accept_batch": (_, id) => suggest("/accept", { suggestion_ids: [id] }),
  "suggestion.refuse_batch": (_, id) => suggest("/refuse", { suggestion_ids: [id] }),
  "audit.append": () => ({
    method: "POST",
    path: "/v1/audit/logs",
    body: { action: "gateway.chat", http_status: 200 },
  }),
  "check.create": (word, id) => ({
    method: "POST",
    path: "/v1/checks",
    body: { query: word, expected_memory_id: id },
  }),
  "check.list": () => ({ method: "GET", path: "/v1/checks" }),
  "check.delete": (_, id) => ({ method: "DELETE", path: `/v1/checks/${id}` }),
  "check.run": () => ({ method: "POST", path: "/v1/checks/run", body: {} }),
  "gateway.chat": (word) =>
    ask("chat/completions", { messages: [{ role: "user", content: `Drink ${word}?` }] }),
  "gateway.responses": (word) => ask("responses", { input: `Drink ${word}?` }),
  "gateway.messages": (word) =>
    ask("messages", { max_tokens: 9, messages: [{ role: "user", content: `Drink ${word}?` }] }),
  "gateway.count_tokens": (word) =>
    ask("messages/count_tokens", { messages: [{ role: "user", content: `Drink ${word}?` }] }),
  "gateway.embeddings": (word) => ask("embeddings", { input: word, model: "bge-small-en-v1.5" }),
  "gateway.models": () => ({ method: "GET", path: "/v1/models" }),
  "key.issue": () => ({ method: "POST", path: "/v1/keys", body: { subject: "user:1" } }),
};

function post(path: string, body: JsonObject): Omit<Step, "operation"> {
  return { method: "POST", path: `/v1/memories${path}`, body };
}
function suggest(path: string, body: JsonObject): Omit<Step, "operation"> {
  return { method: "POST", path: `/v1/suggestions${path}`, body };
}
function get(path: string): Omit<Step, "operation"> {
  return { method: "GET", path: `/v1/memories${path}` };
}
function ask(path: string, body: JsonObject): Omit<Step, "operation"> {
  return { method: "POST", path: `/v1/${path}`, body: { model: "fake", ...body } };
}

test("every operation that is for subjects is among the steps", () => {
  const forSubjects = projectOperations.filter(({ forSubjects }) => forSubjects === true);
  expect(Object.keys(steps).toSorted()).toEqual(forSubjects.map(({ name }) => name).toSorted());
});

/** The answer without ids and times, and what the upstream was sent. */
async function take(side: Side, operation: string, word: string, at: number): Promise<unknown> {
  const known = [...side.own.slice(-3), ...side.foreign];
  const step = steps[operation]?.(word, known[at % known.length] ?? "");
  if (step === undefined) throw new Error(operation);
  const received = upstream.received.length;
  const { method, path, body } = step;
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${side.secrets[at % 2]}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status === 201) side.own.push(...(/"id":"([0-9a-f]{32})"/.exec(text)?.slice(1) ?? []));
  const sent = upstream.received.slice(received).map((each) => String(each.body));
  return [response.status, withoutIds(text), sent.map(withoutIds)];
}

/** When a memory was last read is written within a second. */
function withoutIds(text: string): string {
  return text
    .replace(/[0-9a-f]{32}/g, "id")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replace(/("last_accessed_at":)null/g, '$1"time"')
    .replace(/"(?:next_)?cursor":"[^"]*"/g, "cursor")
    .replace(/"(?:created|created_at)":\d+/g, "time");
}

test("a call gets the same answer whether others have memories or not", async () => {
  const call = fc.record({
    operation: fc.constantFrom(...Object.keys(steps)),
    word: fc.constantFrom(...words),
    at: fc.nat(6),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 12 }), async (calls) => {
      for (const { operation, word, at } of calls) {
        const [withOthers, alone] = [
          await take(sides[0], operation, word, at),
          await take(sides[1], operation, word, at),
        ];
        expect([operation, word, at, withOthers]).toEqual([operation, word, at, alone]);
      }
    }),
    { numRuns: 25 },
  );
  // What the holder has done has not reached the others either.
  expect(sides[0].own.length).toBe(sides[1].own.length);
}, 120_000);
