// Proves that every call leaves exactly one record on the right chain with the right fields, that secrets are in none of them, and
// that nothing happens at all when the record cannot be written.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { permissions } from "../../src/access/key.ts";
import { createKey, revokeKey } from "../../src/calls/operations/access/key-operations.ts";
import { deleteProject, updateProject } from "../../src/calls/operations/access/project-operations.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "../calls/storage/seam.ts";
import { type RecordRow, startTestApp } from "../fixture.ts";
import { checkChains } from "./chain-check.ts";

const app = await startTestApp({ "log-level": "silent" });
afterAll(() => app.stop());
const databasePath = join(app.config.dataDir, "memledger.db");

/** What the chain of a project (null: of the installation) gains meanwhile. */
async function gained(projectId: string | null, work: () => Promise<unknown>): Promise<RecordRow[]> {
  const before = app.records(projectId).length;
  await work();
  return app.records(projectId).slice(before);
}

describe("every outcome of every operation leaves one record", async () => {
  const project = await app.createProject("business", { memory_limit: 2 });
  const reader = await app.createKey(project.id, ["memory.read"]);
  const other = await app.createProject("free");
  const make = async (content: string) =>
    String(
      (await app.call("POST", "/v1/memories", { key: project.key, body: { content, memory_type: "fact" } }))
        .data.id,
    );
  const held = await make("The office closes at six.");
  const absent = "0".repeat(32);
  const { key } = project;
  const body = { content: "The office opens at nine.", memory_type: "rule", importance: 0.25 };
  const full = { content: "No room for this.", memory_type: "fact" };

  const bad = '{"content":';
  const digest = { length: bad.length, sha256: createHash("sha256").update(bad).digest("hex") };
  test.each<
    [
      string,
      string,
      string,
      { key?: string; body?: unknown; headers?: Record<string, string> },
      JsonObject,
      JsonObject,
    ]
  >([
    [
      "create",
      "POST",
      "",
      { key, body },
      { action: "memory.create", status: 201, code: 1000, memory: expect.stringMatching(/^[0-9a-f]{32}$/) },
      { request_body: body, response_body: { success: true, data: { content: body.content } } },
    ],
    [
      "create, duplicate",
      "POST",
      "",
      { key, body },
      { action: "memory.create", status: 409, code: 2104, memory: null },
      { error_msg: expect.stringContaining("already has"), response_body: { success: false, code: 2104 } },
    ],
    [
      "create, limit",
      "POST",
      "",
      { key, body: full },
      { action: "memory.create", status: 400, code: 2101, memory: null },
      { request_body: full, error_msg: expect.stringContaining("limit of 2") },
    ],
    [
      "create, invalid",
      "POST",
      "",
      { key, body: { content: 7 } },
      { action: "memory.create", status: 400, code: 1400 },
      { request_body: { content: 7 } },
    ],
    [
      "create, broken JSON",
      "POST",
      "",
      { key, body: bad },
      { action: "memory.create", status: 400, code: 1400 },
      { unreadable_body: digest },
    ],
    [
      "create, no permission",
      "POST",
      "",
      { key: reader.key, body },
      { action: "memory.create", status: 403, code: 1403, key: reader.id },
      {},
    ],
    [
      "list",
      "GET",
      "",
      { key },
      { action: "memory.list", status: 200, code: 1000, memory: null },
      { response_body: { data: { pagination: { total: 2 } } } },
    ],
    [
      "list, misspelled parameter",
      "GET",
      "?page_sise=1",
      { key },
      { action: "memory.list", status: 400, code: 1400 },
      {},
    ],
    [
      "read",
      "GET",
      `/${held}`,
      { key: reader.key },
      { action: "memory.read", status: 200, code: 1000, memory: held, key: reader.id },
      { response_body: { data: { id: held } } },
    ],
    [
      "read, absent",
      "GET",
      `/${absent}`,
      { key },
      { action: "memory.read", status: 404, code: 2100, memory: absent },
      { error_msg: expect.stringContaining("does not exist") },
    ],
    [
      "update",
      "PUT",
      `/${held}`,
      { key, body: { importance: 0.75 } },
      { action: "memory.update", status: 200, code: 1000, memory: held },
      { request_body: { importance: 0.75 }, response_body: { data: { importance: 0.75 } } },
    ],
    [
      "update of nothing",
      "PUT",
      `/${held}`,
      { key, body: {} },
      { action: "memory.update", status: 400, code: 1400 },
      { request_body: {} },
    ],
    [
      "search",
      "POST",
      "/search",
      { key, body: { query: "opening hours" }, headers: { "X-Audit-Metadata": '{"ticket":"A-1"}' } },
      { action: "memory.search", status: 200, code: 1000, memory: null },
      { metadata: { ticket: "A-1" }, response_body: { data: { query: "opening hours", total: 2 } } },
    ],
    [
      "search, bad metadata",
      "POST",
      "/search",
      { key, body: { query: "q" }, headers: { "X-Audit-Metadata": "[]" } },
      { action: "memory.search", status: 400, code: 1400 },
      {},
    ],
    [
      "delete",
      "DELETE",
      `/${held}`,
      { key },
      { action: "memory.delete", status: 204, code: 1000, memory: held },
      { deleted_memory: { memory_type: "fact", importance: 0.75 } },
    ],
    [
      "delete, absent",
      "DELETE",
      `/${held}`,
      { key },
      { action: "memory.delete", status: 404, code: 2100, memory: held },
      {},
    ],
    [
      "delete all",
      "DELETE",
      "",
      { key, body: { memory_type: "rule" } },
      { action: "memory.delete_all", status: 200, code: 1000, memory: null },
      { response_body: { data: { deleted_count: 1 } } },
    ],
    [
      "delete all, misunderstood",
      "DELETE",
      "",
      { key, body: { type: "rule" } },
      { action: "memory.delete_all", status: 400, code: 1400 },
      { request_body: { type: "rule" } },
    ],
  ])("%s", async (_, method, path, options, entry, payload) => {
    const records = await gained(project.id, () => app.call(method, `/v1/memories${path}`, options));
    expect(records).toHaveLength(1);
    const [record] = records;
    expect(record?.entry).toMatchObject({
      project: project.id,
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...entry,
    });
    expect(record?.payload).toMatchObject({ ip_address: "127.0.0.1", ...payload });
    const names = [
      "deleted_memory",
      "error_msg",
      "former_values",
      "ip_address",
      "metadata",
      "request_body",
      "request_parameters",
      "response_body",
      "unreadable_body",
      "user_agent",
    ];
    expect(Object.keys(record?.payload ?? {}).filter((name) => !names.includes(name))).toEqual([]);
    if (entry.status === 204) expect(record?.payload.response_body).toBeUndefined();
    const { duration } = Object(record?.entry.numbers);
    expect(duration).toBeGreaterThan(0);
    expect(duration).toBeLessThan(10_000);
  });

  test("on a plan without memory", async () => {
    const records = await gained(other.id, () => app.call("GET", "/v1/memories", { key: other.key }));
    expect(records.map(({ entry }) => [entry.code, entry.status])).toEqual([[2106, 403]]);
  });

  const asked = { content: "The office is in Lisbon.", memory_type: "fact" };
  test.each([
    ["plan", 2106, "/v1/memories", () => other.key, asked],
    ["permission", 1403, "/v1/memories", () => reader.key, asked],
    ["metadata", 1400, "/v1/memories", () => key, asked],
    ["permission, and its body is invalid", 1403, "/v1/memories", () => reader.key, { anything: [1, null] }],
    ["permission, and its body is large", 1403, "/v1/memories", () => reader.key, { x: "x".repeat(500_000) }],
  ])("a call that is refused for its %s leaves its body", async (name, code, path, keyOf, body) => {
    const headers: Record<string, string> = name === "metadata" ? { "X-Audit-Metadata": "[]" } : {};
    const chain = keyOf() === other.key ? other.id : project.id;
    const records = await gained(chain, () => app.call("POST", path, { key: keyOf(), body, headers }));
    expect(records).toMatchObject([{ entry: { code }, payload: { request_body: body } }]);
  });

  test("a call that is refused for its permission leaves the digest of a body that no record can have", async () => {
    for (const body of ["{", "[1]", '{"a":1,"a":2}', '{"a":"\\ud83e"}']) {
      const records = await gained(project.id, () =>
        app.call("POST", "/v1/memories", { key: reader.key, body }),
      );
      const sha256 = createHash("sha256").update(body).digest("hex");
      const unreadable_body = { length: body.length, sha256 };
      expect(records).toMatchObject([{ entry: { code: 1403 }, payload: { unreadable_body } }]);
      expect(records[0]?.payload.request_body).toBeUndefined();
    }
  });

  test("a conversation whose call is refused for its permission leaves its digest, because nobody knows whose it is", async () => {
    const body = JSON.stringify({ model: "m", messages: [], user: "user:42" });
    const records = await gained(project.id, () =>
      app.call("POST", "/v1/chat/completions", { key: reader.key, body }),
    );
    const sha256 = createHash("sha256").update(body).digest("hex");
    expect(records).toMatchObject([
      { entry: { code: 1403 }, payload: { unreadable_body: { length: body.length, sha256 } } },
    ]);
    expect(JSON.stringify(records)).not.toContain("user:42");
  });

  test("a call that is refused for its permission leaves no body that is too large", async () => {
    const body = `{"x":"${"x".repeat(1024 * 1024)}"}`;
    const records = await gained(project.id, () =>
      app.call("POST", "/v1/memories", { key: reader.key, body }),
    );
    expect(records.map(({ entry }) => entry.code)).toEqual([1403]);
    expect(records[0]?.payload).not.toContainAnyKeys(["request_body", "unreadable_body"]);
  });

  test("calls that reach no operation leave none", async () => {
    const all = () => [...checkChains(databasePath).values()].reduce((sum, count) => sum + count, 0);
    const before = all();
    for (const [method, path] of [
      ["GET", "/v1/nothing"],
      ["PATCH", "/v1/memories"],
      ["GET", "/health/live"],
      ["GET", "/docs"],
    ] as const) {
      await app.call(method, path).catch(() => undefined);
    }
    expect(all()).toBe(before);
  });

  test("a body that is too large leaves one without it", async () => {
    const tooLarge = `"${"x".repeat(1024 * 1024)}"`;
    const records = await gained(project.id, () => app.call("POST", "/v1/memories", { key, body: tooLarge }));
    expect(records.map(({ entry }) => entry.code)).toEqual([1413]);
    expect(records[0]?.payload).not.toContainAnyKeys(["request_body", "unreadable_body"]);
  });
});

