// Administers projects, keys and plans over HTTP with an administration key: every operation and its record. Who is refused:
// administration-access.test.ts.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { permissions } from "../../../src/access/key.ts";
import { defaultPlans } from "../../../src/access/plan.ts";
import { listAdministrationKeys } from "../../../src/calls/operations/access/administration-key-operations.ts";
import { administer } from "../../../src/cli/access/administer.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../../../src/platform/json/json.ts";
import { type CallOptions, startTestApp } from "../../fixture.ts";
import { newAdministrationKey } from "./administration-key.ts";
import { expectClean } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());
beforeEach(() => app.passTime(1_000));

const admin = await newAdministrationKey(app);

/** Sends a call that must be recorded in the chain of the installation, with the administration key. */
async function ask(method: string, path: string, body?: JsonObject, key = admin) {
  const options: CallOptions = { key: key.key, ...(body === undefined ? {} : { body }) };
  const before = app.countRecords(null);
  const reply = await app.call(method, path, options);
  expectClean(reply, method, path);
  const [record, ...more] = app.records(null, before);
  expect(more).toEqual([]);
  expect(record?.status).toBe(reply.status);
  expect(record?.payload.administration_key_id).toBe(key.id);
  expect(JSON.stringify(record)).not.toMatch(/mla?_[0-9A-Za-z]{43}/);
  return { ...reply, record };
}

const createNamed = async (name: string, fields: JsonObject = {}) =>
  (await ask("POST", "/v1/admin/projects", { name, ...fields })).data;
const createKeyOf = async (project: Json | undefined, fields: JsonObject = {}) =>
  (await ask("POST", "/v1/admin/keys", { project: project ?? "", permissions: [...permissions], ...fields }))
    .data;

