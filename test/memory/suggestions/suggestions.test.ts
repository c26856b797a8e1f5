// Tests the queue of suggestions over HTTP: what can be proposed and by whom, what accepting changes and how it is undone, and what an
// attacker and bad input get.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { proposedMax } from "../../../src/memory/suggestions/limits.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let key = "";
let project = "";
let agent = "";
beforeEach(async () => {
  ({ key, id: project } = await app.createProject("custom"));
  agent = (await app.createKey(project, ["memory.propose"])).key;
});

type Options = { readonly with?: string; readonly query?: string };

async function call(method: string, path: string, body?: JsonObject, { with: by = key }: Options = {}) {
  return app.call(method, path, { key: by, ...(body === undefined ? {} : { body }) });
}
async function create(content: string, fields: JsonObject = {}): Promise<JsonObject & { id: string }> {
  const { data, status } = await call("POST", "/v1/memories", { content, memory_type: "fact", ...fields });
  expect(status).toBe(201);
  return { ...data, id: String(data.id) };
}
async function propose(body: JsonObject, by = agent): Promise<string> {
  const { status, data, text } = await call("POST", "/v1/suggestions", body, { with: by });
  expect({ status, text }).toMatchObject({ status: 201 });
  return String(data.id);
}
const listed = async (query = "", by = key) =>
  objectsIn((await call("GET", `/v1/suggestions${query}`, undefined, { with: by })).data.suggestions);
const read = async (id: string) => (await call("GET", `/v1/memories/${id}`)).data;
const decide = (id: string, how: "accept" | "merge" | "refuse", body: JsonObject = {}) =>
  call("POST", `/v1/suggestions/${id}/${how}`, how === "refuse" ? undefined : body);
const memories = async () => objectsIn((await call("GET", "/v1/memories?page_size=100")).data.memories);
const objectsIn = (value: unknown) => [value].flat().filter(isObject);

describe("a key that may only propose", () => {
  test("changes, reads and decides nothing", async () => {
    const { id } = await create("Releases go out on Tuesdays.");
    const before = await memories();
    const suggestion = await propose({ kind: "delete", memory_id: id });
    for (const [method, path, body] of [
      ["POST", "/v1/memories", { content: "x", memory_type: "fact" }],
      ["PUT", `/v1/memories/${id}`, { content: "x" }],
      ["DELETE", `/v1/memories/${id}`, undefined],
      ["GET", `/v1/memories/${id}`, undefined],
      ["GET", "/v1/suggestions", undefined],
      ["GET", `/v1/suggestions/${suggestion}`, undefined],
      ["POST", `/v1/suggestions/${suggestion}/accept`, {}],
      ["POST", `/v1/suggestions/${suggestion}/merge`, {}],
      ["POST", `/v1/suggestions/${suggestion}/refuse`, undefined],
      ["POST", "/v1/suggestions/accept", { suggestion_ids: [suggestion] }],
      ["POST", "/v1/suggestions/refuse", { suggestion_ids: [suggestion] }],
    ] as const)
      expect(await call(method, path, body, { with: agent })).toMatchObject({ status: 403, code: 1403 });
    expect(await memories()).toEqual(before);
    expect(await listed()).toHaveLength(1);
  });

  test("is not told what a memory says", async () => {
    const { id } = await create("The secret plan is called Juniper.");
    for (const body of [
      { kind: "delete", memory_id: id },
      { kind: "change", memory_id: id, importance: 0.1 },
      { kind: "replace", memory_id: id, content: "Nothing." },
    ]) {
      const { text } = await call("POST", "/v1/suggestions", body, { with: agent });
      expect(text).not.toContain("Juniper");
    }
  });

  test("is recorded, with what it proposed", async () => {
    await propose({
      kind: "create",
      content: "Lunch is at noon.",
      memory_type: "fact",
      reason: "They said it.",
    });
    const [suggestion] = await listed();
    const record = app.records(project).find(({ action }) => action === "suggestion.create");
    expect(record?.payload).toMatchObject({ request_body: { content: "Lunch is at noon." } });
    expect(record?.entry.id).toBe(suggestion?.audit_id ?? "");
    expect(record?.entry).toMatchObject({ numbers: { credits_consumed: 0 } });
  });
});