describe("keys that are not valid any more", async () => {
  const project = await app.createProject("pro");
  test("an expired key is recorded on its project's chain", async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key } = await app.createKey(project.id, permissions, { expires_at });
    expect((await app.call("GET", "/v1/memories", { key })).status).toBe(200);
    app.passTime(3_600_001);
    const records = await gained(project.id, () => app.call("GET", "/v1/memories", { key }));
    expect(records.map(({ entry }) => [entry.code, entry.key])).toEqual([[1401, id]]);
  });

  test("a revoked key is recorded on its project's chain", async () => {
    const { id, key } = await app.createKey(project.id, permissions);
    await app.administer(revokeKey, { key: id });
    const records = await gained(project.id, () => app.call("GET", "/v1/memories", { key }));
    expect(records.map(({ entry }) => [entry.code, entry.key])).toEqual([[1401, id]]);
  });

  test("a key of a deleted project too, and its memories are gone", async () => {
    const doomed = await app.createProject("pro");
    await app.call("POST", "/v1/memories", { key: doomed.key, body: { content: "x", memory_type: "fact" } });
    await app.administer(deleteProject, { project: doomed.id });
    const records = await gained(doomed.id, () => app.call("GET", "/v1/memories", { key: doomed.key }));
    expect(records.map(({ entry }) => entry.code)).toEqual([1401]);
  });
});