describe("a program with an administration key", () => {
  test("reads the records of the installation, and none of a project", async () => {
    const created = await createNamed("read from its record");
    const listed = await ask("GET", "/v1/admin/audit/logs?action=project.create&page_size=1");
    const [newest] = objectsIn(listed.data.logs);
    expect(listed.data).toMatchObject({ total: expect.any(Number), next_cursor: expect.any(String) });
    expect(listed.record?.payload).toMatchObject({ request_parameters: { action: "project.create" } });
    const shown = await ask("GET", `/v1/admin/audit/logs/${newest?.id}`);
    expect(shown.data).toMatchObject({
      action: "project.create",
      project_id: null,
      administration_key_id: admin.id,
      response_body: { data: { id: created.id ?? "" } },
    });
    const next = await ask(
      "GET",
      `/v1/admin/audit/logs?action=project.create&page_size=1&cursor=${listed.data.next_cursor}`,
    );
    expect(objectsIn(next.data.logs)[0]?.id).not.toBe(newest?.id);

    await app.call("POST", "/v1/memories", { body: { content: "Of the project.", memory_type: "fact" } });
    const record = app.records(app.projectId).at(-1);
    const hidden = await ask("GET", `/v1/admin/audit/logs/${record?.entry.id}`);
    expect([hidden.status, hidden.code]).toEqual([404, 2204]);
    const ofAll = await ask("GET", "/v1/admin/audit/logs?page_size=100");
    expect(objectsIn(ofAll.data.logs).every(({ project_id: project }) => project === null)).toBe(true);
    const ofProject = await ask("GET", `/v1/admin/audit/logs?project=${app.projectId}&page_size=100`);
    expect(objectsIn(ofProject.data.logs).every(({ project_id: project }) => project === null)).toBe(true);
  });

  test("creates a project and a key for it, and the key works at once", async () => {
    const created = await ask("POST", "/v1/admin/projects", { name: "tenant 1", plan: "pro", credits: 7 });
    expect(created.status).toBe(201);
    expect(created.data).toMatchObject({ name: "tenant 1", plan: "pro", credits: 7, memory_limit: null });
    expect(created.record?.payload).toMatchObject({
      request_body: { name: "tenant 1", plan: "pro", credits: 7 },
      response_body: { success: true, data: { id: created.data.id ?? "" } },
    });
    expect(created.record?.entry).toMatchObject({ action: "project.create", key: null, project: null });

    const path = "/v1/admin/keys";
    const key = await ask("POST", path, {
      project: String(created.data.id),
      name: "user 42",
      permissions: ["memory.read", "memory.write"],
      gateway: { memory: false },
    });
    expect(key.status).toBe(201);
    expect(key.data).toMatchObject({ project_id: created.data.id ?? "", name: "user 42", expires_at: null });
    expect(key.record?.payload).not.toContainKey("response_body");
    const body = { content: "Ana prefers tea.", memory_type: "fact" };
    const memory = await app.call("POST", "/v1/memories", { key: String(key.data.key), body });
    expect(memory.status).toBe(201);

    const listed = await ask("GET", `${path}?project=${created.data.id}`);
    const { key: secret, last_used_at: _, ...shown } = key.data;
    expect(listed.data).toEqual({ keys: [expect.objectContaining(shown)] });
    expect(listed.text).not.toContain(String(secret));
    expect(listed.record?.payload.request_parameters).toEqual({ project: created.data.id ?? "" });

    const revocation = await ask("DELETE", `${path}/${key.data.id}`);
    expect([revocation.status, typeof revocation.data.revoked_at]).toEqual([200, "string"]);
    expect((await app.call("GET", "/v1/memories", { key: String(key.data.key) })).code).toBe(1401);
    const again = await ask("DELETE", `${path}/${key.data.id}`);
    expect(again.data.revoked_at).toBe(revocation.data.revoked_at ?? "");
  });

  test("changes, shows and lists projects", async () => {
    const { id } = await createNamed("tenant 2", { plan: "basic" });
    const changed = await ask("PUT", `/v1/admin/projects/${id}`, {
      memory_limit: 50,
      subscription: "expired",
    });
    expect(changed.data).toMatchObject({
      id: id ?? "",
      plan: "basic",
      memory_limit: 50,
      subscription: "expired",
    });
    expect((await ask("GET", `/v1/admin/projects/${id}`)).data).toEqual(changed.data);
    expect((await ask("GET", "/v1/admin/projects/tenant%202")).data).toEqual(changed.data);
    const found = await ask("GET", "/v1/admin/projects?text=tenant%202");
    expect(found.data).toEqual({ projects: [{ ...changed.data, memories: 0, passages: 0, keys: 0 }] });
    const { data: first } = await ask("GET", "/v1/admin/projects?page_size=1");
    const [{ id: after }] = first.projects as [{ id: string }];
    const { data: second } = await ask("GET", `/v1/admin/projects?page_size=1&after=${after}`);
    expect(second.projects).toEqual([expect.not.objectContaining({ id: after })]);
    const { data: none } = await ask("GET", "/v1/admin/projects?text=nobody");
    expect(none).toEqual({ projects: [] });
  });

  test("changes what a key says about the gateway", async () => {
    const { id } = await createNamed("tenant 3");
    const key = await createKeyOf(id);
    const changed = await ask("PUT", `/v1/admin/keys/${key.id}`, { gateway: { memory_budget: 400 } });
    expect(changed.data).toMatchObject({ id: key.id ?? "", gateway: { memory: null, memory_budget: 400 } });
    const removed = await ask("PUT", `/v1/admin/keys/${key.id}`, { gateway: null });
    expect(removed.data.gateway).toBeNull();
  });

  test("lists the plans as the server has them", async () => {
    const { data } = await ask("GET", "/v1/admin/plans");
    expect(data.plans).toEqual(
      Object.entries(defaultPlans).map(([name, plan]) => ({
        name,
        memory_limit: plan.memoryLimit,
        passage_limit: plan.passageLimit,
        retention_days: plan.retentionDays,
        export: plan.export,
        hash: plan.hash,
        calls_per_second: plan.rate?.perSecond ?? null,
        burst: plan.rate?.burst ?? null,
      })),
    );
  });

  test("deletes a project only if it confirms the name", async () => {
    const { id } = await createNamed("tenant 4");
    const { key } = await createKeyOf(id);
    const path = `/v1/admin/projects/${id}`;
    for (const body of [{}, { name: "tenant" }, { name: String(id) }]) {
      const refused = await ask("DELETE", path, body);
      expect([refused.code, refused.data.field]).toEqual([1400, "name"]);
    }
    const without = await ask("DELETE", path);
    expect([without.code, without.data.field]).toEqual([1400, "name"]);
    expect((await ask("GET", path)).status).toBe(200);
    const deleted = await ask("DELETE", path, { name: "tenant 4" });
    expect([deleted.status, deleted.data.id]).toEqual([200, id ?? ""]);
    expect((await ask("GET", path)).code).toBe(1404);
    expect((await app.call("GET", "/v1/memories", { key: String(key) })).code).toBe(1401);
  });

  test("is told the id of the project that has the name, so a creation whose answer was lost can be repeated", async () => {
    const { id } = await createNamed("tenant 5");
    const again = await ask("POST", "/v1/admin/projects", { name: "tenant 5" });
    expect([again.status, again.code, again.data]).toEqual([
      400,
      1400,
      { field: "name", project_id: id ?? "" },
    ]);
    expect(again.message).toContain(`Its id is ${id}.`);
    expect((await ask("GET", "/v1/admin/projects?text=tenant%205")).data.projects).toHaveLength(1);
  });

  test.each<[string, string, JsonObject | null]>([
    ["GET", "/v1/admin/projects/nobody", null],
    ["PUT", "/v1/admin/projects/nobody", { plan: "pro" }],
    ["DELETE", "/v1/admin/projects/nobody", { name: "nobody" }],
    ["GET", "/v1/admin/keys?project=nobody", null],
    ["POST", "/v1/admin/keys", { project: "nobody", permissions: ["memory.read"] }],
    ["PUT", "/v1/admin/keys/nobody", { gateway: null }],
    ["DELETE", "/v1/admin/keys/nobody", null],
  ])("%s %s: what does not exist is 1404, with advice for a program", async (method, path, body) => {
    const reply = await ask(method, path, body ?? undefined);
    expect([reply.status, reply.code]).toEqual([404, 1404]);
    expect(reply.message).toMatch(/^There is no (project|key) "nobody"\. GET \/v1\/admin\/(projects|keys)/);
    expect(reply.message).not.toContain("memledger ");
  });

  test("that sends the secret of a key in place of its id leaves no secret in the ledger", async () => {
    const { id } = await createNamed("tenant 6");
    const { key } = await createKeyOf(id);
    const { record } = await ask("DELETE", `/v1/admin/keys/${key}`);
    expect(record?.payload).toMatchObject({
      request_parameters: { key: "(secret)" },
      error_msg: expect.stringContaining('There is no key "(secret)".'),
    });
    await ask("GET", `/v1/admin/projects/${admin.key}`);
    expect((await app.call("GET", "/v1/memories", { key: String(key) })).status).toBe(200);
  });

  test("is refused what is invalid, with the name of the field", async () => {
    const { id } = await createNamed("tenant 7");
    for (const [method, path, body, field] of [
      ["POST", "/v1/admin/projects", { name: "" }, "name"],
      ["POST", "/v1/admin/projects", { name: "a", plan: "none" }, "plan"],
      ["POST", "/v1/admin/projects", { name: "a", secret: 1 }, "secret"],
      ["POST", "/v1/admin/keys", { project: String(id), permissions: ["all"] }, "permissions/0"],
      ["POST", "/v1/admin/keys", { project: String(id), permissions: [] }, "permissions"],
      [
        ...(["POST", "/v1/admin/keys"] as const),
        { project: String(id), permissions: ["memory.read"], expires_at: "2020-01-01T00:00:00Z" },
        "expires_at",
      ],
      ["PUT", `/v1/admin/projects/${id}`, { project: "default", plan: "pro" }, "project"],
    ] as const) {
      const reply = await ask(method, path, body);
      expect([path, reply.code, reply.data.field]).toEqual([path, 1400, field]);
    }
    const nothing = await ask("PUT", `/v1/admin/projects/${id}`, {});
    expect([nothing.code, nothing.message.startsWith("No option is given.")]).toEqual([1400, true]);
  });

  test("is seen in the list of administration keys, with the time of its last use and without its secret", async () => {
    await ask("GET", "/v1/admin/plans");
    const listed = JSON.stringify(await administered());
    expect(listed).toContain(`"id":"${admin.id}"`);
    expect(listed).not.toContain("mla_");
    const { last_used_at: used } = (await administered()).find(({ id }) => id === admin.id) ?? {};
    app.passTime(120_000);
    await ask("GET", "/v1/admin/plans");
    const later = (await administered()).find(({ id }) => id === admin.id);
    expect(Date.parse(String(later?.last_used_at)) - Date.parse(String(used))).toBeGreaterThanOrEqual(
      120_000,
    );
  });

  test("has the limit of a body that every caller has", async () => {
    const reply = await ask("POST", "/v1/admin/projects", { name: "x".repeat(1_100_000) });
    expect([reply.status, reply.code]).toEqual([413, 1413]);
  });

  test("creates a key that is bound to a subject", async () => {
    const { id } = await createNamed("tenant 8");
    const bound = await createKeyOf(id, { permissions: ["memory.read"], subject: "user:42" });
    expect(bound.subject).toBe("user:42");
    const { keys } = (await ask("GET", `/v1/admin/keys?project=${id}`)).data;
    expect(keys).toEqual([expect.objectContaining({ id: bound.id ?? "", subject: "user:42" })]);
  });

  test("has a rate of its own", async () => {
    const key = await newAdministrationKey(app);
    const replies = await Promise.all(
      Array.from({ length: 260 }, () => app.call("GET", "/v1/admin/plans", { key: key.key })),
    );
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThanOrEqual(30);
    expect(replies.length - limited.length).toBeGreaterThanOrEqual(200);
    expect(limited[0]?.headers.get("retry-after")).toBe("1");
    expect((await ask("GET", "/v1/admin/plans")).status).toBe(200);
  });

  test("keeps the metadata of its calls", async () => {
    const before = app.countRecords(null);
    const headers = { "X-Audit-Metadata": '{"ticket":"OPS-17"}' };
    await app.call("GET", "/v1/admin/plans", { key: admin.key, headers });
    expect(app.records(null, before)[0]?.payload.metadata).toEqual({ ticket: "OPS-17" });
  });
});

async function administered(): Promise<readonly JsonObject[]> {
  const listed = await administer(app.config, listAdministrationKeys, {});
  return Array.isArray(listed) ? listed.filter(isObject) : [];
}
