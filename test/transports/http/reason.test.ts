// Proves that a record says why administration or an erasure was done, in the words of its caller.

import { afterAll, expect, test } from "bun:test";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { showRecord } from "../../../src/calls/operations/ledger/show-record.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { newAdministrationKey } from "./administration-key.ts";

const app = await startTestApp();
afterAll(() => app.stop());
const admin = await newAdministrationKey(app);
const reason = "Order 4711 of the data protection officer";

/** The newest record of an action in the chain of a project, or of the installation, as a person reads it. */
async function shown(project: string | null, action: string): Promise<JsonObject> {
  const record = app.records(project).findLast((each) => each.action === action);
  return app.administer(showRecord, { record: String(record?.entry.id) });
}

test("administration over HTTP, with a body and without one", async () => {
  const body = { name: "with-a-reason", reason };
  const { status, data } = await app.call("POST", "/v1/admin/projects", { key: admin.key, body });
  expect(status).toBe(201);
  expect(data).not.toHaveProperty("reason");
  expect(await shown(null, "project.create")).toMatchObject({ reason, request_body: body });
  const key = await app.createKey(String(data.id), ["memory.read"]);
  const path = `/v1/admin/keys/${key.id}?${new URLSearchParams({ reason })}`;
  expect(await app.call("DELETE", path, { key: admin.key })).toMatchObject({ status: 200 });
  expect(await shown(null, "key.revoke")).toMatchObject({ reason });
});

test("the erasure of a subject: its own record, and the one that proves what was erased", async () => {
  const { id, key } = await app.createProject("custom");
  const memory = { content: "Anna prefers the morning.", memory_type: "fact", subject: "anna" };
  expect((await app.call("POST", "/v1/memories", { key, body: memory })).status).toBe(201);
  const { data } = await app.call("POST", "/v1/subjects/anna/erase", { key, body: { reason } });
  expect(data).toMatchObject({ erased: true });
  expect(await shown(id, "subject.erase")).toMatchObject({ reason });
  expect(await shown(id, "audit.redact")).toMatchObject({ reason, request_body: null });
  expect(data.receipt).toMatchObject({ payload: expect.stringContaining(reason) });
});

test("the erasure of a record by an administrator, and of the memory with it", async () => {
  const { id, key } = await app.createProject("custom");
  const memory = { content: "The code is 1234.", memory_type: "fact" };
  const created = await app.call("POST", "/v1/memories", { key, body: memory });
  await app.administer(eraseRecords, { memory: String(created.data.id), delete_memory: true, reason });
  for (const [chain, action] of [
    [id, "audit.redact"],
    [id, "memory.delete"],
    [null, "audit.redact"],
  ] as const)
    expect(await shown(chain, action)).toMatchObject({ reason });
});

test.each([
  ["", /reason/],
  ["x".repeat(501), /500/],
  [17, /reason/],
])("a reason that is none is refused, and nothing is done: %p", async (bad, message) => {
  const body = { name: "without-a-reason", reason: bad };
  const { status, text } = await app.call("POST", "/v1/admin/projects", { key: admin.key, body });
  expect({ status, text }).toEqual({ status: 400, text: expect.stringMatching(message) });
});
