// Tests the HTTP API over the local socket: the local key of a project replaces a secret, and is a key like any other in everything else.

import { afterAll, expect, test } from "bun:test";
import { listKeys, revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { useLocalKey } from "../../../src/calls/operations/access/local-key.ts";
import {
  createProject,
  deleteProject,
  listProjects,
  updateProject,
} from "../../../src/calls/operations/access/project-operations.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { callerHeader, keyHeader, printCaller } from "../../../src/transports/local-socket/local-caller.ts";
import { findLocalSocket } from "../../../src/transports/local-socket/socket-path.ts";
import { type Reply, startTestApp, toReply } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const administrator = { osUid: 4711, osUser: "ada", sudoUser: null };
const caller = printCaller({ administrator, client: "test/1" });

async function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: JsonObject | string,
): Promise<Reply> {
  const unix = findLocalSocket(locate(app.config.dataDir).socket) ?? "";
  const response = await fetch(`http://localhost${path}`, {
    unix,
    method,
    headers: { "Content-Type": "application/json", [callerHeader]: caller, ...headers },
    body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
  });
  return toReply(response.status, response.headers, await response.text());
}

async function useProject(project: string) {
  const { project_id, key_id, created_project, created_key } = await app.administer(useLocalKey, { project });
  return { project: String(project_id), key: String(key_id), created: [created_project, created_key] };
}

const fact = (content: string) => ({ content, memory_type: "fact" });
const newest = (project: string | null) => app.records(project).at(-1);

test("key.local creates the project and its key once", async () => {
  const first = await useProject("once");
  expect(first.created).toEqual([true, true]);
  expect(newest(null)).toMatchObject({ action: "key.local", status: 200 });
  expect(await useProject("once")).toEqual({ ...first, created: [false, false] });
  expect(await useProject(first.project)).toEqual({ ...first, created: [false, false] });
  const projects = await send("POST", `/${listProjects.name}`, {}, {});
  expect(projects.text.split('"once"')).toHaveLength(2);
});

test("the id of a project that does not exist is no name for a new one", async () => {
  const { project } = await useProject("deleted");
  await app.administer(deleteProject, { project });
  const refused = await send("POST", `/${useLocalKey.name}`, {}, { project });
  expect([refused.code, refused.message]).toEqual([1400, expect.stringContaining("memledger project list")]);
  const again = await useProject("deleted");
  expect(again.created).toEqual([true, true]);
  expect(again.project).not.toBe(project);
});

test("ten programs that start at once get one key", async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, () => useProject("at once")));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
  expect(keys.filter(({ created: [project] }) => project === true)).toHaveLength(1);
  expect(keys.filter(({ created: [, key] }) => key === true)).toHaveLength(1);
});

test("a project that exists gets a local key", async () => {
  const made = await app.administer(createProject, { name: "exists", plan: "pro" });
  expect(await useProject("exists")).toMatchObject({ project: made.id, created: [false, true] });
});

test("calls over the socket are calls of the key, and their records name the user and no address", async () => {
  const { project, key } = await useProject("calls");
  const made = await send("POST", "/v1/memories", { [keyHeader]: key }, fact("The cat sleeps."));
  expect(made.status).toBe(201);
  const record = newest(project);
  expect(record).toMatchObject({ action: "memory.create", entry: { key } });
  expect(record?.payload).toMatchObject({ os_uid: 4711, os_user: "ada" });
  for (const name of ["transport", "ip_address", "sudo_user"])
    expect(Object.keys(record?.payload ?? {})).not.toContain(name);
  const found = await send("GET", `/v1/memories/${made.data.id}`, { [keyHeader]: key });
  expect(found.data.content).toBe("The cat sleeps.");
  expect((await send("DELETE", `/v1/memories/${made.data.id}`, { [keyHeader]: key })).status).toBe(204);
});

test("the local key has no permission for the ledger", async () => {
  const { key } = await useProject("ledger");
  const { code, message } = await send("GET", "/v1/audit/logs", { [keyHeader]: key });
  expect([code, message]).toEqual([1403, expect.stringContaining("audit.read")]);
});