describe("unauthenticated calls", () => {
  // Calls with keys that are not valid any more were counted with them.
  beforeAll(() => app.passTime(60_000));

  test("are recorded on the installation's chain, ten a second, then refused and counted", async () => {
    const key = `ml_${"x".repeat(43)}`;
    const answers: (number | null)[] = [];
    const records = await gained(null, async () => {
      for (let call = 0; call < 30; call++) {
        const reply = await app.call("POST", "/v1/memories", { key, body: { content: "not kept" } });
        answers.push(reply.code);
        if (reply.code === 1429) expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      }
    });
    const recorded = answers.filter((code) => code === 1401).length;
    expect(records.filter(({ status }) => status === 401)).toHaveLength(recorded);
    expect(records.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(recorded).toBeGreaterThanOrEqual(10);
    expect(recorded).toBeLessThan(20);
    expect(answers.filter((code) => code !== 1401 && code !== 1429)).toEqual([]);
    expect(records[0]?.entry).toMatchObject({
      action: "memory.create",
      code: 1401,
      key: null,
      project: null,
    });
    expect(JSON.stringify(records)).not.toContain("not kept");
  });

  test("do not use up what others may do", async () => {
    expect((await app.call("GET", "/v1/memories")).status).toBe(200);
  });
});

describe("administration", () => {
  test("is recorded on the installation's chain", async () => {
    const project = await app.createProject("pro");
    const records = await gained(null, () =>
      app.administer(updateProject, { project: project.id, plan: "basic" }),
    );
    expect(records.map(({ entry }) => [entry.action, entry.status, entry.key, entry.project])).toEqual([
      ["project.update", 200, null, null],
    ]);
  });

  test("input that the ledger cannot hold is refused, not lost", async () => {
    const records = await gained(null, async () => {
      await expect(app.administer(revokeKey, { key: "\ud800" })).rejects.toThrow(/lone surrogate/);
    });
    expect(records.map(({ entry }) => [entry.action, entry.code])).toEqual([["key.revoke", 1400]]);
  });

  test("no secret is anywhere in the data directory", async () => {
    const { key } = await app.createKey(app.projectId, permissions);
    await app.call("GET", "/v1/memories", { key });
    await app.administer(createKey, { project: app.projectId, permissions: ["memory.read"] });
    const answers = app.records(null).filter(({ action }) => action === "key.create");
    expect(answers.length).toBeGreaterThan(3);
    const texts = app
      .records(null)
      .concat(app.records(app.projectId))
      .map((record) => JSON.stringify(record))
      .join("\n");
    expect(/ml_[0-9A-Za-z]{43}/.test(texts)).toBe(false);
    expect(/bearer ml_/i.test(texts)).toBe(false);
    for (const name of readdirSync(app.config.dataDir)) {
      const path = join(app.config.dataDir, name);
      if (!name.startsWith("memledger.db") || !existsSync(path)) continue;
      const bytes = readFileSync(path);
      for (const secret of [key, app.apiKey]) expect(bytes.includes(secret)).toBe(false);
    }
  });
});

describe("a record that cannot be written", async () => {
  const project = await app.createProject("pro");
  const { key } = project;
  const create = (content: string) =>
    app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact" } });
  const held = String((await create("Stays as it is.")).data.id);

  test("undoes its call and answers 1503, reads included, and everything recovers", async () => {
    const database = openDatabase(databasePath, runtime);
    const dump = () =>
      JSON.stringify([
        database.prepare("SELECT id, content, importance, revision FROM memory ORDER BY serial").all(),
        database.prepare("SELECT * FROM pool").all(),
        database.prepare("SELECT COUNT(*) FROM audit_entry").all(),
        database.prepare("SELECT COUNT(*) FROM memory_vector").all(),
      ]);
    const before = dump();
    database.exec(
      "CREATE TRIGGER disk_is_full BEFORE INSERT ON audit_payload BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const calls: [string, string, unknown?][] = [
      ["POST", "/v1/memories", { content: "Must not stay.", memory_type: "fact" }],
      ["GET", "/v1/memories"],
      ["GET", `/v1/memories/${held}`],
      ["PUT", `/v1/memories/${held}`, { importance: 1 }],
      ["POST", "/v1/memories/search", { query: "stays" }],
      ["DELETE", `/v1/memories/${held}`],
      ["DELETE", "/v1/memories"],
      ["POST", "/v1/memories", { content: 7 }],
    ];
    const replies = await Promise.all(
      [...calls, ...calls, ...calls].map(([method, path, body]) =>
        app.call(method, path, { key, ...(body === undefined ? {} : { body }) }),
      ),
    );
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 503, code: 1503 });
      expect(reply.headers.get("retry-after")).toBe("1");
      expect(reply.text).not.toMatch(/disk|trigger|SQL/i);
    }
    expect((await app.call("GET", "/health/live")).status).toBe(200);
    await expect(app.createKey(project.id, ["memory.read"])).rejects.toThrow();
    expect(dump()).toBe(before);
    database.exec("DROP TRIGGER disk_is_full");
    database.close();

    expect((await app.call("GET", `/v1/memories/${held}`, { key })).data).toMatchObject({ importance: 0.5 });
    expect((await create("Must not stay.")).status).toBe(201);
    const found = await app.call("POST", "/v1/memories/search", { key, body: { query: "stays", top_k: 50 } });
    expect(found.data.total).toBe(2);
    // The server says what happened; that is all it may complain of.
    const expected = /a transaction was rolled back|^administration .*operation: "key.create",\s+code: 1503/s;
    expect(app.complaints.filter((line) => !expected.test(line))).toEqual([]);
    app.complaints.length = 0;
  });
});

test("all chains of this file hold", () => {
  expect(checkChains(databasePath).size).toBeGreaterThan(5);
});
