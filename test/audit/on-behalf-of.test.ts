// Proves what records say of the person for whom a client says that it acts: over each transport, of performed and refused calls, by which
// filter they are found, and that the name goes with an erasure.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { showRecord } from "../../src/calls/operations/ledger/show-record.ts";
import { repeatErasure } from "../../src/calls/operations/subjects/repeat-erasure.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../everything-stored.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { newAdministrationKey } from "../transports/http/administration-key.ts";
import { post, rpc } from "../transports/mcp/clients.ts";
import { askSecond, python } from "./second-verifier.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const behalf = (name: string) => ({ "Memledger-On-Behalf-Of": name });
const latin1 = (name: string) => Buffer.from(name).toString("latin1");
const searchFor = (name: string | null, body: JsonObject = {}, key: string = app.apiKey) =>
  app.call("POST", "/v1/memories/search", {
    key,
    body: { query: "tea", ...body },
    headers: name === null ? {} : behalf(latin1(name)),
  });
const detailOf = async (id: unknown, key = app.apiKey) =>
  (await app.call("GET", `/v1/audit/logs/${id}`, { key })).data;
const listed = async (query: string, key = app.apiKey) => {
  const { data } = await app.call("GET", `/v1/audit/logs?${query}`, { key });
  return data.logs as { id: string; action: string }[];
};
const newestOf = async (action: string, key?: string) =>
  detailOf((await listed(`action=${action}&page_size=1`, key))[0]?.id, key);
const erase = (name: string, fields: JsonObject = {}, headers: Record<string, string> = {}) =>
  app.call("POST", `/v1/subjects/${encodeURIComponent(name)}/erase`, { body: fields, headers });
const verified = async (key?: string) => (await app.call("GET", "/v1/audit/verify", key ? { key } : {})).data;

test("records of all transports have the name in a part of its own, and others are as they were", async () => {
  const made = await app.call("POST", "/v1/memories", {
    body: { content: "The team drinks tea.", memory_type: "fact" },
    headers: behalf(latin1("  Zoë Müller ")),
  });
  expect(made.status).toBe(201);
  expect((await newestOf("memory.create")).on_behalf_of).toBe("Zoë Müller");
  await searchFor("ana@example.com", { subject: "user:1" });
  expect((await newestOf("memory.search")).on_behalf_of).toBe("ana@example.com");
  const tool = rpc("tools/call", { name: "memory_search", arguments: { query: "tea" } });
  await post(app.url, app.apiKey, tool, behalf("by-mcp"));
  expect(await newestOf("memory.search")).toMatchObject({ on_behalf_of: "by-mcp", transport: "mcp" });
  await app.call("POST", "/v1/chat/completions", {
    body: { model: "m", messages: [] },
    headers: behalf("by-gateway"),
  });
  expect(await newestOf("gateway.chat")).toMatchObject({ on_behalf_of: "by-gateway", transport: "gateway" });
  const appended = await app.call("POST", "/v1/audit/logs", {
    body: { action: "crm.read", http_status: 200, metadata: { ticket: 7 } },
    headers: behalf("by-crm"),
  });
  expect(appended.data).toMatchObject({ on_behalf_of: "by-crm", metadata: { ticket: 7 } });
  await searchFor(null);
  const [last] = app.records(app.projectId).slice(-1);
  expect(last?.payload).not.toHaveProperty("on_behalf_of");
  const unnamed = app.records(app.projectId).filter(({ payload }) => payload.on_behalf_of === undefined);
  expect(unnamed.every(({ entry }) => entry.person === undefined)).toBe(true);
  const shown = await app.administer(showRecord, { record: String(appended.data.id) });
  expect(shown.on_behalf_of).toBe("by-crm");
  expect(await verified()).toMatchObject({ failure: null });
});

