// Tests what clients see of passages of conversations: contexts with an origin, by which lists, searches, exports, bulk deletes, injections,
// tags and statistics can tell them from what is kept.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { normalise } from "../../calls/storage/seam.ts";
import { passage, storePassages } from "../../engines/sqlite/direct-transaction.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
const said = ["The release moved to Friday.", "Ana has a new bicycle."];
const vector = normalise(Float32Array.from({ length: 384 }, (_, at) => Math.sin(at + 1)));

/** A project with a rule, a context and two passages. */
async function openProject(fields: JsonObject = {}) {
  const project = await app.createProject("pro", fields);
  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/v1/memories${path}`, { key: project.key, ...(body === undefined ? {} : { body }) });
  for (const [memory_type, content] of [
    ["rule", "Answer in English."],
    ["context", "The release is on Tuesday."],
  ])
    expect((await call("POST", "", { memory_type, content, tags: ["kept"] })).status).toBe(201);
  const store = (contents: readonly string[]) =>
    storePassages(
      locate(app.config.dataDir).database,
      { project: project.id, subject: null },
      contents.map((content) => passage(content, vector, { tags: ["said"] })),
    );
  return { ...project, call, store, ids: await store(said) };
}

describe("a memory of the origin", () => {
  test.each([
    ["conversation", said, []],
    ["kept", ["The release is on Tuesday."], ["Answer in English."]],
  ])(
    "%s is what lists, searches, exports and injections return if they ask for it",
    async (origin, own, rules) => {
      const { call } = await openProject();
      const contents = (memories: Json | undefined) =>
        objectsIn(memories)
          .map(({ content }) => String(content))
          .toSorted();
      const ofHits = (data: JsonObject) =>
        contents(objectsIn(data.results).map(({ memory }) => memory ?? null));
      const all = [...own, ...rules].toSorted();
      const listed = await call("GET", `?origin=${origin}`);
      expect(contents(listed.data.memories)).toEqual(all);
      expect(listed.data.pagination).toMatchObject({ total: all.length });
      expect(contents((await call("GET", `/export?origin=${origin}`)).data.memories)).toEqual(all);
      for (const mode of ["semantic", "hybrid"])
        expect(ofHits((await call("POST", "/search", { query: "release", mode, origin })).data)).toEqual(all);
      for (const asked of [{}, { query: "release", min_similarity: 0 }]) {
        const { data } = await call("POST", "/inject", { ...asked, origin });
        expect(ofHits(data)).toEqual([...own].toSorted());
        expect(contents(data.rules)).toEqual(["Answer in English."]);
      }
      const { data: tags } = await call("GET", `/tags?origin=${origin}`);
      const [tag, count] = origin === "kept" ? ["kept", 2] : ["said", 2];
      expect(tags.tags).toEqual([{ tag, count }]);
    },
  );

  test("is a context with the field origin if it is a passage, and without it otherwise", async () => {
    const { call, ids } = await openProject();
    const { data } = await call("GET", "?memory_type=context");
    expect(objectsIn(data.memories).map(({ memory_type, origin }) => [memory_type, origin])).toEqual([
      ["context", "conversation"],
      ["context", "conversation"],
      ["context", undefined],
    ]);
    const { data: read } = await call("GET", `/${ids[0]}`);
    expect(read).toMatchObject({ memory_type: "context", origin: "conversation", content: said[0] });
    const { data: numbers } = await call("GET", "/statistics");
    expect(numbers).toMatchObject({ total: 4, by_type: { rule: 1, fact: 0, context: 3 }, passages: 2 });
    const { data: explained } = await call("POST", "/search", {
      ...{ query: "release", memory_type: "fact", origin: "kept", explain: true },
    });
    const reasons = objectsIn(explained.missed).map(({ memory, reasons: why }) => [
      isObject(memory) ? memory.content : null,
      why,
    ]);
    expect(Object.fromEntries(reasons)).toMatchObject({
      [said[0] ?? ""]: ["type", "origin"],
      "The release is on Tuesday.": ["type"],
    });
    expect(await call("GET", "?origin=nobody")).toMatchObject({ status: 400, code: 1400 });
  });
});

test("the history of a memory has the bulk deletion of its origin only", async () => {
  const { id, key, call, ids } = await openProject();
  const { data: kept } = await call("POST", "", { content: "Kept.", memory_type: "context" });
  // It has the type of a passage, and a passage that was edited is kept.
  expect((await call("PUT", `/${ids[1]}`, { content: "Ana has a red bicycle." })).status).toBe(200);
  expect((await call("DELETE", "", { origin: "conversation" })).data).toEqual({ deleted_count: 1 });
  const history = async (memory: unknown) => {
    const { data } = await app.call("GET", `/v1/memories/${memory}/history`, { key });
    return objectsIn(data.events).map(({ kind }) => kind);
  };
  expect(await history(kept.id)).toEqual(["created"]);
  expect(await history(ids[1])).toEqual(["changed"]);
  expect((await call("DELETE", "", { origin: "kept" })).data).toEqual({ deleted_count: 4 });
  expect(await history(kept.id)).toEqual(["deleted", "created"]);
  expect(await history(ids[1])).toEqual(["deleted", "changed"]);
  expect(app.records(id).filter(({ action }) => action === "memory.delete_all")).toHaveLength(2);
});

test("a passage can be sent back as it was read, and stays one", async () => {
  const { id, call } = await openProject();
  const origins = [
    { conversation: "chat-1", message: "m1", role: "user", name: "Ana", saidAt: 1_795_000_000_000 },
  ] as const;
  const [passageId] = await storePassages(
    locate(app.config.dataDir).database,
    { project: id, subject: null },
    [passage("It rains.", vector, { origins })],
  );
  const { data: read } = await call("GET", `/${passageId}`);
  expect(read).toMatchObject({ origin: "conversation", origins: [{ conversation: "chat-1", name: "Ana" }] });
  const { status, data } = await call("PUT", `/${passageId}`, { ...read, importance: 1 });
  expect([status, data.origin, data.importance]).toEqual([200, "conversation", 1]);
  expect(data.origins).toEqual(read.origins ?? []);
  for (const [field, value] of Object.entries({ origins: [], origin: "kept", former_of: "0".repeat(32) }))
    expect(await call("PUT", `/${passageId}`, { importance: 0, [field]: value })).toMatchObject({
      code: 1400,
      data: { field },
    });
});

test("a passage that is edited in a batch is kept, and refused without room", async () => {
  const { call, ids } = await openProject({ memory_limit: 3 });
  const { data } = await call("PUT", "/batch", {
    memories: ids.map((memory_id, at) => ({ memory_id, content: `Edited ${at}.` })),
  });
  expect(data).toMatchObject({ updated: 1, refused: 1 });
  expect(objectsIn(data.results)[1]).toMatchObject({ code: 2101, data: { memory_limit: 3 } });
  expect((await call("GET", "?origin=conversation")).data.pagination).toMatchObject({ total: 1 });
  expect((await call("POST", "", { content: "One more.", memory_type: "fact" })).code).toBe(2101);
});
