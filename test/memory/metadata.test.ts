// Checks the metadata of memories over HTTP: what is stored, what is refused, and what the records and histories say about it.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { type Reply, startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

let written = 0;
const create = async (fields: JsonObject): Promise<Reply> => {
  written += 1;
  const body = { content: `Memory number ${written}.`, memory_type: "fact", ...fields };
  return app.call("POST", "/v1/memories", { body });
};
const read = async (id: unknown) => (await app.call("GET", `/v1/memories/${id}`)).data;

const metadata = {
  user: "u-17",
  __proto__x: null,
  "7": [1, "two", { three: 3 }],
  age: -0.1,
  paid: false,
  "Grüße 😀": "\u0000",
};

test("is stored, returned, replaced and removed", async () => {
  const { status, data } = await create({ metadata });
  expect([status, data.metadata]).toEqual([201, metadata]);
  const path = `/v1/memories/${data.id}`;
  expect((await read(data.id)).metadata).toEqual(metadata);
  const untouched = await app.call("PUT", path, { body: { importance: 0.9 } });
  expect(untouched.data.metadata).toEqual(metadata);
  const replaced = await app.call("PUT", path, { body: { metadata: { only: true } } });
  expect(replaced.data.metadata).toEqual({ only: true });
  const removed = await app.call("PUT", path, { body: { metadata: null } });
  expect(Object.keys(removed.data)).not.toContain("metadata");
  expect(Object.keys(await read(data.id))).not.toContain("metadata");
});

test("a memory can be sent back as it was read", async () => {
  const { data } = await create({ metadata });
  const memory = await read(data.id);
  const sent = await app.call("PUT", `/v1/memories/${data.id}`, { body: { ...memory, importance: 0.1 } });
  expect([sent.status, sent.data.metadata]).toEqual([200, metadata]);
});

test.each([[null], [{}]])("%j is no metadata", async (none) => {
  const { status, data } = await create({ metadata: none });
  expect(status).toBe(201);
  expect(Object.keys(data)).not.toContain("metadata");
});

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
/** `{"a":"..."}` of so many bytes. */
const sized = (bytes: number) => ({ a: "ä".repeat((bytes - 8) / 2) });

describe("is refused", () => {
  test.each<[string, unknown, string]>([
    ["a text", "a", "metadata"],
    ["a list", [1], "metadata"],
    ["65 members", many(65), "metadata"],
    ["4,098 bytes", sized(4098), "metadata"],
    ["an empty name", { "": 1 }, "metadata/"],
    ["a name of 65 characters", { ["😀".repeat(65)]: 1 }, `metadata/${"😀".repeat(50)}`],
    ["a line feed in a name", { "a\nb": 1 }, "metadata/a\nb"],
    ["U+0000 in a name", { "a\u0000": 1 }, "metadata/a\u0000"],
  ])("%s", async (_, refused, field) => {
    const reply = await create({ metadata: refused as JsonObject });
    expect([reply.status, reply.code, reply.data.field]).toEqual([400, 1400, field]);
    const { data } = await create({});
    const body = { memories: [{ memory_id: data.id, metadata: refused }] };
    const [result] = (await app.call("PUT", "/v1/memories/batch", { body })).data.results as JsonObject[];
    expect(result).toMatchObject({ status: "refused", code: 1400, data: { field } });
    const update = await app.call("PUT", `/v1/memories/${data.id}`, { body: { metadata: refused } });
    expect([update.code, update.data.field]).toEqual([1400, field]);
  });

  test("not what is just within the limits", async () => {
    for (const accepted of [many(64), sized(4096), { ["😀".repeat(64)]: 1 }]) {
      const { status, data } = await create({ metadata: accepted });
      expect([status, data.metadata]).toEqual([201, accepted]);
    }
  });
});

test("batches create, change and undo it, and equal metadata is no change", async () => {
  const memories = [
    { content: "In a batch, one.", memory_type: "fact", metadata: { b: 1, a: 2 } },
    { content: "In a batch, two.", memory_type: "fact" },
  ];
  const created = await app.call("POST", "/v1/memories/batch", { body: { memories } });
  const [one, two] = (created.data.results as JsonObject[]).map(({ id }) => id);
  const update = async (...items: object[]) => {
    const reply = await app.call("PUT", "/v1/memories/batch", { body: { memories: items } });
    return reply.data.results as JsonObject[];
  };
  const [same, changed] = await update(
    { memory_id: one, metadata: { a: 2, b: 1 } },
    { memory_id: two, metadata: { c: [3] } },
  );
  expect(same?.status).toBe("unchanged");
  expect(changed).toMatchObject({ status: "updated", former: { metadata: null } });
  expect((await read(two)).metadata).toEqual({ c: [3] });
  const [undone] = await update({ memory_id: two, ...(changed?.former as object) });
  expect(undone).toMatchObject({ status: "updated", former: { metadata: { c: [3] } } });
  expect((await read(one)).metadata).toEqual({ a: 2, b: 1 });
  expect(Object.keys(await read(two))).not.toContain("metadata");
});

