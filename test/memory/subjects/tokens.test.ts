// Proves tokens: issued and used over HTTP, MCP and the gateway, for one subject only, and not valid after their end.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Permission } from "../../../src/access/key.ts";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { deleteProject } from "../../../src/calls/operations/access/project-operations.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { forwardedRoutes, routes } from "../../../src/transports/http/routes.ts";
import { run } from "../../cli/command.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { request, sessionPath } from "../../transports/http/console/signed-in.ts";
import { connect, eras } from "../../transports/mcp/clients.ts";

/** Called right before the commit of a call of this operation. */
let beforeCommit: { readonly operation: string; work(): Promise<unknown> } | null = null;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, undefined, async (call, commit) => {
    const due = beforeCommit?.operation === call.operation ? beforeCommit : null;
    if (due !== null) beforeCommit = null;
    await due?.work();
    return commit(call);
  });
});
afterAll(() => app.stop());

const issue = (subject: string, fields: JsonObject = {}, key = app.apiKey) =>
  app.call("POST", "/v1/keys", { key, body: { subject, ...fields } });
async function tokenFor(...values: Parameters<typeof issue>): Promise<string> {
  const { status, text, data } = await issue(...values);
  if (status !== 201) throw new Error(text);
  return String(data.token);
}
const create = (key: string, content: string, fields: JsonObject = {}) =>
  app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact", ...fields } });
const read = (key: string) => app.call("GET", "/v1/memories", { key });
const contentsFor = async (key: string): Promise<unknown> =>
  ((await read(key)).data.memories as JsonObject[]).map(({ content }) => content);
const issuer = (granted: readonly Permission[] = ["memory.read", "key.issue"], fields: JsonObject = {}) =>
  app.createKey(app.projectId, granted, fields);

test("a token is for its subject, and its calls are recorded as those of the key that has issued it", async () => {
  const skipped = app.countRecords(app.projectId);
  const issued = await issue("user:1", { expires_in: 900 });
  expect(issued.status).toBe(201);
  expect(issued.data.permissions).toEqual(["memory.read", "memory.write", "gateway.use", "memory.propose"]);
  const token = String(issued.data.token);
  expect(token).toMatch(/^mlt_[\w-]{100}$/);
  expect((await create(token, "Ana has a dog.")).data.subject).toBe("user:1");
  await create(app.apiKey, "Bo plays chess.", { subject: "user:2" });
  expect(await contentsFor(token)).toEqual(["Ana has a dog."]);
  expect((await create(token, "x y z", { subject: "user:2" })).code).toBe(1403);
  expect((await create(token, "Ana sings.", { subject: "user:1" })).status).toBe(201);
  const records = app.records(app.projectId, skipped);
  const [ofIssue, made] = records;
  expect([ofIssue?.action, made?.action]).toEqual(["key.issue", "memory.create"]);
  expect(ofIssue?.entry.subject).toMatch(/^[0-9a-f]{32}$/);
  expect(made?.entry).toMatchObject({ key: ofIssue?.entry.key, subject: ofIssue?.entry.subject });
  expect(made?.payload.token_id).toBe(issued.data.id ?? null);
  expect(ofIssue?.payload).toMatchObject({
    request_body: { expires_in: 900 },
    response_body: { data: { id: issued.data.id } },
  });
  // Nothing of the subject but its pseudonym, and nothing of the token: what the call refuses is recorded, too.
  const refused = records.find(({ status }) => status === 403);
  for (const record of [ofIssue, refused]) {
    const { request_body, ...others } = record?.payload ?? {};
    expect(JSON.stringify([record?.entry, others])).not.toContain("user:");
    expect(JSON.stringify([request_body, record])).not.toContain(token.slice(4, 30));
  }
});

test("a token has no more permissions than its key, and no more than were asked for", async () => {
  const reader = await issuer();
  expect((await issue("user:1", {}, reader.key)).data.permissions).toEqual(["memory.read"]);
  expect(await issue("user:1", { permissions: ["memory.write"] }, reader.key)).toMatchObject({ code: 1403 });
  expect(await issue("user:1", {}, (await issuer(["key.issue"])).key)).toMatchObject({ code: 1403 });
  expect(await issue("user:1", {}, (await issuer(["memory.read"])).key)).toMatchObject({ code: 1403 });
  const token = await tokenFor("user:1", { permissions: ["memory.read"] });
  expect((await read(token)).status).toBe(200);
  expect((await create(token, "Not permitted.")).code).toBe(1403);
  expect(await issue("user:1", {}, token)).toMatchObject({ code: 1403 });
  for (const wrong of [{ expires_in: 0 }, { expires_in: 31 * 86_400 }, { permissions: ["audit.read"] }])
    expect([wrong, (await issue("user:1", wrong)).code]).toEqual([wrong, 1400]);
  expect((await app.call("POST", "/v1/keys", { body: {} })).code).toBe(1400);
});

test("a subject whose name ends with a star has tokens for itself only", async () => {
  const token = await tokenFor("user:*");
  expect((await create(token, "Star.", { subject: "user:1" })).code).toBe(1403);
  expect((await create(token, "Star.")).data.subject).toBe("user:*");
});