test("plan and rate limit are those of the project", async () => {
  const { project, key } = await useProject("limited");
  await app.administer(updateProject, { project, plan: "free" });
  expect((await send("POST", "/v1/memories", { [keyHeader]: key }, fact("no"))).code).toBe(2106);
  await app.administer(updateProject, { project, plan: "basic" });
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => send("GET", "/v1/memories", { [keyHeader]: key })),
  );
  const codes = new Set(replies.map(({ code }) => code));
  expect(codes).toEqual(new Set([1000, 1429]));
});

test("a revoked key is refused, and key.local says who can permit local programs again", async () => {
  const { project, key } = await useProject("revoked");
  await app.administer(revokeKey, { key });
  const { status, message } = await send("GET", "/v1/memories", { [keyHeader]: key });
  expect([status, message]).toEqual([401, expect.stringContaining("revoked")]);
  expect(newest(project)).toMatchObject({ action: "memory.list", status: 401 });
  const refused = await send("POST", `/${useLocalKey.name}`, {}, { project: "revoked" });
  expect([refused.code, refused.message]).toEqual([
    1401,
    expect.stringContaining("Ask the person who manages its keys"),
  ]);
  const next = await app.createKey(project, ["memory.read"], { name: "local" });
  expect(await useProject("revoked")).toMatchObject({ key: next.id, created: [false, false] });
  expect((await send("GET", "/v1/memories", { [keyHeader]: next.id })).status).toBe(200);
  expect((await send("POST", "/v1/memories", { [keyHeader]: next.id }, fact("no"))).code).toBe(1403);
});

test("no other key can be used without its secret", async () => {
  const other = await app.createKey(app.projectId, ["memory.read"]);
  for (const value of [other.id, other.key, "x".repeat(32), " "]) {
    const { status, message } = await send("GET", "/v1/memories", { [keyHeader]: value });
    expect([status, message]).toEqual([401, expect.stringContaining(keyHeader)]);
  }
  const none = await send("GET", "/v1/memories", { Authorization: `Bearer ${app.apiKey}` });
  expect([none.status, none.message]).toEqual([401, expect.stringContaining("POST /key.local")]);
});

test("the id of a local key is no credential over the network", async () => {
  const { key } = await useProject("network");
  for (const headers of [{ [keyHeader]: key }, { [keyHeader]: key, [callerHeader]: caller }]) {
    const { status } = await app.call("GET", "/v1/memories", { key: null, headers });
    expect(status).toBe(401);
  }
  expect((await app.call("POST", "/key.local", { body: { project: "network" } })).code).toBe(1404);
});

test("a malformed caller, an unknown path and a body that is too large are refused", async () => {
  const { project, key } = await useProject("malformed");
  const before = app.countRecords(project);
  const malformed = await send("GET", "/v1/memories", { [keyHeader]: key, [callerHeader]: "%" });
  expect([malformed.code, malformed.message]).toEqual([1400, expect.stringContaining(callerHeader)]);
  expect((await send("GET", "/v1/nothing", { [keyHeader]: key })).code).toBe(1404);
  expect((await send("POST", "/project.list", {}, " ".repeat(2 ** 20 + 1))).code).toBe(1400);
  expect(app.countRecords(project)).toBe(before);
  const large = await send("POST", "/v1/memories", { [keyHeader]: key }, fact("x".repeat(2 ** 20)));
  expect(large.code).toBe(1413);
});

test("the key is listed like any other", async () => {
  const { project, key } = await useProject("listed");
  const reply = await send("POST", `/${listKeys.name}`, {}, { project });
  const keys: unknown = JSON.parse(reply.text).data;
  expect(Array.isArray(keys) && keys.filter(isObject).map(({ id, name }) => [id, name])).toEqual([
    [key, "local"],
  ]);
});

test("health and the documentation need no key", async () => {
  expect((await send("GET", "/health/ready", {})).status).toBe(200);
});