test("a refused call is recorded with the name, too", async () => {
  const { key } = await app.createKey(app.projectId, ["memory.read"]);
  const refusals = [
    await app.call("POST", "/v1/memories", {
      key,
      body: { content: "x" },
      headers: behalf("refused@example.com"),
    }),
    await app.call("POST", "/v1/memories", { body: { content: "" }, headers: behalf("refused@example.com") }),
    await app.call("GET", `/v1/memories/${"0".repeat(32)}`, { headers: behalf("refused@example.com") }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([403, 400, 404]);
  const found = await listed("on_behalf_of=refused@example.com");
  expect(found.map(({ action }) => action)).toEqual(["memory.read", "memory.create", "memory.create"]);
  for (const { id } of found) expect((await detailOf(id)).on_behalf_of).toBe("refused@example.com");
});

test.each([
  ["", "must not be blank; send 1 to 200 characters"],
  ["x".repeat(201), "is 1 character too long; the maximum is 200"],
  ["tab\there", "control character"],
  [".", "."],
])("the name %p is refused with what to do, and the refusal is recorded without it", async (name, reason) => {
  const { status, code, message, data } = await app.call("GET", "/v1/memories", { headers: behalf(name) });
  expect({ status, code }).toEqual({ status: 400, code: 1400 });
  expect(message).toContain("Memledger-On-Behalf-Of");
  expect(message).toContain(reason);
  expect(data.field).toBe("Memledger-On-Behalf-Of");
  const detail = await newestOf("memory.list");
  expect(detail).toMatchObject({ http_status: 400, error_code: 1400, on_behalf_of: null });
});

test("a list and an export have the records of a person, and the record of the list does not have the name", async () => {
  await searchFor("filter@example.com");
  await searchFor("filter@example.com", { subject: "user:1" });
  await searchFor("other@example.com");
  expect(await listed("on_behalf_of=filter@example.com")).toHaveLength(2);
  expect(await listed("on_behalf_of=filter@example.com&subject=user:1")).toHaveLength(1);
  expect(await listed("on_behalf_of=nobody@example.com")).toEqual([]);
  const lists = app.records(app.projectId).filter(({ action }) => action === "audit.list");
  expect(JSON.stringify(lists.map(({ payload }) => payload))).not.toMatch(/filter@|nobody@/);
  const [start_time, end_time] = [new Date().toISOString().slice(0, 10), "2099-01-01"];
  const { data, message } = await app.call("POST", "/v1/audit/logs/export", {
    body: { start_time, end_time, format: "json", on_behalf_of: "filter@example.com" },
  });
  expect(message).toBe("success");
  expect(data.estimated_records).toBe(2);
});

test("an erasure takes the name of a person from the records of others, and the ledger still verifies", async () => {
  const name = "Gwendolyn Quastelmann";
  await app.call("POST", "/v1/memories", {
    body: { content: "Gwen skates.", memory_type: "fact", subject: name },
  });
  await searchFor(name, { subject: "user:2" });
  await searchFor(name, { subject: name });
  const other = await app.call("POST", "/v1/audit/logs", {
    body: { action: "crm.read", http_status: 200, metadata: { ticket: 8 } },
    headers: behalf(name),
  });
  const before = await erase(name, { dry_run: true });
  expect(before.data).toMatchObject({ erased: false, memories: 1, records: 4 });
  const { data } = await erase(name);
  expect(data).toMatchObject({ erased: true, memories: 1 });
  const detail = await detailOf(other.data.id);
  expect(detail).toMatchObject({
    on_behalf_of: null,
    erased_places: ["/on_behalf_of"],
    metadata: { ticket: 8 },
  });
  expect(await listed(`on_behalf_of=${encodeURIComponent(name)}`)).toEqual([]);
  expect((await erase(name)).data).toMatchObject({ erased: false, records: 0 });
  // A later call with the name has another pseudonym.
  await searchFor(name);
  expect(await listed(`on_behalf_of=${encodeURIComponent(name)}`)).toHaveLength(1);
  // Nobody of this name has memories now.
  expect((await erase(name)).data).toMatchObject({ erased: true, memories: 0, records: 1 });
  expect(await verified()).toMatchObject({ failure: null });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(stored).not.toContain("Quastelmann");
  });
});

test("a person who has it erased is in no other record, and the next erasure takes that one", async () => {
  const name = "Ottilie Brennwald";
  await app.call("POST", "/v1/memories", {
    body: { content: "Ottilie swims.", memory_type: "fact", subject: name },
  });
  expect((await erase(name, {}, behalf(name))).data.erased).toBe(true);
  expect((await newestOf("audit.redact")).on_behalf_of).toBe(null);
  expect(await listed(`on_behalf_of=${encodeURIComponent(name)}`)).toHaveLength(1);
  expect((await erase(name)).data).toMatchObject({ erased: true, records: 1 });
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(stored).not.toContain("Brennwald");
  });
});

test("an erasure of a person is repeated with the pseudonym of its receipt", async () => {
  await searchFor("Leopold Rauchfang");
  using database = new Database(join(app.config.dataDir, "memledger.db"), { readonly: true });
  const pseudonym = database.query("SELECT id FROM pseudonym WHERE kind = 'person' AND name = ?");
  const { id: subject } = pseudonym.get("Leopold Rauchfang") as { id: string };
  const repeat = () =>
    app.administer(repeatErasure, { project: app.projectId, subject, record: "0".repeat(32) });
  expect(await repeat()).toMatchObject({ result: "erased", records: 1, receipt: { subject } });
  expect(await repeat()).toMatchObject({ result: "absent" });
});

test("many first calls for a person at once have one pseudonym", async () => {
  const { id, key } = await app.createProject("custom");
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => searchFor("crowd@example.com", {}, key)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await listed("on_behalf_of=crowd@example.com", key)).toHaveLength(20);
  expect(
    app
      .records(id)
      .every(
        ({ payload }) => payload.on_behalf_of === undefined || payload.on_behalf_of === "crowd@example.com",
      ),
  ).toBe(true);
  expect(await verified(key)).toMatchObject({ failure: null });
});

test("retention removes the name of a person whom no record names any more", async () => {
  const { key } = await app.createProject("custom", { retention_days: 1 });
  await searchFor("Quirin Tannhauser", {}, key);
  app.passTime(2 * 86_400_000);
  await app.call("GET", "/v1/memories", { key });
  await app.administer(pruneRecords, {});
  await app.restart(() => {
    const stored = everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir);
    expect(stored).not.toContain("Tannhauser");
  });
});

test("in the chain of the installation, an administration key names a person, and a caller without a valid key nobody", async () => {
  const { key } = await newAdministrationKey(app);
  await app.call("GET", "/v1/admin/plans", { key, headers: behalf("operator@example.com") });
  await app.call("GET", "/v1/memories", { key: "ml_nobody", headers: behalf("nobody@example.com") });
  const [administered, refused] = app.records(null).slice(-2);
  expect(administered?.payload.on_behalf_of).toBe("operator@example.com");
  expect(refused?.status).toBe(401);
  expect(refused?.payload).not.toHaveProperty("on_behalf_of");
});

test.if(python !== null)("the second verifier accepts all of it", async () => {
  await app.restart(() => {
    const [answer] = askSecond([
      {
        path: join(app.config.dataDir, "memledger.db"),
        checkpoints: [],
        publicKey: join(app.config.dataDir, "audit.pub"),
      },
    ]);
    expect(answer).toMatchObject({ verdict: expect.stringMatching(/intact|unattested/) });
  });
});