const ofProject = [
  ...routes.filter(({ operation }) => operation.forSubjects !== true),
  ...forwardedRoutes.slice(0, 9),
];
test.each(ofProject.map(({ method, path }) => `${method} ${path}`))("a token cannot %s", async (route) => {
  const [method = "", path = ""] = route.split(" ");
  const token = await tokenFor("user:1");
  const { status } = await app.call(method, path.replace(/:\w+/g, "0".repeat(32)).replace("*", "x"), {
    key: token,
    ...(method === "GET" ? {} : { body: { model: "m" } }),
  });
  expect(status).toBe(403);
});

test("neither a token nor a key for subjects opens the console, where a session would be for the whole project", async () => {
  const bound = await app.createKey(app.projectId, ["memory.read"], { subject: "user:1" });
  for (const key of [await tokenFor("user:1"), bound.key])
    expect(await request(app, "POST", sessionPath, { body: { key } })).toMatchObject({
      status: 403,
      code: 1403,
    });
});

test.each(eras)("tools of a client of %s are for the subject of its token", async (era) => {
  const token = await tokenFor(`mcp:${era}`);
  const client = await connect(app, token, era);
  expect((await client.call("memory_save", { content: "Cy works in Bergen.", type: "fact" })).isError).toBe(
    false,
  );
  await client.close();
  expect(await contentsFor(token)).toEqual(["Cy works in Bergen."]);
  const reader = await connect(app, await tokenFor("mcp:other", { permissions: ["memory.read"] }), era);
  const { tools } = await reader.sdk.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("memory_save");
  expect((await reader.call("memory_search", { query: "Bergen" })).structured).toMatchObject({ results: [] });
  await reader.close();
});

test("a token with any character changed is no token, and is recorded as a call without a known key", async () => {
  const token = await tokenFor("user:1", { expires_in: 86_400 });
  const skipped = app.countRecords(app.projectId);
  for (let at = 0; at < token.length; at++) {
    // As many as may be sent without a valid key.
    app.passTime(1_000);
    const other = token[at] === "A" ? "B" : "A";
    const forged = token.slice(0, at) + other + token.slice(at + 1);
    expect([at, (await read(forged)).code]).toEqual([at, 1401]);
  }
  expect(app.countRecords(app.projectId)).toBe(skipped);
  expect((await read(token)).status).toBe(200);
});

describe("a token is not valid any more", () => {
  const end = async (key: string, message: string) => {
    app.passTime(2_000);
    expect(await read(key)).toMatchObject({
      status: 401,
      code: 1401,
      message: expect.stringContaining(message),
    });
  };

  test("when it has expired", async () => {
    const token = await tokenFor("user:1", { expires_in: 60 });
    app.passTime(58_000);
    expect((await read(token)).status).toBe(200);
    await end(token, "expired");
  });

  test("when its key has expired, was revoked, or revokes its tokens, and those of other keys are", async () => {
    const expiring = await issuer(undefined, {
      expires_at: new Date(Date.now() + 86_400_000 * 2).toISOString(),
    });
    const revoked = await issuer();
    const revoking = await issuer();
    const [first, second, third, other] = [
      await tokenFor("user:1", { expires_in: 30 * 86_400 }, expiring.key),
      await tokenFor("user:1", {}, revoked.key),
      await tokenFor("user:2", {}, revoking.key),
      await tokenFor("user:2"),
    ];
    await app.administer(revokeKey, { key: revoked.id });
    await end(second, "revoked");
    expect((await app.call("DELETE", "/v1/keys", { key: revoking.key })).status).toBe(204);
    await end(third, "The token was revoked");
    expect((await read(await tokenFor("user:2", {}, revoking.key))).status).toBe(200);
    expect((await read(other)).status).toBe(200);
    app.passTime(86_400_000 * 2);
    await end(first, "The API key has expired");
  });

  test("when its project was deleted", async () => {
    const { id, key } = await app.createProject("custom");
    const token = await tokenFor("user:1", {}, key);
    await app.administer(deleteProject, { project: id });
    await end(token, "deleted");
  });

  test("when its subject was erased, and a new subject with the same name is another one", async () => {
    const token = await tokenFor("user:erased");
    const path = `/v1/subjects/${encodeURIComponent("user:erased")}/erase`;
    expect((await app.call("POST", path, { body: {} })).data.erased).toBe(true);
    await end(token, "erased");
    expect((await read(await tokenFor("user:erased"))).status).toBe(200);
    await end(token, "erased");
  });

  test("when the signing key was changed", async () => {
    const token = await tokenFor("user:1");
    await app.restart(async () => {
      const words = [
        "audit",
        "rotate-key",
        "--yes",
        "--data-dir",
        app.config.dataDir,
        "--log-level",
        "error",
      ];
      const { exitCode, stderr } = await run(words);
      expect([exitCode, stderr]).toEqual([0, ""]);
    });
    await end(token, "unknown or malformed");
    expect((await read(await tokenFor("user:1"))).status).toBe(200);
  });

  test("when that happens between the two halves of its call", async () => {
    const revoking = await issuer(["memory.read", "memory.write", "key.issue"]);
    const token = await tokenFor("user:1", {}, revoking.key);
    const late = async (work: () => Promise<unknown>, content: string, key: string) => {
      beforeCommit = { operation: "memory.create", work };
      expect(await create(key, content)).toMatchObject({ code: 1401 });
      expect(await contentsFor(await tokenFor("user:1"))).not.toContain(content);
    };
    await late(() => app.call("DELETE", "/v1/keys", { key: revoking.key }), "Too late.", token);
    const expiring = await tokenFor("user:1", { expires_in: 60 });
    await late(async () => app.passTime(60_000), "Later still.", expiring);
  });
});
