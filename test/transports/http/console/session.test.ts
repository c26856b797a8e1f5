// Signs in to the console of a real server: with links and with keys, until sessions end. forgery.test.ts has the attacks.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { permissions } from "../../../../src/access/key.ts";
import { revokeKey } from "../../../../src/calls/operations/access/key-operations.ts";
import { deleteProject } from "../../../../src/calls/operations/access/project-operations.ts";
import { revokeSessions } from "../../../../src/calls/operations/access/session-operations.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { type Browser, cookieOf, newLink, request, sessionPath, signIn } from "./signed-in.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const memories = (browser: Browser, project: string, options = {}) =>
  browser.send("GET", "/v1/memories", { headers: { "Memledger-Project": project }, ...options });

describe("a sign-in link", () => {
  test("makes an administrator, who is told who that is", async () => {
    const browser = await signIn(app);
    expect(browser.session).toMatchObject({ kind: "administrator", key: null, project: null });
    expect(Date.parse(browser.session.expires_at) - Date.parse(browser.session.created_at)).toBe(43_200_000);
    const shown = await browser.send("GET", sessionPath);
    expect([shown.status, shown.data]).toEqual([200, { ...browser.session }]);
    expect(shown.text).not.toContain("mls_");
  });

  test("can be used once, and says who to ask when it was used", async () => {
    const link = await newLink(app);
    await signIn(app, { link });
    const again = await request(app, "POST", sessionPath, { body: { link } });
    expect([again.status, again.code]).toEqual([401, 1401]);
    expect(again.message).toContain("was used already");
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test("opens one session if twenty browsers use it at once", async () => {
    const link = await newLink(app);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => request(app, "POST", sessionPath, { body: { link } })),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401 || status === 429)).toHaveLength(19);
    expect(replies.filter(({ headers }) => headers.getSetCookie().length > 0)).toHaveLength(1);
  });

  test("expires after ten minutes", async () => {
    const link = await newLink(app);
    app.passTime(10 * 60_000);
    const late = await request(app, "POST", sessionPath, { body: { link } });
    expect([late.status, late.message.includes("has expired")]).toEqual([401, true]);
  });
});

