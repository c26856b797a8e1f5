// Proves which records the lists select by tags, metadata and subject: those of the calls that named a memory, and those of the conversations
// of which one was made.

import { afterAll, describe, expect, test } from "bun:test";
import { listChain } from "../../src/calls/operations/ledger/list-chain.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const logsOf = (data: JsonObject): JsonObject[] =>
  Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
const project = await app.createProject("custom");
const { key } = project;

async function send(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const reply = await app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  expect([path, reply.status < 300, reply.message]).toEqual([path, true, "success"]);
  return reply.data;
}

const idOf = async (body: JsonObject) =>
  String((await send("POST", "/v1/memories", { memory_type: "fact", ...body })).id);
const list = (query: string) => send("GET", `/v1/audit/logs?${query}`);
const found = async (query: string) =>
  logsOf(await list(query)).map(({ action, memory_id: memory }) => [action, memory]);
const metadata = (filter: JsonObject) => `metadata=${encodeURIComponent(JSON.stringify(filter))}`;

const team = { team: "payments", priority: 2 };
const tagged = await idOf({
  content: "Releases go out on Tuesdays.",
  tags: ["release", "ops"],
  metadata: team,
});
const other = await idOf({ content: "The office has a red door.", tags: ["office"] });
const ofAna = await idOf({ content: "Ana drinks tea.", tags: ["release"], subject: "user:ana" });
await send("GET", `/v1/memories/${tagged}`);
await send("GET", `/v1/memories/${other}`);
await send("GET", `/v1/memories/${ofAna}?subject=user:ana`);
await app.call("PUT", `/v1/memories/${tagged}`, { key, body: { importance: 5 } });
await send("POST", "/v1/memories/search", { query: "When are releases?", tags: ["release"] });
await send("POST", "/v1/memories/batch", {
  memories: [{ content: "Deployments need two reviews.", memory_type: "fact", tags: ["release"] }],
});

describe("a list", () => {
  test("by a tag has the calls that named a memory with it, of the project and of subjects", async () => {
    expect(await found("tag=release")).toEqual([
      ["memory.update", tagged],
      ["memory.read", ofAna],
      ["memory.read", tagged],
      ["memory.create", ofAna],
      ["memory.create", tagged],
    ]);
    expect((await list("tag=release&page_size=1")).total).toBe(5);
  });

  test.each([
    ["tag=release&tag=ops", 3],
    ["tag=office", 2],
    ["tag=none", 0],
    ["tag=release&action=memory.read", 2],
    ["tag=release&status_class=4xx", 1],
    ["tag=release&status_class=2xx", 4],
    ["tag=release&subject=user:ana", 2],
    ["tag=office&subject=user:ana", 0],
    ["tag=release&without_console_reads=true", 5],
    [`tag=release&memory_id=${tagged}`, 3],
    [`tag=release&memory_id=${other}`, 0],
    [metadata({ team: "payments" }), 3],
    [metadata({ priority: { gte: 3 } }), 0],
    [metadata({ team: "payments", priority: { gt: 1 } }), 3],
    [`tag=release&${metadata({ team: { exists: false } })}`, 2],
    ["tag=release&end_time=2001-01-01", 0],
  ])("by %s has %p records", async (query, total) => {
    const data = await list(query);
    expect([data.total, logsOf(data).length]).toEqual([total, total]);
  });

  test("is read page by page, and its cursor belongs to the same tags and metadata", async () => {
    const shown: unknown[] = [];
    for (let cursor = ""; ; ) {
      const page = await list(`tag=release&page_size=2${cursor}`);
      shown.push(...logsOf(page).map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(shown).toEqual(logsOf(await list("tag=release")).map(({ id }) => id));
    const { next_cursor } = await list("tag=release&page_size=2");
    for (const filter of ["tag=ops", `tag=release&${metadata(team)}`, ""]) {
      const reply = await app.call("GET", `/v1/audit/logs?${filter}&cursor=${next_cursor}`, { key });
      expect([reply.status, reply.data.reason]).toEqual([400, "belongs to another list"]);
    }
  });

  test("follows the tags that memories have now, and has nothing of a deleted memory", async () => {
    const moved = await idOf({ content: "Backups run at night.", tags: ["backup"] });
    const gone = await idOf({ content: "Backups are kept for a week.", tags: ["backup"] });
    expect((await list("tag=backup")).total).toBe(2);
    await send("PUT", `/v1/memories/${moved}`, { tags: ["nightly"] });
    expect(await found("tag=backup")).toEqual([["memory.create", gone]]);
    expect(await found("tag=nightly")).toEqual([
      ["memory.update", moved],
      ["memory.create", moved],
    ]);
    await app.call("DELETE", `/v1/memories/${gone}`, { key });
    expect(await found("tag=backup")).toEqual([]);
  });

  test("has the conversation of which a memory with the tag was extracted", async () => {
    await send("POST", "/v1/memories/extract", {
      messages: [{ role: "user", content: "My name is Ada and I live in Turin." }],
      tags: ["extracted"],
    });
    expect(await found("tag=extracted")).toEqual([["memory.extract", null]]);
  });

  test("has nothing of other projects", async () => {
    const another = await app.createProject("custom");
    const reply = await app.call("GET", "/v1/audit/logs?tag=release", { key: another.key });
    expect(reply.data).toMatchObject({ logs: [], total: 0 });
  });

  test.each([
    ["tag=", "tag"],
    [metadata({}), "metadata"],
    [metadata({ team: { like: "pay" } }), "metadata/team/like"],
    ["metadata=team", "metadata"],
  ])("by %s is refused", async (query, field) => {
    const reply = await app.call("GET", `/v1/audit/logs?${query}`, { key });
    expect([reply.status, reply.code, String(reply.data.field)]).toEqual([
      400,
      1400,
      expect.stringContaining(field),
    ]);
  });
});

describe("the list of administrators", () => {
  const total = async (filter: JsonObject) =>
    Number((await app.administer(listChain, { project: project.id, ...filter })).total);

  test("has the same filters", async () => {
    expect(await total({ tag: ["ops"] })).toBe(3);
    expect(await total({ metadata: { team: "payments" } })).toBe(3);
    expect(await total({ subject: "user:ana", tag: ["release"] })).toBe(2);
    expect(await total({ subject: "user:nobody" })).toBe(0);
  });

  test("does not record the name of the subject", async () => {
    await total({ subject: "user:ana", action: "memory.create" });
    const { payload } = app.records(null).at(-1) ?? {};
    expect(payload).toMatchObject({ request_body: { project: project.id, action: "memory.create" } });
    expect(JSON.stringify(payload)).not.toContain("user:ana");
  });

  test.each([{ subject: "user:ana" }, { tag: ["release"] }, { metadata: team }])(
    "refuses %p without a project",
    async (filter) => {
      const [field = ""] = Object.keys(filter);
      await expect(app.administer(listChain, filter)).rejects.toThrow(
        `"${field}" selects records of a project`,
      );
    },
  );
});
