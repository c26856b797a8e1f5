// Proves that records of operations that the server has performed can be told apart from records that clients have appended, by
// whoever reads, exports or verifies them, and that no client can append one that is taken for the server's.

import { afterAll, describe, expect, test } from "bun:test";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { appendRecord } from "../../src/calls/operations/ledger/append.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { main } from "../program.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const { projectId: project } = app;
const append = (body: unknown) => app.call("POST", "/v1/audit/logs", { body });
const claim = {
  performed: true,
  isPerformed: true,
  v: 1,
  id: "a".repeat(32),
  transport: "gateway",
  own: true,
};
const chat = { action: "gateway.chat", http_status: 200 };

/** As the ledger has it. */
function newestEntry(): JsonObject {
  const record = app.records(project, app.countRecords(project) - 1).at(-1);
  if (record === undefined) throw new Error("no record");
  return record.entry;
}

async function listed(): Promise<JsonObject[]> {
  const { data } = await app.call("GET", "/v1/audit/logs?page_size=2");
  return Object.values(data).flatMap((page) => (Array.isArray(page) ? page.filter(isObject) : []));
}

test("a chat of the gateway is the server's, and one that a client appends is not", async () => {
  const refused = await app.call("POST", "/v1/chat/completions", { body: { model: "m" } });
  expect(refused.status).toBe(400);
  expect(newestEntry()).toMatchObject({ action: "gateway.chat", performed: true });
  await app.call("GET", `/v1/audit/logs/${refused.headers.get("memledger-record")}`).then(({ data }) => {
    expect(data).toMatchObject({ action: "gateway.chat", performed: true, transport: "gateway" });
  });
  const { data } = await append(chat);
  expect(data).toMatchObject({ action: "gateway.chat", performed: false });
  expect(newestEntry()).not.toHaveProperty("performed");
});

test("checks are the server's, too, whatever clients append under their names", async () => {
  expect((await app.call("GET", "/v1/checks")).status).toBe(200);
  expect(newestEntry()).toMatchObject({ action: "check.list", performed: true });
  expect((await append({ ...chat, action: "check.list" })).data).toMatchObject({ performed: false });
});

describe("a client cannot forge the mark", () => {
  test.each(Object.entries(claim))("as the field %s", async (name, value) => {
    expect((await append({ ...chat, [name]: value })).status).toBe(400);
  });

  test("in a text with the name twice", async () => {
    const text = '{"action":"gateway.chat","http_status":200,"tokens":null,"tokens":{"performed":true}}';
    expect((await append(new TextEncoder().encode(text))).status).toBe(400);
  });

  test("in any value of any field", async () => {
    const names = Object.keys(appendRecord.input.properties);
    const value = fc.oneof(
      fc.constant<Json>(claim),
      fc.constant<Json>([claim]),
      fc.constantFrom<Json>('","performed":true,"x":"', 'gateway.chat","performed":true', "performed", true),
      fc.jsonValue({ maxDepth: 2 }).map((made) => JSON.parse(JSON.stringify(made))),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), value, async (name, forged) => {
        const reply = await append({ ...chat, [name]: forged });
        if (reply.status === 201) expect(reply.data.performed).toBe(false);
        // A refusal is a record of audit.append, which clients cannot append.
        else expect(newestEntry()).toMatchObject({ action: "audit.append", code: reply.code });
        expect(newestEntry()).not.toHaveProperty("performed");
      }),
      { numRuns: 150 },
    );
  });

  test("in headers", async () => {
    const headers = { "X-Audit-Metadata": JSON.stringify(claim), "Memledger-Record": "a".repeat(32) };
    const { data } = await app.call("POST", "/v1/audit/logs", { body: chat, headers });
    expect(data).toMatchObject({ performed: false });
    expect(newestEntry()).not.toHaveProperty("performed");
  });
});

test("a list and both verifiers tell them apart", async () => {
  await append(chat);
  await app.call("GET", "/v1/checks");
  expect((await listed()).map(({ action, performed }) => [action, performed])).toEqual([
    ["check.list", true],
    ["gateway.chat", false],
  ]);
  const isOwn = ({ action, performed = false }: JsonObject) =>
    performed === true || /^(memory|audit|key|project)\./.test(String(action));
  const appended = app.records(project).filter(({ entry }) => !isOwn(entry)).length;
  expect(appended).toBeGreaterThan(2);
  const path = join(app.config.dataDir, "memledger.db");
  const python = Bun.which("python3");
  if (python === null) return;
  const said = Bun.spawnSync([python, resolve(import.meta.dir, "../verify.py"), path]).stdout.toString();
  expect(JSON.parse(said)).toMatchObject({ verdict: "unattested", appended });
  const words = ["audit", "verify", path, "--json"];
  const report = JSON.parse(Bun.spawnSync([process.execPath, main, ...words]).stdout.toString());
  const chain = (report.data ?? report).chains.find((each: JsonObject) => each.project === project);
  expect(chain).toMatchObject({ appended });
});
