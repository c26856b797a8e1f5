// Proves what a stranger can verify of one call with its receipt, over HTTP and by administration: of successful, refused and erased calls, of the
// installation, and that nothing of another call is in it. Tests who may ask.

import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { updateProject } from "../../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { showReceipt } from "../../../src/calls/operations/ledger/receipts.ts";
import { startTestApp } from "../../fixture.ts";
import { runScenarios } from "../../transports/http/scenario.ts";
import { tamper } from "../tamper.ts";
import { reportOf } from "./ask-receipt.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const publicKeys = readFileSync(join(app.config.dataDir, "audit.pub"), "utf8").trim().split("\n");
const verify = (receipt: unknown) => reportOf(String(receipt), publicKeys, []);
const newest = (project: string | null) => String(app.records(project).at(-1)?.entry.id);

async function openProject() {
  const { id, key } = await app.createProject("business");
  const create = async (content: string) => {
    await app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact" } });
    return newest(id);
  };
  const receiptOf = async (record: string, query = "") => {
    const { data } = await app.call("GET", `/v1/audit/logs/${record}/receipt${query}`, { key });
    return String(data.receipt);
  };
  const countNotes = async () => {
    const { data } = await app.call("GET", "/v1/audit/checkpoints?page_size=100", { key });
    return Array.isArray(data.checkpoints) ? data.checkpoints.length : 0;
  };
  return { id, key, create, receiptOf, countNotes };
}

/** All that can be read in a file. */
const readable = (receipt: string) =>
  receipt + Buffer.from(/extra (\S+)/.exec(receipt)?.[1] ?? "", "base64").toString();

test("the receipt of every call is valid, and has nothing of another call", async () => {
  const { create, receiptOf, countNotes } = await openProject();
  const records: string[] = [];
  for (let index = 0; index < 12; index++) records.push(await create(`The secret of room ${index} is blue.`));
  await receiptOf(records[11] ?? "");
  const before = await countNotes();
  for (const [index, record] of records.entries()) {
    const receipt = await receiptOf(record);
    const { verdict, facts, payload } = verify(receipt);
    expect([verdict, facts.record, facts.status]).toEqual(["unattested", record, 201]);
    expect(payload?.request_body).toMatchObject({ content: `The secret of room ${index} is blue.` });
    for (const other of records) expect(readable(receipt).includes(other)).toBe(other === record);
    expect(
      readable(receipt)
        .match(/room \d+/g)
        ?.every((room) => room === `room ${index}`),
    ).toBe(true);
  }
  // One checkpoint covers them all.
  expect(await countNotes()).toBe(before);
});

test("without the payload, it proves the entry alone", async () => {
  const { create, receiptOf } = await openProject();
  const receipt = await receiptOf(await create("The cellar is dry."), "?payload=false");
  expect(verify(receipt)).toMatchObject({
    verdict: "unattested",
    payload: null,
    facts: { action: "memory.create" },
  });
  expect(readable(receipt)).not.toContain("cellar");
});

test("a refused call has one, too", async () => {
  const { id, receiptOf } = await openProject();
  const reader = await app.createKey(id, ["memory.read"]);
  await app.call("POST", "/v1/memories", { key: reader.key, body: { content: "No.", memory_type: "fact" } });
  const { facts, proved } = verify(await receiptOf(newest(id)));
  expect(facts).toMatchObject({ action: "memory.create", status: 403, code: 1403, key: reader.id });
  expect(proved[0]).toContain("status 403");
});

test("an appended record is told apart", async () => {
  const { id, key, receiptOf } = await openProject();
  const body = { action: "gateway.chat", http_status: 200, output_content: "Yes." };
  const appended = await app.call("POST", "/v1/audit/logs", { key, body });
  const { notProved, payload } = verify(await receiptOf(String(appended.data.id)));
  expect(notProved.join()).toContain("a client has appended this record");
  expect(payload?.output_content).toBe("Yes.");
  expect(verify(await receiptOf(newest(id))).notProved.join()).not.toContain("appended");
});

test("after an erasure it is valid without the text, as is the receipt from before with it", async () => {
  const { create, receiptOf } = await openProject();
  const record = await create("Ada lives in Lane 21.");
  const before = await receiptOf(record);
  await app.administer(eraseRecords, { record });
  const after = await receiptOf(record);
  expect(readable(after)).not.toContain("Ada");
  expect([verify(before).verdict, verify(after).verdict]).toEqual(["unattested", "unattested"]);
  expect(verify(before).facts.record).toBe(record);
});

test("administrators get those of a project and of the installation", async () => {
  const { id, create } = await openProject();
  const show = async (record: string) => verify((await app.administer(showReceipt, { record })).receipt);
  const record = await create("The attic is cold.");
  expect(await show(record)).toMatchObject({ facts: { record, project: id }, verdict: "unattested" });
  await app.administer(updateProject, { project: id, retention_days: 300 });
  const administered = newest(null);
  expect(await show(administered)).toMatchObject({
    facts: { record: administered, action: "project.update", project: null },
    verdict: "unattested",
  });
  expect(await app.administer(showReceipt, { record: "0".repeat(32) }).catch(String)).toContain(
    "does not exist",
  );
});

test("a record that was changed in the file has no valid one", async () => {
  const { create, receiptOf } = await openProject();
  const record = await create("The bell rings at nine.");
  expect(verify(await receiptOf(record)).verdict).toBe("unattested");
  tamper(join(app.config.dataDir, "memledger.db"), (database) => {
    database
      .prepare(
        "UPDATE audit_entry SET entry = replace(entry, '\"status\":201', '\"status\":200') WHERE id = ?",
      )
      .run(record);
  });
  expect(verify(await receiptOf(record)).headline).toBe(
    "NOT VALID: its path does not lead from the entry to the checkpoint.",
  );
});

describe("calls", async () => {
  const { id, key } = await app.createProject("business");
  const other = await app.createProject("business");
  const pro = await app.createProject("pro");
  const writer = await app.createKey(id, ["memory.read", "audit.write"]);
  await app.call("GET", "/v1/memories", { key });
  await app.call("GET", "/v1/memories", { key: pro.key });
  const path = `/v1/audit/logs/${newest(id)}/receipt`;
  const ofPro = `/v1/audit/logs/${newest(pro.id)}/receipt`;
  const method = "GET";
  runScenarios(app, [
    { name: "receipt", method, path, options: { key }, status: 200, code: 1000, recordedFor: id },
    {
      name: "receipt, without the payload",
      ...{
        method,
        path: `${path}?payload=false`,
        options: { key },
        status: 200,
        code: 1000,
        recordedFor: id,
      },
    },
    {
      name: "receipt, with another word",
      ...{
        method,
        path: `${path}?payload=maybe`,
        options: { key },
        status: 400,
        code: 1400,
        recordedFor: id,
      },
    },
    {
      name: "receipt, without a key",
      ...{ method, path, options: { key: null }, status: 401, code: 1401, recordedFor: null },
    },
    {
      name: "receipt, without the permission",
      ...{ method, path, options: { key: writer.key }, status: 403, code: 1403, recordedFor: id },
    },
    {
      name: "receipt, of another project",
      ...{ method, path, options: { key: other.key }, status: 404, code: 2204, recordedFor: other.id },
    },
    {
      name: "receipt, no identifier",
      ...{ method, path: "/v1/audit/logs/none/receipt", options: { key } },
      ...{ status: 404, code: 2204, recordedFor: id },
    },
    {
      name: "receipt, a plan without hashes",
      ...{ method, path: ofPro, options: { key: pro.key }, status: 403, code: 2207, recordedFor: pro.id },
    },
  ]);
});