describe("an API key", () => {
  test("opens a session with its permissions and its project", async () => {
    const { id, key } = await app.createProject("custom");
    const reading = await app.createKey(id, ["memory.read"], { name: "reader" });
    const browser = await signIn(app, { key: reading.key });
    expect(browser.session).toMatchObject({
      kind: "key",
      key: { id: reading.id, name: "reader", permissions: ["memory.read"] },
      project: { id },
    });
    expect((await browser.send("GET", "/v1/memories")).status).toBe(200);
    const body = { content: "A fact.", memory_type: "fact" };
    expect((await browser.send("POST", "/v1/memories", { body })).code).toBe(1403);
    const writing = await signIn(app, { key });
    expect((await writing.send("POST", "/v1/memories", { body })).status).toBe(201);
    const other = await app.createProject("custom");
    expect((await memories(browser, other.id)).code).toBe(1403);
  });

  test("that is unknown, revoked or malformed opens none", async () => {
    const revoked = await app.createKey(app.projectId, permissions);
    await app.administer(revokeKey, { key: revoked.id });
    for (const key of [`ml_${"a".repeat(43)}`, revoked.key, "x", "ml_", `${app.apiKey} `]) {
      const reply = await request(app, "POST", sessionPath, { body: { key } });
      expect([401, 429]).toContain(reply.status);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });
});

describe("the cookie", () => {
  test("is kept from scripts and from other sites, and has no name that another port of the host shares", async () => {
    const reply = await request(app, "POST", sessionPath, { body: { link: await newLink(app) } });
    const form = `^memledger_session_${app.port}=mls_[0-9A-Za-z]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`;
    expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(new RegExp(form))]);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("is deleted when the person signs out, and the session ends on the server", async () => {
    const browser = await signIn(app);
    const out = await browser.send("DELETE", sessionPath);
    expect([out.status, out.text]).toEqual([204, ""]);
    expect(out.headers.getSetCookie()).toEqual([
      `memledger_session_${app.port}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`,
    ]);
    expect((await browser.send("GET", sessionPath)).code).toBe(1401);
    expect((await memories(browser, app.projectId)).code).toBe(1401);
    const again = await browser.send("DELETE", sessionPath);
    expect([again.code, again.headers.getSetCookie().length]).toEqual([1401, 1]);
  });

  test("that somebody else has planted does not become the session of a person who signs in", async () => {
    const attacker = await signIn(app);
    const planted = `memledger_session_${app.port}=mls_${"a".repeat(43)}`;
    for (const cookie of [planted, attacker.cookie]) {
      const reply = await request(app, "POST", sessionPath, {
        body: { link: await newLink(app) },
        headers: { Cookie: cookie },
      });
      expect(reply.status).toBe(201);
      expect(cookieOf(reply)).not.toBe(cookie);
      const shown = await request(app, "GET", sessionPath, { headers: { Cookie: cookie } });
      // The session that the browser had is closed.
      expect([401, 429]).toContain(shown.status);
    }
  });

  test("with two values is refused", async () => {
    const { cookie, session } = await signIn(app);
    const both = `${cookie}; memledger_session_${app.port}=mls_${"a".repeat(43)}`;
    const headers = { Cookie: both, "Memledger-Request-Token": session.request_token };
    expect((await request(app, "GET", "/v1/memories", { headers })).code).toBe(1400);
  });
});

describe("a session ends", () => {
  test("after twelve hours, however much it is used", async () => {
    const browser = await signIn(app, { key: app.apiKey });
    app.passTime(11 * 3_600_000);
    expect((await browser.send("GET", "/v1/memories")).status).toBe(200);
    app.passTime(3_600_000);
    expect((await browser.send("GET", "/v1/memories")).code).toBe(1401);
    expect((await browser.send("GET", sessionPath)).code).toBe(1401);
  });

  test("when its key is revoked", async () => {
    const made = await app.createKey(app.projectId, permissions);
    const browser = await signIn(app, { key: made.key });
    expect((await browser.send("GET", "/v1/memories")).status).toBe(200);
    await app.administer(revokeKey, { key: made.id });
    const after = await browser.send("GET", "/v1/memories");
    expect([after.code, after.message.includes("revoked")]).toEqual([1401, true]);
  });

  test("when its key expires", async () => {
    const { created_at } = (await signIn(app)).session;
    const later = new Date(Date.parse(created_at) + 3_600_000).toISOString();
    const made = await app.createKey(app.projectId, permissions, { expires_at: later });
    const browser = await signIn(app, { key: made.key });
    expect((await browser.send("GET", "/v1/memories")).status).toBe(200);
    app.passTime(3_600_000);
    expect((await browser.send("GET", "/v1/memories")).code).toBe(1401);
  });

  test("when its project is deleted", async () => {
    const { id, key } = await app.createProject("custom");
    const browser = await signIn(app, { key });
    await app.administer(deleteProject, { project: id });
    expect((await browser.send("GET", "/v1/memories")).code).toBe(1401);
  });

  test("when an administrator revokes it, or all of them", async () => {
    const [one, other] = [await signIn(app, { key: app.apiKey }), await signIn(app, { key: app.apiKey })];
    const { revoked } = await app.administer(revokeSessions, { session: one.session.id });
    expect(revoked).toEqual([one.session.id]);
    expect((await one.send("GET", "/v1/memories")).code).toBe(1401);
    expect((await other.send("GET", "/v1/memories")).status).toBe(200);
    const all = await app.administer(revokeSessions, { all: true });
    expect(all.revoked).toContain(other.session.id);
    expect((await other.send("GET", "/v1/memories")).code).toBe(1401);
  });
});

describe("an administrator", () => {
  test("acts in a project with the key named console, which the first call creates", async () => {
    const { id } = await app.createProject("custom");
    const browser = await signIn(app);
    expect((await browser.send("GET", "/v1/memories")).code).toBe(1400);
    const found = await Promise.all([memories(browser, id), memories(browser, id), memories(browser, id)]);
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200]);
    const keys = await browser.send("POST", "/console/api/administration/key.list", {
      body: { project: id },
    });
    const listed: unknown = JSON.parse(keys.text).data;
    const named = (Array.isArray(listed) ? listed : []).filter(({ name }) => name === "console");
    expect(named).toEqual([expect.objectContaining({ permissions: [...permissions], revoked_at: null })]);
    const [record] = app.records(id).filter(({ action }) => action === "memory.list");
    expect(record?.payload).toMatchObject({
      transport: "console",
      session_id: browser.session.id,
      ip_address: "127.0.0.1",
    });
    const owner = await app.createKey(id, permissions);
    const shown = await app.call("GET", `/v1/audit/logs/${record?.entry.id}`, { key: owner.key });
    expect(shown.data).toMatchObject({
      session_id: browser.session.id,
      os_uid: process.getuid?.() ?? null,
    });
  });

  test("loses the project when that key is revoked, and nothing else", async () => {
    const { id } = await app.createProject("custom");
    const browser = await signIn(app);
    expect((await memories(browser, id)).status).toBe(200);
    const keys = await browser.send("POST", "/console/api/administration/key.list", {
      body: { project: id },
    });
    const listed: unknown = JSON.parse(keys.text).data;
    const [key] = (Array.isArray(listed) ? listed : []).filter(({ name }) => name === "console");
    await app.administer(revokeKey, { key: String(key.id) });
    const refused = await memories(browser, id);
    expect([refused.code, refused.message.includes("--name console")]).toEqual([1403, true]);
    expect((await memories(browser, app.projectId)).status).toBe(200);
    await app.createKey(id, permissions, { name: "console" });
    expect((await memories(browser, id)).status).toBe(200);
  });

  test("gets 1400 for a project that does not exist", async () => {
    const browser = await signIn(app);
    for (const project of ["0".repeat(32), "default", "x"])
      expect((await memories(browser, project)).code).toBe(1400);
  });

  test("performs what the list permits, and nothing else", async () => {
    const browser = await signIn(app);
    const administer = (operation: string, body = {}) =>
      browser.send("POST", `/console/api/administration/${operation}`, { body });
    expect((await administer("project.list")).status).toBe(200);
    expect((await administer("project.create", { name: "made in the console" })).status).toBe(201);
    for (const forbidden of [
      "audit.prune",
      "audit.redact",
      "backup.create",
      "session.link",
      "key.local",
      "x",
    ])
      expect((await administer(forbidden)).code).toBe(1404);
    const [record] = app
      .records(null)
      .filter(({ action }) => action === "project.create")
      .slice(-1);
    expect(record?.payload).toMatchObject({
      transport: "console",
      session_id: browser.session.id,
      ip_address: "127.0.0.1",
      user_agent: expect.any(String),
      os_uid: expect.any(Number),
    });
  });

  test("is not who signed in with a key", async () => {
    const browser = await signIn(app, { key: app.apiKey });
    const refused = await browser.send("POST", "/console/api/administration/project.list", { body: {} });
    expect(refused.code).toBe(1403);
  });

  test("sees in the list who is signed in, and whether the session is used", async () => {
    const browser = await signIn(app, null, { "User-Agent": "Example/1.0" });
    const reply = await browser.send("POST", "/console/api/administration/session.list", { body: {} });
    const sessions: unknown = JSON.parse(reply.text).data;
    expect(sessions).toContainEqual(
      expect.objectContaining({
        id: browser.session.id,
        kind: "administrator",
        ip_address: "127.0.0.1",
        user_agent: "Example/1.0",
      }),
    );
    expect(reply.text).not.toContain("mls_");
  });
});
