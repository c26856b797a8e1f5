// Tests tags over HTTP: how they are stored and shown, what filters find, which rules an injection includes, what is refused, and what
// the ledger keeps.

import { afterAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { createMemory, runScenarios } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const recordedFor = app.projectId;
const path = "/v1/memories";
const objects = (value: unknown): JsonObject[] => [value].flat().filter(isObject);
const contents = (value: unknown) => objects(value).map(({ content }) => String(content));
const found = (data: JsonObject) => objects(data.results).map(({ memory }) => contents(memory)[0] ?? "");

const create = (content: string, memory_type: string, tags?: readonly string[]) =>
  createMemory(app, tags === undefined ? { content, memory_type } : { content, memory_type, tags });

await create("The web shop is written in Go.", "fact", ["shop", "backend"]);
const both = await create("The web shop has a page in German.", "fact", ["shop", "frontend"]);
await create("The web shop moves to another host this week.", "context", ["shop"]);
const plain = await create("The web shop was founded in Lisbon.", "fact");
await create("Answer in English.", "rule");
await create("Use tabs in the web shop.", "rule", ["shop", "backend"]);

const idOnly = { memory_id: both };
const unchanged = { tags: ["frontend", "shop"] };

describe("a memory", () => {
  runScenarios(app, [
    {
      name: "has its tags in a canonical form, as a sorted set",
      method: "POST",
      path,
      options: {
        body: {
          content: "The lift is out of order.",
          memory_type: "fact",
          tags: ["office", " b\n", "Cafe\u0301", "b", "Caf\u00e9", "\u{1f600}", "\uff21"],
        },
      },
      status: 201,
      code: 1000,
      data: { tags: ["Caf\u00e9", "b", "office", "\uff21", "\u{1f600}"] },
      recordedFor,
      payload: {
        request_body: { tags: ["office", " b\n", "Cafe\u0301", "b", "Caf\u00e9", "\u{1f600}", "\uff21"] },
        response_body: { data: { tags: ["Caf\u00e9", "b", "office", "\uff21", "\u{1f600}"] } },
      },
    },
    {
      name: "is the same memory whatever its tags",
      method: "POST",
      path,
      options: {
        body: { content: "The web shop has a page in German.", memory_type: "fact", tags: ["other"] },
      },
      status: 409,
      code: 2104,
      data: idOnly,
      recordedFor,
    },
    {
      name: "is read with them",
      method: "GET",
      path: `${path}/${both}`,
      status: 200,
      code: 1000,
      data: unchanged,
      recordedFor,
    },
    {
      name: "keeps them in an update that does not name them",
      method: "PUT",
      path: `${path}/${both}`,
      options: { body: { importance: 0.6 } },
      status: 200,
      code: 1000,
      data: { ...unchanged, importance: 0.6 },
      recordedFor,
    },
  ]);

  test("without tags has no field for them, whichever way it became so", async () => {
    const fields = ["id", "content", "memory_type", "importance", "is_active", "created_at", "updated_at"];
    const contract = [...fields, "last_accessed_at", "expires_at"];
    const made = await app.call("POST", path, {
      body: { content: "Plain.", memory_type: "fact", tags: [] },
    });
    expect(Object.keys(made.data)).toEqual(contract);
    const memory = `${path}/${String(made.data.id)}`;
    const tagged = await app.call("PUT", memory, { body: { tags: ["x"] } });
    expect(Object.keys(tagged.data)).toEqual([...contract, "tags"]);
    const replaced = await app.call("PUT", memory, { body: { tags: ["y", "z"] } });
    expect(replaced.data.tags).toEqual(["y", "z"]);
    expect(Object.keys((await app.call("PUT", memory, { body: { tags: [] } })).data)).toEqual(contract);
    expect(Object.keys((await app.call("GET", memory)).data)).toEqual(contract);
    await app.call("DELETE", memory);
  });

  test.each([
    ["17 tags", Array.from({ length: 17 }, (_, at) => `t${at}`), "tags", "has 17 items; the maximum is 16"],
    ["a long tag", ["ok", "x".repeat(65)], "tags/1", "is 1 character too long; the maximum is 64"],
    ["a blank tag", ["  "], "tags/0", "must not be blank; send 1 to 64 characters"],
    ["a text instead of a list", "shop", "tags", "must be an array of at most 16 items"],
    ["null", null, "tags", "must be an array of at most 16 items"],
    ["a number", [7], "tags/0", "must be a string of 1 to 64 characters"],
    [
      "a control character",
      ["a\u001bb"],
      "tags/0",
      "contains a control character, such as a line feed or a tab; remove it",
    ],
  ])("is refused with %s, and nothing changes", async (_, tags, field, reason) => {
    const message = `Field "${field}" ${reason}.`;
    const refused = { status: 400, code: 1400, message, data: { field, reason } };
    const body = { content: "Never stored.", memory_type: "fact", tags };
    expect(await app.call("POST", path, { body })).toMatchObject(refused);
    expect(await app.call("PUT", `${path}/${both}`, { body: { tags } })).toMatchObject(refused);
    expect((await app.call("GET", `${path}/${both}`)).data).toMatchObject(unchanged);
  });
});

describe("a list", () => {
  const list = async (query: string) => {
    const { data } = await app.call("GET", `${path}?sort_dir=asc&${query}`);
    const { total } = objects(data.pagination)[0] ?? {};
    return { contents: contents(data.memories), total };
  };
  const shop = [
    "The web shop is written in Go.",
    "The web shop has a page in German.",
    "The web shop moves to another host this week.",
    "Use tabs in the web shop.",
  ];

  test("has the memories with the tag, or with all of several", async () => {
    expect(await list("tag=shop")).toEqual({ contents: shop, total: 4 });
    expect(await list("tag=shop&page_size=1&page=2")).toEqual({ contents: shop.slice(1, 2), total: 4 });
    expect(await list("tag=shop&tag=backend")).toEqual({
      contents: [shop[0] ?? "", shop[3] ?? ""],
      total: 2,
    });
    expect(await list("tag=shop&tag=backend&memory_type=rule")).toEqual({
      contents: shop.slice(3),
      total: 1,
    });
    expect(await list("tag=%20shop%20&tag=shop")).toEqual({ contents: shop, total: 4 });
    for (const nothing of ["tag=Shop", "tag=sho", "tag=frontend&tag=backend", "tag=sh%25"])
      expect(await list(nothing)).toEqual({ contents: [], total: 0 });
  });

  runScenarios(app, [
    {
      name: "is recorded with its tags",
      method: "GET",
      path: `${path}?tag=shop&tag=frontend`,
      status: 200,
      code: 1000,
      data: { memories: [{ id: both, ...unchanged }], pagination: { total: 1 } },
      recordedFor,
      payload: { request_parameters: { tag: ["shop", "frontend"] } },
    },
    {
      name: "is refused with more tags than a memory can have, and its record is small",
      method: "GET",
      path: `${path}?${Array.from({ length: 300 }, (_, at) => `tag=t${at}`).join("&")}`,
      status: 400,
      code: 1400,
      message: /^Field "tag" has 17 items; the maximum is 16\.$/,
      recordedFor,
      payload: { request_parameters: { tag: Array.from({ length: 17 }, (_, at) => `t${at}`) } },
    },
    {
      name: "is refused with a blank tag",
      method: "GET",
      path: `${path}?tag=`,
      status: 400,
      code: 1400,
      message: /^Field "tag\/0" must not be blank/,
      recordedFor,
    },
    {
      name: "names the parameter that was meant",
      method: "GET",
      path: `${path}?tags=shop`,
      status: 400,
      code: 1400,
      message: /^Query parameter "tags" is unknown; did you mean "tag"\?$/,
      recordedFor,
    },
    {
      name: "still refuses any other parameter that is sent twice",
      method: "GET",
      path: `${path}?page=1&page=1`,
      status: 400,
      code: 1400,
      message: /^Query parameter "page" is sent more than once; send it once\.$/,
      recordedFor,
    },
  ]);
});

describe("a search", () => {
  const search = async (body: JsonObject) => {
    const query = "What do we know about the web shop?";
    const { data } = await app.call("POST", `${path}/search`, { body: { query, top_k: 50, ...body } });
    return found(data).toSorted();
  };

  test.each(["semantic", "hybrid"])("finds only memories with the tags, in the mode %s", async (mode) => {
    expect(await search({ mode, tags: ["shop"], memory_type: "fact" })).toEqual([
      "The web shop has a page in German.",
      "The web shop is written in Go.",
    ]);
    expect(await search({ mode, tags: ["frontend", "backend"] })).toEqual([]);
    expect(await search({ mode, tags: ["frontend", "backend"], tags_match: "all" })).toEqual([]);
    expect(await search({ mode, tags: ["frontend", "backend"], tags_match: "any" })).toEqual([
      "The web shop has a page in German.",
      "The web shop is written in Go.",
      "Use tabs in the web shop.",
    ]);
    const all = await search({ mode, tags_match: "any" });
    expect(all).toEqual(await search({ mode }));
    expect(all).toContain("The web shop was founded in Lisbon.");
  });

  test("shows the same scores as without the filter", async () => {
    const body = { query: "Where was the web shop founded?", top_k: 50 };
    const everything = await app.call("POST", `${path}/search`, { body });
    const filtered = await app.call("POST", `${path}/search`, { body: { ...body, tags: ["shop"] } });
    const wanted = new Set(found(filtered.data));
    const scores = ({ data }: typeof filtered) =>
      objects(data.results).map(({ similarity, final_score, memory }) => [
        contents(memory)[0],
        similarity,
        final_score,
      ]);
    expect(scores(filtered)).toEqual(scores(everything).filter(([content]) => wanted.has(String(content))));
    expect(wanted.size).toBe(4);
  });

  runScenarios(app, [
    {
      name: "with an empty list is refused, because it could mean everything or nothing",
      method: "POST",
      path: `${path}/search`,
      options: { body: { query: "shop", tags: [] } },
      status: 400,
      code: 1400,
      message: /^Field "tags" is empty; send at least 1 item\.$/,
      recordedFor,
    },
    {
      name: "with an unknown way to match is refused",
      method: "POST",
      path: `${path}/search`,
      options: { body: { query: "shop", tags: ["a"], tags_match: "none" } },
      status: 400,
      code: 1400,
      message: /^Field "tags_match" must be one of "all", "any"\.$/,
      recordedFor,
    },
    {
      name: "is recorded with its tags",
      method: "POST",
      path: `${path}/search`,
      options: { body: { query: "shop", tags: ["frontend"], tags_match: "any" } },
      status: 200,
      code: 1000,
      data: { results: [{ memory: { id: both } }], total: 1 },
      recordedFor,
      payload: { request_body: { query: "shop", tags: ["frontend"], tags_match: "any" } },
    },
  ]);
});

describe("an injection", () => {
  const inject = async (body: JsonObject) => {
    const { data } = await app.call("POST", `${path}/inject`, { body: { min_similarity: 0, ...body } });
    return { rules: contents(data.rules).toSorted(), found: found(data).toSorted() };
  };
  const query = "Tell me about the web shop.";
  const project = "Answer in English.";
  const scoped = "Use tabs in the web shop.";

  test("without tags has every rule", async () => {
    expect((await inject({ query })).rules).toEqual([project, scoped]);
  });

  test("has the rules of the whole project, and of the others those that match, as of facts and contexts", async () => {
    expect(await inject({ query, tags: ["backend"] })).toEqual({
      rules: [project, scoped],
      found: ["The web shop is written in Go."],
    });
    expect(await inject({ query, tags: ["frontend"] })).toEqual({
      rules: [project],
      found: ["The web shop has a page in German."],
    });
    expect(await inject({ query, tags: ["backend", "frontend"] })).toEqual({ rules: [project], found: [] });
    expect((await inject({ query, tags: ["backend", "frontend"], tags_match: "any" })).rules).toEqual([
      project,
      scoped,
    ]);
  });

  test("does the same without a query", async () => {
    const body = { min_similarity: undefined, tags: ["frontend"] };
    const { data } = await app.call("POST", `${path}/inject`, { body });
    expect({ rules: contents(data.rules), found: found(data) }).toEqual({
      rules: [project],
      found: ["The web shop has a page in German."],
    });
  });
});

describe("the list of tags", () => {
  runScenarios(app, [
    {
      name: "has the number of memories of each, the most frequent first",
      method: "GET",
      path: `${path}/tags?page_size=3`,
      status: 200,
      code: 1000,
      data: {
        tags: [
          { tag: "shop", count: 4 },
          { tag: "backend", count: 2 },
          { tag: "Caf\u00e9", count: 1 },
        ],
        pagination: { page: 1, page_size: 3, total: 8, total_pages: 3 },
      },
      recordedFor,
      payload: { request_parameters: { page_size: 3 } },
    },
    {
      name: "is of one type",
      method: "GET",
      path: `${path}/tags?memory_type=rule&page_size=1&page=2`,
      status: 200,
      code: 1000,
      data: { tags: [{ tag: "shop", count: 1 }], pagination: { total: 2, total_pages: 2 } },
      recordedFor,
    },
    {
      name: "is empty behind its end",
      method: "GET",
      path: `${path}/tags?page=9`,
      status: 200,
      code: 1000,
      data: { tags: [], pagination: { page: 9, page_size: 100, total: 8, total_pages: 1 } },
      recordedFor,
    },
    {
      name: "is refused with a parameter that it does not have",
      method: "GET",
      path: `${path}/tags?pagesize=1`,
      status: 400,
      code: 1400,
      message: /^Query parameter "pagesize" is unknown/,
      recordedFor,
    },
  ]);

  test("is continued by its cursor, also after a restart", async () => {
    const list = async (query: string) => (await app.call("GET", `${path}/tags?page_size=3${query}`)).data;
    const whole = objects((await app.call("GET", `${path}/tags`)).data.tags);
    const first = await list("");
    await app.restart();
    const second = await list(`&cursor=${first.next_cursor}`);
    expect(second.pagination).toEqual({ page: 2, page_size: 3, total: 8, total_pages: 3 });
    const third = await list(`&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(({ tags }) => objects(tags))).toEqual(whole);
    expect(third.next_cursor).toBeNull();
    const refused = [
      await app.call("GET", `${path}/tags?cursor=${first.next_cursor}&page=2`),
      await app.call("GET", `${path}/tags?cursor=${first.next_cursor}&memory_type=rule`),
    ];
    expect(refused.map(({ code, message }) => [code, message])).toEqual([
      [1400, 'Send either "cursor" or "page", not both.'],
      [1400, expect.stringContaining("with the same memory_type")],
    ]);
  });

  test("counts what the list of memories counts, expired and inactive memories too", async () => {
    const { key } = await app.createProject("custom");
    const body = { content: "inactive", memory_type: "fact", tags: ["a"] };
    const id = await createMemory(app, body, key);
    await app.call("PUT", `${path}/${id}`, { key, body: { is_active: false } });
    const expires_at = new Date(Date.now() - 1000).toISOString();
    await createMemory(app, { content: "expired", memory_type: "fact", tags: ["a"], expires_at }, key);
    const { data } = await app.call("GET", `${path}/tags`, { key });
    expect(data.tags).toEqual([{ tag: "a", count: 2 }]);
    const list = await app.call("GET", `${path}?tag=a`, { key });
    expect(objects(list.data.pagination)[0]?.total).toBe(2);
  });

  test("can only be read at its address, and a memory is not called so", async () => {
    for (const method of ["PUT", "DELETE", "POST"]) {
      const reply = await app.call(method, `${path}/tags`, { body: {} });
      expect(reply).toMatchObject({ status: 405, code: 1405 });
      expect(reply.headers.get("allow")).toBe("GET, HEAD");
    }
    for (const other of ["tags/", "Tags", "%74ags", "tags/x"])
      expect((await app.call("GET", `${path}/${other}`)).status).toBe(404);
  });
});

describe("a bulk delete", () => {
  test("deletes the memories with all of the tags, of one type or of all", async () => {
    const { key, id } = await app.createProject("custom");
    const call = (method: string, at: string, body?: unknown) =>
      app.call(method, `${path}${at}`, { key, ...(body === undefined ? {} : { body }) });
    const make = (content: string, memory_type: string, tags: readonly string[]) =>
      createMemory(app, { content, memory_type, tags }, key);
    const kept = await make("kept", "fact", ["a"]);
    const gone = await make("gone", "fact", ["a", "b"]);
    await make("gone too", "rule", ["b", "a", "c"]);
    await make("another type", "context", ["a", "b"]);
    await make("no tags", "fact", []);
    expect((await call("DELETE", "", { tags: [] })).message).toBe(
      'Field "tags" is empty; send at least 1 item.',
    );
    expect((await call("DELETE", "", { tags: ["a", "none"] })).data).toEqual({ deleted_count: 0 });
    expect((await call("DELETE", "", { tags: ["b", "a"], memory_type: "fact" })).data).toEqual({
      deleted_count: 1,
    });
    expect((await call("GET", `/${gone}`)).code).toBe(2100);
    expect((await call("DELETE", "", { tags: ["b", " a "], memory_type: "rule" })).data).toEqual({
      deleted_count: 1,
    });
    const listed = async () => contents((await call("GET", "?sort_dir=asc")).data.memories);
    expect(await listed()).toEqual(["kept", "another type", "no tags"]);
    // The content of a deleted memory can be stored again, also before its row is removed.
    await make("gone", "fact", ["b"]);
    const search = await call("POST", "/search", { query: "gone", tags: ["b"], top_k: 50 });
    expect(found(search.data).toSorted()).toEqual(["another type", "gone"]);
    expect((await call("DELETE", "", { tags: ["b"] })).data).toEqual({ deleted_count: 2 });
    expect(await listed()).toEqual(["kept", "no tags"]);
    expect((await call("GET", `/${kept}`)).data.tags).toEqual(["a"]);
    const [record] = app
      .records(id)
      .filter(({ action }) => action === "memory.delete_all")
      .slice(-1);
    expect(record?.payload).toMatchObject({
      request_body: { tags: ["b"] },
      response_body: { data: { deleted_count: 2 } },
    });
  });

  test("without tags still takes memories with tags", async () => {
    const { key } = await app.createProject("custom");
    await createMemory(app, { content: "tagged", memory_type: "fact", tags: ["a"] }, key);
    await createMemory(app, { content: "plain", memory_type: "fact" }, key);
    expect((await app.call("DELETE", path, { key })).data).toEqual({ deleted_count: 2 });
    expect(contents((await app.call("GET", `${path}?tag=a`, { key })).data.memories)).toEqual([]);
  });
});

test("the record of a deletion does not have the tags of the memory, as it does not have its content", async () => {
  const id = await create("To be deleted.", "fact", ["private-tag"]);
  const before = app.countRecords(app.projectId);
  await app.call("DELETE", `${path}/${id}`);
  const [record] = app.records(app.projectId, before);
  expect(record?.action).toBe("memory.delete");
  expect(JSON.stringify(record)).not.toContain("private-tag");
});

test("tags survive a restart", async () => {
  await app.restart();
  expect((await app.call("GET", `${path}/${both}`)).data).toMatchObject(unchanged);
  expect((await app.call("GET", `${path}/${plain}`)).data.tags).toBeUndefined();
  const { data } = await app.call("POST", `${path}/search`, { body: { query: "shop", tags: ["frontend"] } });
  expect(found(data)).toEqual(["The web shop has a page in German."]);
});
