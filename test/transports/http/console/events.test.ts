// Watches a real server through its console: figures of real calls, new records, exports and the state of the installation, until the
// session ends. test/transports/http/console/overview/ has the rules of the streams.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { revokeKey } from "../../../../src/calls/operations/access/key-operations.ts";
import { revokeSessions } from "../../../../src/calls/operations/access/session-operations.ts";
import { isObject, type JsonObject } from "../../../../src/platform/json/json.ts";
import { contentsEveryMs } from "../../../../src/transports/http/console/overview/limits.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { type EventReader, readEvents } from "./overview/event-reader.ts";
import { type Browser, request, sessionPath, signIn } from "./signed-in.ts";

const eventsPath = "/console/api/events";
let app: TestApp;
let readers: EventReader[] = [];

beforeAll(async () => {
  app = await startTestApp();
});
afterEach(() => {
  for (const reader of readers) reader.close();
  readers = [];
});
afterAll(() => app.stop());

async function watch(
  browser: Browser,
  query = "",
  headers: Record<string, string> = {},
): Promise<EventReader> {
  const reader = await readEvents(`${app.url}${eventsPath}${query}`, {
    headers: { Cookie: browser.cookie, "Sec-Fetch-Site": "same-origin", ...headers },
  });
  readers.push(reader);
  return reader;
}

const memory = (content: string) => ({ content, memory_type: "fact" });
/** In all steps of the message: the minute may end between a call and the message about it. */
const countOf = (figures: JsonObject, operation: string): number => {
  const counts: number[] = JSON.parse(JSON.stringify(figures.operations))[operation]?.ok ?? [];
  return counts.reduce((sum, count) => sum + count, 0);
};

describe("the event stream", () => {
  test("shows an administrator the installation: figures, state and records", async () => {
    const browser = await signIn(app);
    const reader = await watch(browser);
    expect(reader.response.status).toBe(200);
    expect(reader.response.headers.get("content-type")).toContain("text/event-stream");
    const state = await reader.next("state");
    expect(state).toMatchObject({
      health: { ready: true, reasons: [] },
      installation: {
        server: { data_directory: app.config.dataDir, extractor: "built-in" },
        contents: { projects: 1 },
        tls: null,
        backup: { last: null, schedule: null },
        model: { change: null },
        retention: { clock_ahead_seconds: 0 },
      },
    });
    const { warnings, storage } = JSON.parse(JSON.stringify(state.installation));
    expect(warnings.map(({ code }: { code: string }) => code)).toContain("backup_missing");
    expect(storage.database.bytes).toBeGreaterThan(0);
    expect(storage.directory.bytes).toBeGreaterThanOrEqual(storage.database.bytes);
    expect(storage.disk.free_bytes).toBeGreaterThan(0);
    expect((await reader.next("records")).newest_sequence).toBe(app.countRecords(null));
    await app.call("POST", "/v1/memories", { body: memory("Deploys happen on Thursdays.") });
    await reader.next("figures", (figures) => countOf(figures, "memory.create") === 1);
  });

  test("shows an administrator memories within seconds after they were created", async () => {
    const browser = await signIn(app);
    const numberIn = ({ installation }: JsonObject): number =>
      JSON.parse(JSON.stringify(installation)).contents.memories.fact ?? 0;
    await (await watch(browser)).next("state");
    await app.call("POST", "/v1/memories", { body: memory("The stairs are wet.") });
    const { memories } = (await app.call("GET", "/v1/memories")).data;
    const created = Array.isArray(memories) ? memories.length : 0;
    expect(created).toBeGreaterThan(0);
    app.passTime(contentsEveryMs);
    await (await watch(browser)).next("state", (state) => numberIn(state) === created);
  });

  test("shows the session of a key its own project only, as long as the key is valid", async () => {
    const { id, key } = await app.createProject("custom", { credits: 12 });
    const own = await app.createKey(id, ["memory.read", "audit.read"]);
    const browser = await signIn(app, { key: own.key });
    const reader = await watch(browser);
    expect(await reader.next("state")).toEqual({ health: { ready: true, reasons: [] }, installation: null });
    expect((await reader.next("project")).project).toMatchObject({ id, plan: "custom", credits: 12 });
    await app.call("POST", "/v1/memories", { body: memory("Of another project.") });
    await app.call("POST", "/v1/memories", { key, body: memory("Of this one.") });
    const figures = await reader.next("figures", (data) => countOf(data, "memory.create") === 1);
    expect(figures.project).toBe(id);
    const newest = app.countRecords(id);
    expect(await reader.next("records", (data) => data.newest_sequence === newest)).toMatchObject({
      project: id,
    });
    expect(
      await reader.next("memories", (data) => isObject(data.memories) && data.memories.fact === 1),
    ).toMatchObject({
      project: id,
      memories: { fact: 1 },
    });
    await app.administer(revokeKey, { key: own.id });
    expect(await reader.next("session")).toEqual({ reason: "ended" });
    await reader.ended;
    const text = JSON.stringify(reader.events);
    for (const hidden of [app.projectId, app.config.dataDir, "project.create", '"exports"'])
      expect(text).not.toContain(hidden);
  });

  test("shows an administrator one project, with the exports that are made there", async () => {
    const { id, key } = await app.createProject("custom");
    await app.call("POST", "/v1/memories", { key, body: memory("One.") });
    const browser = await signIn(app);
    const reader = await watch(browser, `?project=${id}`);
    expect((await reader.next("records")).newest_sequence).toBe(1);
    const times = { start_time: "2020-01-01T00:00:00Z", end_time: "2999-01-01T00:00:00Z" };
    const made = await app.call("POST", "/v1/audit/logs/export", { key, body: { format: "csv", ...times } });
    expect(made.status).toBe(200);
    const exportId = String(made.data.export_id);
    await reader.next("exports", (data) =>
      JSON.stringify(data).includes(`"${exportId}","status":"completed"`),
    );
  });

  test("writes no record", async () => {
    const browser = await signIn(app);
    const before = app.countRecords(null);
    const reader = await watch(browser);
    await reader.next("records");
    await browser.send("GET", "/console/api/settings");
    await browser.send("GET", "/console/api/connections");
    expect(app.countRecords(null)).toBe(before);
  });

  test("ends when the person signs out, and when the session is revoked or expires", async () => {
    const first = await signIn(app);
    const reader = await watch(first);
    await reader.next("state");
    expect((await first.send("DELETE", sessionPath)).status).toBe(204);
    expect(await reader.next("session")).toEqual({ reason: "ended" });
    await reader.ended;

    const second = await signIn(app);
    const revoked = await watch(second);
    await revoked.next("state");
    await app.administer(revokeSessions, { session: second.session.id });
    await revoked.next("session");

    const third = await signIn(app);
    const expiring = await watch(third);
    await expiring.next("state");
    app.passTime(13 * 3_600_000);
    await expiring.next("session");
    expect((await watch(third)).response.status).toBe(401);
  });

  test("ends when the server stops, which does not wait for it", async () => {
    // If the server waited for the stream, this test would not end in time.
    const other = await startTestApp({ "shutdown-grace-seconds": "300" });
    const browser = await signIn(other);
    const reader = await readEvents(`${other.url}${eventsPath}`, { headers: { Cookie: browser.cookie } });
    await reader.next("state");
    await other.stop();
    await reader.ended;
  });
});