test("an export and a list have it", async () => {
  const { data } = await create({ metadata: { exported: "yes" } });
  const find = (page: JsonObject) => (page.memories as JsonObject[]).find(({ id }) => id === data.id);
  expect(find((await app.call("GET", "/v1/memories?page_size=100")).data)?.metadata).toEqual({
    exported: "yes",
  });
  expect(find((await app.call("GET", "/v1/memories/export")).data)?.metadata).toEqual({ exported: "yes" });
});

test("extracted memories get that of the call, and others keep theirs", async () => {
  const known = await create({ content: "The user lives in Lisbon.", metadata: { from: "before" } });
  const body = { text: "I live in Lisbon. I work as a nurse.", metadata: { from: "the chat" } };
  const extraction = await app.call("POST", "/v1/memories/extract", { body });
  const items = extraction.data.extracted as JsonObject[];
  const made = items.filter(({ action }) => action === "created");
  expect(made.length).toBeGreaterThan(0);
  for (const { id } of made) {
    expect((await read(id)).metadata).toEqual({ from: "the chat" });
    const { data } = await app.call("GET", `/v1/memories/${id}/history`);
    expect(data.events).toMatchObject([{ kind: "created", values: { metadata: { from: "the chat" } } }]);
  }
  expect((await read(known.data.id)).metadata).toEqual({ from: "before" });
});

test("the history tells what it was, and erasing a memory erases it, too, and nothing about another memory", async () => {
  const secret = "order 4711 of Ana";
  const { data } = await create({ metadata: { order: secret } });
  const other = await create({ metadata: { order: "order 4712 of Ben" } });
  await app.call("GET", "/v1/memories?page_size=100");
  await app.call("PUT", `/v1/memories/${data.id}`, { body: { metadata: { order: "another" } } });
  await app.call("PUT", `/v1/memories/${data.id}`, { body: { metadata: null } });
  const history = await app.call("GET", `/v1/memories/${data.id}/history`);
  expect(history.data.events).toMatchObject([
    { kind: "changed", values: { metadata: null }, former: { metadata: { order: "another" } } },
    { kind: "changed", values: { metadata: { order: "another" } }, former: { metadata: { order: secret } } },
    { kind: "created", values: { metadata: { order: secret } } },
  ]);
  const holding = (text: string) =>
    app.records(app.projectId).filter(({ payload }) => JSON.stringify(payload).includes(text)).length;
  expect([holding(secret), holding("Ben")]).toEqual([3, 2]);
  await app.administer(eraseRecords, { memory: String(data.id), delete_memory: true });
  expect([holding(secret), holding("Ben")]).toEqual([0, 2]);
  expect((await read(other.data.id)).metadata).toEqual({ order: "order 4712 of Ben" });
});