test("without the permission nothing can be proposed", async () => {
  const writer = (await app.createKey(project, ["memory.read", "memory.write"])).key;
  const body = { kind: "create", content: "x", memory_type: "fact" };
  expect(await call("POST", "/v1/suggestions", body, { with: writer })).toMatchObject({ code: 1403 });
});

describe("a proposal that means nothing is refused", () => {
  test.each([
    [{ kind: "create", content: "x" }, "memory_type"],
    [{ kind: "create", memory_type: "fact" }, "content"],
    [
      { kind: "create", content: "x", memory_type: "fact", memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8" },
      "memory_id",
    ],
    [{ kind: "change", content: "x" }, "memory_id"],
    [{ kind: "replace", memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8" }, "content"],
    [{ kind: "delete", memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8", content: "x" }, "content"],
    [{ kind: "change", memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8" }, "kind"],
    [{ kind: "create", content: "x", memory_type: "fact", is_active: false }, "is_active"],
    [{ kind: "contradiction", content: "x" }, "kind"],
    [{ kind: "create", content: " ", memory_type: "fact" }, "content"],
    [{ kind: "create", content: "x\u0000", memory_type: "fact" }, "content"],
    [{ kind: "create", content: "x", memory_type: "fact", reason: "x".repeat(1_001) }, "reason"],
    [{ kind: "create", content: "x", memory_type: "fact", quotes: Array(11).fill("x") }, "quotes"],
    [{ kind: "create", content: "x", memory_type: "fact", source: "model" }, "source"],
  ] as const)("%j", async (body, field) => {
    const { status, data } = await call("POST", "/v1/suggestions", body as unknown as JsonObject, {
      with: agent,
    });
    expect({ status, field: data.field }).toEqual({ status: 400, field });
    expect(await listed()).toEqual([]);
  });

  test("also for a memory that does not exist, or was changed", async () => {
    const { id, updated_at = null } = await create("One.");
    await call("PUT", `/v1/memories/${id}`, { content: "Two." });
    const missing = { kind: "delete", memory_id: "019a2b3c4d5e7f708192a3b4c5d6e7f8" };
    expect(await call("POST", "/v1/suggestions", missing, { with: agent })).toMatchObject({ code: 2100 });
    const old = { kind: "delete", memory_id: id, if_updated_at: updated_at };
    const changed = await read(id);
    const refused = await call("POST", "/v1/suggestions", old, { with: agent });
    expect(refused).toMatchObject({ code: 2108, data: {} });
    expect(refused.text).not.toContain(String(changed.updated_at));
    const { data } = await call("POST", "/v1/suggestions", old);
    expect(data).toEqual({ updated_at: changed.updated_at ?? null });
  });
});

describe("accepting", () => {
  test("a new memory stores it", async () => {
    const id = await propose({
      kind: "create",
      content: "Lunch is at noon.",
      memory_type: "rule",
      tags: ["a"],
    });
    const [suggestion] = await listed();
    expect(suggestion).toMatchObject({
      id,
      kind: "create",
      proposed_by: "key",
      memories: [],
      outdated: false,
      changes: [{ change: "created", id: null, before: null, after: { content: "Lunch is at noon." } }],
    });
    const { data } = await decide(id, "accept", { importance: 0.9 });
    const [memory] = await memories();
    expect(memory).toMatchObject({
      content: "Lunch is at noon.",
      memory_type: "rule",
      tags: ["a"],
      importance: 0.9,
    });
    expect(data).toMatchObject({ id, kind: "create", changes: [{ change: "created", id: memory?.id }] });
    expect(await listed()).toEqual([]);
    expect(await decide(id, "accept")).toMatchObject({ status: 404, code: 2110 });
  });

  test("a change makes it, and says what undoes it", async () => {
    const before = await create("Lunch is at noon.", { tags: ["old"] });
    const fields = { content: "Lunch is at one.", tags: ["new"], is_active: false };
    const id = await propose({ kind: "change", memory_id: before.id, ...fields });
    const { data } = await decide(id, "accept");
    expect(await read(before.id)).toMatchObject(fields);
    const [change] = objectsIn(data.changes);
    expect(change).toMatchObject({
      before: { content: "Lunch is at noon.", tags: ["old"], is_active: true },
      after: fields,
    });
    const undo = { ...(change?.before as JsonObject), if_updated_at: change?.updated_at ?? null };
    expect((await call("PUT", `/v1/memories/${before.id}`, undo)).status).toBe(200);
    const timeless = { updated_at: null, last_accessed_at: null };
    expect<JsonObject>({ ...(await read(before.id)), ...timeless }).toEqual({ ...before, ...timeless });
  });

  test("a replacement makes the older memory inactive, and activating it undoes that", async () => {
    const older = await create("Releases go out on Tuesdays.", { importance: 0.9, tags: ["a"] });
    const id = await propose({
      kind: "replace",
      memory_id: older.id,
      content: "Releases go out on Thursdays.",
      quotes: ["we release on Thursdays now"],
    });
    const { data } = await decide(id, "accept");
    const [created] = objectsIn(data.changes);
    expect(await read(older.id)).toMatchObject({ is_active: false, superseded_by: created?.id });
    expect(await read(String(created?.id))).toMatchObject({ is_active: true, importance: 0.9, tags: ["a"] });
    await call("PUT", `/v1/memories/${older.id}`, { is_active: true });
    expect(await read(older.id)).not.toHaveProperty("superseded_by");
    const history = await call("GET", `/v1/memories/${older.id}/history`);
    expect(objectsIn(history.data.events).map((each) => each.event ?? each.kind)).toEqual(
      expect.arrayContaining(["created", "changed"]),
    );
    expect(history.text).toContain("suggestion.accept");
  });

  test("a deletion deletes, and its record has no word of it", async () => {
    const { id } = await create("Zebras sleep standing.");
    const suggestion = await propose({ kind: "delete", memory_id: id });
    expect(await decide(suggestion, "accept", { content: "x" })).toMatchObject({ code: 1400 });
    expect(await decide(suggestion, "accept")).toMatchObject({ status: 200 });
    expect(await call("GET", `/v1/memories/${id}`)).toMatchObject({ code: 2100 });
    const record = app
      .records(project)
      .filter(({ action }) => action === "suggestion.accept")
      .at(-1);
    expect(JSON.stringify(record?.payload)).not.toContain("Zebras");
  });

  test("is refused when the memory was changed meanwhile, and nothing changes", async () => {
    const { id } = await create("Lunch is at noon.");
    const suggestion = await propose({ kind: "change", memory_id: id, content: "Lunch is at one." });
    await call("PUT", `/v1/memories/${id}`, { importance: 0.2 });
    expect(await listed()).toMatchObject([{ outdated: true }]);
    expect(await decide(suggestion, "accept")).toMatchObject({ status: 409, code: 2108 });
    expect(await read(id)).toMatchObject({ content: "Lunch is at noon.", importance: 0.2 });
    expect(await listed()).toHaveLength(1);
  });

  test("is refused for a content that another memory has", async () => {
    await create("Lunch is at one.");
    const id = await propose({ kind: "create", content: "Lunch is at one.", memory_type: "fact" });
    expect(await decide(id, "accept")).toMatchObject({ status: 409, code: 2104 });
    expect(await listed()).toHaveLength(1);
  });

  test("is refused over the memory limit of the plan", async () => {
    await app.administer(
      (await import("../../../src/calls/operations/access/project-operations.ts")).updateProject,
      {
        project,
        memory_limit: 1,
      },
    );
    await create("One.");
    const id = await propose({ kind: "create", content: "Two.", memory_type: "fact" });
    expect(await decide(id, "accept")).toMatchObject({ code: 2101 });
  });
});

test("merging keeps one text of both, and the caller may give it", async () => {
  const older = await create("Releases go out on Tuesdays.");
  const first = await propose({ kind: "replace", memory_id: older.id, content: "Ana approves releases." });
  expect(await decide(first, "merge")).toMatchObject({ status: 200 });
  expect(await memories()).toMatchObject([
    { content: "Releases go out on Tuesdays.\nAna approves releases.", is_active: true },
    { id: older.id, is_active: false },
  ]);
  const other = await create("Lunch is at noon.");
  const second = await propose({ kind: "replace", memory_id: other.id, content: "Lunch is at one." });
  await decide(second, "merge", { content: "Lunch is at noon, in winter at one." });
  expect((await memories())[0]).toMatchObject({ content: "Lunch is at noon, in winter at one." });
  const third = await propose({ kind: "change", memory_id: other.id, importance: 0.1 });
  expect(await decide(third, "merge")).toMatchObject({ code: 1400 });
});

test("many are decided in one call, each with its result", async () => {
  const { id } = await create("Lunch is at noon.");
  const good = await propose({ kind: "create", content: "Tea is at four.", memory_type: "fact" });
  const double = await propose({ kind: "replace", memory_id: id, content: "Tea is at four." });
  const unknown = "019a2b3c4d5e7f708192a3b4c5d6e7f8";
  const suggestion_ids = [good, double, unknown, good, "no id"];
  const { data } = await call("POST", "/v1/suggestions/accept", { suggestion_ids });
  expect(data).toMatchObject({
    decided: 1,
    failed: 4,
    results: [
      { index: 0, status: "accepted", id: good },
      { index: 1, status: "failed", code: 2104 },
      { index: 2, status: "failed", code: 2110 },
      { index: 3, status: "failed", code: 2110 },
      { index: 4, status: "failed", code: 2110 },
    ],
  });
  // What the failed one had changed is undone.
  expect(await read(id)).toMatchObject({ is_active: true });
  const refused = await call("POST", "/v1/suggestions/refuse", { suggestion_ids: [double, good] });
  expect(refused.data).toMatchObject({
    decided: 1,
    failed: 1,
    results: [{ status: "refused", id: double }, {}],
  });
  expect(await listed()).toEqual([]);
  const tooMany = { suggestion_ids: Array(101).fill(unknown) };
  expect(await call("POST", "/v1/suggestions/accept", tooMany)).toMatchObject({ code: 1400 });
});

test("a list has pages and filters", async () => {
  const { id } = await create("Lunch is at noon.");
  const made: string[] = [];
  for (let at = 0; at < 5; at++)
    made.unshift(await propose({ kind: "create", content: `Number ${at}.`, memory_type: "fact" }));
  const about = await propose({ kind: "delete", memory_id: id });
  expect((await listed(`?memory_id=${id}`)).map(({ id }) => id)).toEqual([about]);
  expect(await listed("?memory_id=nobody")).toEqual([]);
  expect((await listed("?kind=create")).map(({ id }) => id)).toEqual(made);
  const seen: unknown[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const query = `?page_size=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { data } = await call("GET", `/v1/suggestions${query}`);
    seen.push(...objectsIn(data.suggestions).map(({ id }) => id));
    cursor = data.next_cursor ?? null;
  }
  expect(seen).toEqual([about, ...made]);
  expect(await call("GET", "/v1/suggestions?cursor=x")).toMatchObject({ code: 1400 });
  expect(await call("GET", "/v1/suggestions?page_size=101")).toMatchObject({ code: 1400 });
});

test("a suggestion is gone with its memory, deleted alone or with others", async () => {
  const { id } = await create("One.");
  const other = await create("Two.", { memory_type: "context" });
  const first = await propose({ kind: "change", memory_id: id, importance: 0.1 });
  const second = await propose({ kind: "change", memory_id: other.id, importance: 0.1 });
  await call("DELETE", `/v1/memories/${id}`);
  expect((await listed()).map((each) => each.id)).toEqual([second]);
  await call("DELETE", "/v1/memories", { memory_type: "context" });
  expect(await listed()).toEqual([]);
  for (const gone of [first, second]) {
    expect(await decide(gone, "accept")).toMatchObject({ code: 2110 });
    expect(await decide(gone, "refuse")).toMatchObject({ code: 2110 });
    expect(await call("GET", `/v1/suggestions/${gone}`)).toMatchObject({ code: 2110 });
  }
});

test("what a key proposes is limited, never makes room for something else, and leaves room for other keys", async () => {
  const first = await propose({ kind: "create", content: "First.", memory_type: "fact" });
  for (let at = 1; at < proposedMax / 2; at++) {
    app.passTime(1_000);
    await propose({ kind: "create", content: `Number ${at}.`, memory_type: "fact" });
  }
  const more = { kind: "create", content: "One more.", memory_type: "fact" };
  const refused = await call("POST", "/v1/suggestions", more, { with: agent });
  expect(refused).toMatchObject({ status: 400, code: 2111, data: { suggestion_limit: proposedMax } });
  expect(await decide(first, "refuse")).toMatchObject({ status: 200 });
  await propose(more);
  const other = (await app.createKey(project, ["memory.propose"])).key;
  for (let at = 0; at < proposedMax / 4; at++)
    await propose({ kind: "create", content: `Other ${at}.`, memory_type: "fact" }, other);
  expect(await call("POST", "/v1/suggestions", more, { with: other })).toMatchObject({ code: 2111 });
  await propose(more, (await app.createKey(project, ["memory.propose"])).key);
});

describe("nobody reaches the suggestions of others", () => {
  const idsOf = async (by: string, query = "") => (await listed(query, by)).map(({ id }) => id);

  test("of another project", async () => {
    const { id } = await create("One.");
    const own = await propose({ kind: "change", memory_id: id, importance: 0.1 });
    const other = await app.createProject("custom");
    const body = { kind: "delete", memory_id: id };
    expect(await call("POST", "/v1/suggestions", body, { with: other.key })).toMatchObject({ code: 2100 });
    expect(await idsOf(other.key)).toEqual([]);
    for (const how of ["accept", "merge", "refuse"])
      expect(
        await call("POST", `/v1/suggestions/${own}/${how}`, undefined, { with: other.key }),
      ).toMatchObject({ code: 2110 });
    expect(await idsOf(key)).toEqual([own]);
  });

  test("of another subject, also with a bound key or a token", async () => {
    const about = async (subject: string) => {
      const { id } = await create(`I am ${subject}.`, { subject });
      return { id, suggestion: await propose({ kind: "change", memory_id: id, importance: 0.1, subject }) };
    };
    const [ana, bo] = [await about("user:1"), await about("user:2")];
    const permissions = ["memory.read", "memory.write", "memory.propose"] as const;
    const bound = (await app.createKey(project, permissions, { subject: "user:1" })).key;
    const issued = await call("POST", "/v1/keys", { subject: "user:1" });
    expect(issued.data.permissions).toContain("memory.propose");
    for (const by of [bound, String(issued.data.token)]) {
      expect(await idsOf(by)).toEqual([ana.suggestion]);
      expect(await call("GET", "/v1/suggestions?subject=user:2", undefined, { with: by })).toMatchObject({
        code: 1403,
      });
      const body = { kind: "delete", memory_id: bo.id };
      expect(await call("POST", "/v1/suggestions", body, { with: by })).toMatchObject({ code: 2100 });
      for (const how of ["accept", "refuse"])
        expect(
          await call("POST", `/v1/suggestions/${bo.suggestion}/${how}`, undefined, { with: by }),
        ).toMatchObject({ code: 2110 });
    }
    expect(await idsOf(key)).toEqual([]);
    expect(await idsOf(key, "?subject=user:2")).toEqual([bo.suggestion]);
  });
});