describe("without a right to it", () => {
  test.each([
    ["no cookie", {}, 401],
    ["an unknown session", { Cookie: `memledger_session=mls_${"a".repeat(43)}` }, 401],
    ["an API key", { Authorization: "Bearer ml_x" }, 401],
  ] as const)("%s", async (_, headers, status) => {
    for (const path of [
      eventsPath,
      "/console/api/settings",
      "/console/api/connections",
      "/console/api/key-changes",
    ])
      expect((await request(app, "GET", path, { headers })).status).toBe(status);
  });

  test("a page of another origin", async () => {
    const browser = await signIn(app);
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await browser.send("GET", eventsPath, { headers: foreign })).status).toBe(403);
    expect((await browser.send("GET", "/console/api/settings", { headers: foreign })).status).toBe(403);
  });

  test("a key for another project, and a text that is no id", async () => {
    const { key } = await app.createProject("custom");
    const browser = await signIn(app, { key });
    const other = await browser.send("GET", `${eventsPath}?project=${app.projectId}`);
    expect([other.status, other.code]).toEqual([403, 1403]);
    const odd = await browser.send("GET", `${eventsPath}?project=${encodeURIComponent("' OR 1=1")}`);
    expect([odd.status, odd.code]).toEqual([400, 1400]);
  });

  test("settings are for administrators", async () => {
    const { key } = await app.createProject("custom");
    const browser = await signIn(app, { key });
    const refused = await browser.send("GET", "/console/api/settings");
    expect([refused.status, refused.code]).toEqual([403, 1403]);
  });

  test("other methods are refused", async () => {
    const browser = await signIn(app);
    const reply = await browser.send("POST", eventsPath, { body: {} });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("what the console shows beside it", () => {
  test("the settings in force, with their sources", async () => {
    const browser = await signIn(app);
    const { data } = await browser.send("GET", "/console/api/settings");
    const { settings, versions } = JSON.parse(JSON.stringify(data));
    const port = settings.find(({ name }: { name: string }) => name === "port");
    expect(port).toMatchObject({ value: 0, source: "--port", source_kind: "flag" });
    expect(versions).toMatchObject({ bun: Bun.version, embedded: null });
  });

  test("how each assistant is connected to this server", async () => {
    const { key } = await app.createProject("custom");
    const browser = await signIn(app, { key });
    const { data } = await browser.send("GET", "/console/api/connections");
    const { assistants, key_placeholder } = JSON.parse(JSON.stringify(data));
    expect(assistants.length).toBeGreaterThan(7);
    for (const { with_key } of assistants) {
      expect(with_key).toContain(app.url);
      expect(with_key).toContain(key_placeholder);
    }
  });
});