describe("a filter", () => {
  const filtered = async (filter: unknown) => {
    const query = new URLSearchParams({ metadata: JSON.stringify(filter), page_size: "100" });
    return app.call("GET", `/v1/memories?${query}`);
  };
  const namesOf = (memories: unknown) =>
    (memories as JsonObject[]).map(({ metadata }) => (metadata as JsonObject).name).toSorted();

  beforeAll(async () => {
    for (const fields of [
      { name: "ana", age: 31, paid: true, since: "2026-01-05T00:00:00Z" },
      { name: "ben", age: "31", paid: "true", since: "2025-12-31T00:00:00Z" },
      { name: "cleo", age: 30.5, paid: false, extra: null },
      { name: "dora", list: [31] },
    ])
      await create({ content: `The user ${fields.name} has a bicycle.`, metadata: fields });
    await create({ content: "A bicycle is in the garage." });
  });

  test.each<[unknown, string[]]>([
    [{ age: 31 }, ["ana"]],
    [{ age: "31" }, ["ben"]],
    [{ paid: true }, ["ana"]],
    [{ age: { gte: 30.5 } }, ["ana", "cleo"]],
    [{ age: { gt: 30.5, lt: 32 } }, ["ana"]],
    [{ age: { gt: 30, lt: "9" } }, []],
    [{ since: { gte: "2026" } }, ["ana"]],
    [{ since: { lt: "2026" } }, ["ben"]],
    [{ age: { in: [31, "31"] } }, ["ana", "ben"]],
    [{ age: { exists: true }, since: { exists: false } }, ["cleo"]],
    [{ extra: { exists: true } }, ["cleo"]],
    [{ list: { exists: true } }, ["dora"]],
    [{ name: { gte: "a" }, paid: { exists: false } }, ["dora"]],
    [{ age: { exists: false, gt: 1 } }, []],
  ])("%j", async (filter, names) => {
    const listed = await filtered(filter);
    expect([listed.status, namesOf(listed.data.memories)]).toEqual([200, names]);
    const query = new URLSearchParams({ metadata: JSON.stringify(filter) });
    const exported = await app.call("GET", `/v1/memories/export?${query}`);
    expect(namesOf(exported.data.memories)).toEqual(names);
    const body = { query: "Who has a bicycle?", metadata: filter };
    for (const mode of ["semantic", "hybrid"]) {
      const found = await app.call("POST", "/v1/memories/search", { body: { ...body, mode, top_k: 50 } });
      expect(namesOf((found.data.results as JsonObject[]).map(({ memory }) => memory))).toEqual(names);
    }
    const injection = { ...body, top_k: 50, min_similarity: 0 };
    const injected = await app.call("POST", "/v1/memories/inject", { body: injection });
    expect(namesOf((injected.data.results as JsonObject[]).map(({ memory }) => memory))).toEqual(names);
  });

  test("in an injection applies to rules that have metadata", async () => {
    await create({ memory_type: "rule", content: "Ana is always right.", metadata: { name: "ana" } });
    await create({ memory_type: "rule", content: "Ben is never right.", metadata: { name: "ben" } });
    await create({ memory_type: "rule", content: "Be polite." });
    const body = { query: "Who?", metadata: { name: "ana" } };
    const { data } = await app.call("POST", "/v1/memories/inject", { body });
    expect((data.rules as JsonObject[]).map(({ content }) => content)).toEqual([
      "Ana is always right.",
      "Be polite.",
    ]);
  });

  test("is a reason why a memory was not returned", async () => {
    const body = { query: "Who has a bicycle?", metadata: { name: "ana", age: 31 }, explain: true, top_k: 1 };
    const { data } = await app.call("POST", "/v1/memories/search", { body });
    const missed = data.missed as JsonObject[];
    expect(
      missed.find(({ memory }) => (memory as JsonObject).content === "A bicycle is in the garage."),
    ).toMatchObject({
      reasons: ["metadata", "rank"],
    });
  });

  test.each<[string, unknown, string]>([
    ["an empty object", {}, "metadata"],
    ["a list", [], "metadata"],
    ["17 conditions", many(17), "metadata"],
    ["null", { a: null }, "metadata/a"],
    ["a list as a value", { a: [1] }, "metadata/a"],
    ["no operator", { a: {} }, "metadata/a"],
    ["an unknown operator", { a: { ge: 1 } }, "metadata/a/ge"],
    ["a bound that has no order", { a: { gt: true } }, "metadata/a/gt"],
    ["an empty choice", { a: { in: [] } }, "metadata/a/in"],
    ["101 choices", { a: { in: Array.from({ length: 101 }, (_, at) => at) } }, "metadata/a/in"],
    ["a choice that has no equal", { a: { in: [1, null] } }, "metadata/a/in/1"],
    ["exists as a number", { a: { exists: 1 } }, "metadata/a/exists"],
    ["an empty name", { "": 1 }, "metadata/"],
  ])("is refused: %s", async (_, filter, field) => {
    const before = (await app.call("GET", "/v1/memories")).data.pagination;
    const replies = [
      await filtered(filter),
      await app.call("POST", "/v1/memories/search", { body: { query: "x", metadata: filter } }),
      await app.call("POST", "/v1/memories/inject", { body: { metadata: filter } }),
      await app.call("DELETE", "/v1/memories", { body: { metadata: filter } }),
    ];
    for (const { status, code, data } of replies)
      expect([status, code, data.field]).toEqual([400, 1400, field]);
    expect((await app.call("GET", "/v1/memories")).data.pagination).toEqual(before);
  });

  test.each([["{"], ["x"], ['{"a":1,"a":2}'], ['{"a":"\\ud800"}'], ["1"], [""]])(
    "is refused in a query that is not a JSON object: %s",
    async (text) => {
      const reply = await app.call("GET", `/v1/memories?metadata=${encodeURIComponent(text)}`);
      expect([reply.status, reply.code, reply.data.field]).toEqual([400, 1400, "metadata"]);
    },
  );

  test("deletes what matches, and the history of each memory tells it", async () => {
    const [gone, kept] = [await create({ metadata: { batch: 7 } }), await create({ metadata: { batch: 8 } })];
    const body = { metadata: { batch: { lte: 7 } } };
    const { data } = await app.call("DELETE", "/v1/memories", { body });
    expect(data).toEqual({ deleted_count: 1 });
    expect((await app.call("GET", `/v1/memories/${gone.data.id}`)).code).toBe(2100);
    const kinds = async (id: unknown) =>
      ((await app.call("GET", `/v1/memories/${id}/history`)).data.events as JsonObject[]).map(
        ({ kind }) => kind,
      );
    expect(await kinds(gone.data.id)).toEqual(["deleted", "created"]);
    expect(await kinds(kept.data.id)).toEqual(["created"]);
  });
});
