// Proves tokens: issued and used over HTTP, MCP and the gateway, for one subject only, and never after their end.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { permissions } from "../../src/access/key.ts";
import { revokeKey } from "../../src/access/key-operations.ts";
import { deleteProject } from "../../src/access/project-operations.ts";
import { locate } from "../../src/data-directory/data-directory.ts";
import { openWriting } from "../../src/engines/sqlite/database-file/connection.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { prepareRuntime } from "../../src/native/runtime.ts";
import { pathParameters, routes } from "../../src/transports/http/routes.ts";
import { startTestApp, type TestApp } from "../fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const issue = (subject: string, fields: JsonObject = {}, key = app.apiKey) =>
  app.call("POST", "/v1/keys", { key, body: { subject, ...fields } });
const tokenFor = async (...values: Parameters<typeof issue>): Promise<string> =>
  String((await issue(...values)).data.token);
const create = (key: string, content: string, fields: JsonObject = {}) =>
  app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact", ...fields } });
const list = async (key: string): Promise<unknown> =>
  ((await app.call("GET", "/v1/memories", { key })).data.memories as JsonObject[]).map(
    ({ content }) => content,
  );
const statusOf = async (key: string): Promise<number> =>
  (await app.call("GET", "/v1/memories", { key })).status;

test("a token is for its subject, and its calls are recorded as those of the key that has issued it", async () => {
  const issued = await issue("user:1", { expires_in: 900 });
  expect(issued.status).toBe(201);
  expect(issued.data.permissions).toEqual(["memory.read", "memory.write", "gateway.use"]);
  const token = String(issued.data.token);
  expect(token).toMatch(/^mlt_[\w-]{100}$/);
  expect((await create(token, "Ana has a dog.")).data.subject).toBe("user:1");
  await create(app.apiKey, "Bo plays chess.", { subject: "user:2" });
  expect(await list(token)).toEqual(["Ana has a dog."]);
  expect((await create(token, "x y z", { subject: "user:2" })).code).toBe(1403);
  const [key, made] = app.records(app.projectId);
  expect([key?.action, made?.action]).toEqual(["key.issue", "memory.create"]);
  expect(made?.entry.key).toBe(key?.entry.key ?? null);
  expect(made?.entry.subject).toBe(key?.entry.subject ?? null);
  expect(made?.payload.token_id).toBe(issued.data.id ?? null);
  expect(key?.payload.response_body).toMatchObject({ data: { id: issued.data.id ?? null } });
  expect(JSON.stringify(key)).not.toContain("mlt_");
  expect(
    JSON.stringify(app.records(app.projectId).map(({ entry, payload }) => [entry, payload.sender])),
  ).not.toContain("user:1");
});

test("a subject whose name ends with a star has tokens for itself only", async () => {
  const token = await tokenFor("user:*");
  expect((await create(token, "Star.", { subject: "user:1" })).code).toBe(1403);
  expect((await create(token, "Star.")).data.subject).toBe("user:*");
});
