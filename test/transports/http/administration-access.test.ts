// Proves who may not administer over HTTP, and that an administration key may do nothing else.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { revokeAdministrationKey } from "../../../src/calls/operations/access/administration-key-operations.ts";
import { createProject } from "../../../src/calls/operations/access/project-operations.ts";
import { administrationRoutes } from "../../../src/transports/http/administration-routes.ts";
import { forwardedRoutes, routes, takesBody } from "../../../src/transports/http/routes.ts";
import { startTestApp } from "../../fixture.ts";
import { newAdministrationKey } from "./administration-key.ts";
import { signIn } from "./console/signed-in.ts";
import { expectApiError, runScenarios, type Scenario } from "./scenario.ts";

/** Runs before the next call of an administration key is committed; null: nothing does. */
let beforeCommit: (() => Promise<void>) | null = null;
const app = await startTestApp({}, undefined, async (call, commit) => {
  if (call.origin.administrationKey !== undefined) await beforeCommit?.();
  return commit(call);
});
afterAll(() => app.stop());
beforeEach(() => app.passTime(1_000));

const admin = await newAdministrationKey(app);
const expired = await newAdministrationKey(app, { expires_at: new Date(Date.now() + 60_000).toISOString() });
app.passTime(60_000);
const revoked = await newAdministrationKey(app);
await app.administer(revokeAdministrationKey, { key: revoked.id });

const other = await app.createProject("custom");
const target = String((await app.administer(createProject, { name: "target" })).id);
const targetKey = await app.createKey(target, ["memory.read"]);

for (const { method, path, operation } of administrationRoutes) {
  const filled = path.replace(":project", target).replace(":key", targetKey.id);
  const input = operation.example?.input ?? {};
  const body = Object.fromEntries(Object.entries(input).filter(([name]) => !path.includes(`:${name}`)));
  const sent = takesBody({ method, path, operation }) ? { body } : {};
  const refused = (scenario: Omit<Scenario, "method" | "path">): Scenario => ({
    method,
    path: filled,
    ...scenario,
    options: { ...sent, ...scenario.options },
  });
  const unauthenticated = { status: 401, code: 1401, recordedFor: null };

  describe(`${operation.name} is refused`, () => {
    runScenarios(app, [
      refused({ name: "without a key", options: { key: null }, message: /is missing/, ...unauthenticated }),
      refused({
        name: "with an administration key that nobody made",
        options: { key: `mla_${"0".repeat(43)}` },
        message: /unknown or malformed/,
        ...unauthenticated,
      }),
      refused({
        name: "with an expired administration key",
        options: { key: expired.key },
        message: /administration key has expired/,
        payload: { administration_key_id: expired.id },
        ...unauthenticated,
      }),
      refused({
        name: "with a revoked administration key",
        options: { key: revoked.key },
        message: /administration key was revoked/,
        payload: { administration_key_id: revoked.id },
        ...unauthenticated,
      }),
      refused({
        name: "with an API key of another project that has all permissions",
        options: { key: other.key },
        status: 403,
        code: 1403,
        message: new RegExp(`No API key may perform ${operation.name}`),
        recordedFor: other.id,
      }),
    ]);
  });
}

test("a session of a person who has signed in with a key is refused, too", async () => {
  const browser = await signIn(app, { key: other.key });
  const reply = await browser.send("POST", "/v1/admin/projects", { body: { name: "of a session" } });
  expect([reply.status, reply.code]).toEqual([403, 1403]);
});

describe("an administration key is no API key", () => {
  const someId = "019a2b3c4d5e7f708192a3b4c5d6e7f8";
  test.each(
    [...routes, ...forwardedRoutes].map((route) => [`${route.method} ${route.path}`, route] as const),
  )("%s", async (_, { method, path, operation }) => {
    app.passTime(1_000);
    const before = [app.countRecords(app.projectId), app.countRecords(null)];
    const filled = path.replace(/:\w+/, someId).replace("*", "x");
    const reply = await app.call(method, filled, {
      key: admin.key,
      ...(method === "GET" ? {} : { body: operation.example?.input ?? {} }),
    });
    expect(reply.status).toBe(403);
    const message = operation.exchange === undefined ? reply.message : expectApiError(reply);
    expect(message).toBe(
      `No administration key may perform ${operation.name}. Send an API key of the project.`,
    );
    expect(app.countRecords(app.projectId)).toBe(before[0] ?? 0);
    const [record] = app.records(null, before[1]);
    expect(record?.entry).toMatchObject({ action: operation.name, code: 1403, key: null });
    expect(record?.payload.administration_key_id).toBe(admin.id);
  });

  test("POST /mcp", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const headers = { Accept: "application/json, text/event-stream" };
    const reply = await app.call("POST", "/mcp", { key: admin.key, body, headers });
    expect([401, 403]).toContain(reply.status);
    expect(reply.text).not.toContain("memory_save");
  });

  test("and opens no session of the console", async () => {
    await expect(signIn(app, { key: admin.key })).rejects.toThrow("nobody was signed in");
  });
});

test("a key that is revoked after its call has arrived does not perform it", async () => {
  const key = await newAdministrationKey(app);
  beforeCommit = async () => {
    beforeCommit = null;
    await app.administer(revokeAdministrationKey, { key: key.id });
  };
  const before = app.countRecords(null);
  const options = { key: key.key, body: { name: "too late" } };
  const reply = await app.call("POST", "/v1/admin/projects", options);
  expect([reply.code, reply.message]).toEqual([
    1401,
    "The administration key was revoked. Ask the operator for a new one.",
  ]);
  expect(app.records(null, before).map(({ action, entry }) => [action, entry.code])).toEqual([
    ["administration_key.revoke", 1000],
    ["project.create", 1401],
  ]);
  const listed = await app.call("GET", "/v1/admin/projects?text=too%20late", { key: admin.key });
  expect(listed.data.projects).toEqual([]);
});
