// Proves what an erasure says about the memory itself, that both can go in one transaction, and what the API says about a record
// whose payload is gone.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { createOwnKey, openLedgerFiles } from "../../src/server/ledger/ledger-files.ts";
import {
  administrationOf,
  type Member,
  openSeam,
  runtime,
  type Seam,
  unitVector,
} from "../calls/storage/seam.ts";
import { run } from "../cli/command.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp({ "payload-retention-days": "5" });
afterAll(() => app.stop());

const dayMs = 86_400_000;

async function openProject() {
  const { id, key } = await app.createProject("business");
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, body === undefined ? { key } : { key, body });
  const remember = async (content: string): Promise<string> => {
    const { data } = await call("POST", "/v1/memories", { content, memory_type: "fact" });
    return String(data.id);
  };
  const logs = async (query: string): Promise<JsonObject[]> => {
    const { data } = await call("GET", `/v1/audit/logs?${query}`);
    return Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
  };
  return { id, call, remember, logs };
}

describe("an erasure by memory", () => {
  test("leaves a memory that is there, and says so", async () => {
    const { call, remember } = await openProject();
    const memory = await remember("Ada lives at 12 Example Lane");
    const erased = await app.administer(eraseRecords, { memory });
    expect(erased).toMatchObject({ redacted: 1, memory: "kept" });
    expect((await call("GET", `/v1/memories/${memory}`)).data.content).toBe("Ada lives at 12 Example Lane");
  });

  test("deletes it as well when asked to; the project's chain says both", async () => {
    const { id, call, remember } = await openProject();
    const memory = await remember("Ada lives at 13 Example Lane");
    const erased = await app.administer(eraseRecords, { memory, delete_memory: true });
    expect(erased).toMatchObject({ redacted: 1, memory: "deleted" });
    expect((await call("GET", `/v1/memories/${memory}`)).status).toBe(404);
    expect((await call("GET", "/v1/memories")).data.memories).toEqual([]);
    expect(app.records(id).map(({ action, status, entry }) => [action, status, entry.memory])).toEqual([
      ["memory.create", 201, memory],
      ["memory.delete", 204, memory],
      ["audit.redact", 200, null],
      ["memory.read", 404, memory],
      ["memory.list", 200, null],
    ]);
    const verified = await call("GET", "/v1/audit/verify");
    expect(verified.data.verdict).toBe("unattested");
  });

  test("is recorded on the chain of the project with who did it, what was asked for, and which records were erased", async () => {
    const { id, call, remember, logs } = await openProject();
    const memory = await remember("Ada lives at 16 Example Lane");
    await call("GET", `/v1/memories/${memory}`);
    const before = (await logs("page_size=10")).map((record) => record.id);
    await app.administer(eraseRecords, { memory, delete_memory: true });
    const [erasure, deletion] = await logs("page_size=2");
    const { data } = await call("GET", `/v1/audit/logs/${erasure?.id}`);
    expect(data).toMatchObject({
      action: "audit.redact",
      transport: "cli",
      key_id: null,
      os_uid: process.getuid?.() ?? null,
      os_user: process.env.USER ?? null,
      session_id: null,
      request_body: { memory, delete_memory: true },
      response_body: { success: true, data: { redacted: 2, shown: 2 } },
    });
    const { records } =
      isObject(data.response_body) && isObject(data.response_body.data) ? data.response_body.data : {};
    expect(Array.isArray(records) ? records.toSorted() : null).toEqual(before.toSorted());
    const shown = await run([
      "audit",
      "show",
      String(erasure?.id),
      "--json",
      "--data-dir",
      app.config.dataDir,
    ]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      os_uid: data.os_uid,
      response_body: data.response_body,
    });
    expect((await call("GET", `/v1/audit/logs/${deletion?.id}`)).data).toMatchObject({
      action: "memory.delete",
      transport: "cli",
    });
    const payloads = app
      .records(id)
      .flatMap(({ action, payload }) => (action === "audit.redact" ? [payload] : []));
    expect(payloads).toEqual([
      expect.objectContaining({
        os_uid: process.getuid?.(),
        redacted: [],
        redacted_parts: [
          [1, [1, 2]],
          [2, [1]],
        ],
        transport: "cli",
      }),
    ]);
    expect(JSON.stringify(payloads)).not.toContain("Example Lane");
  });

  test("of one that was deleted before says that there is none", async () => {
    const { call, remember } = await openProject();
    const memory = await remember("Ada lives at 14 Example Lane");
    await call("DELETE", `/v1/memories/${memory}`);
    const erased = await app.administer(eraseRecords, { memory, delete_memory: true });
    expect(erased).toMatchObject({ memory: "absent" });
  });

  test("of one that was deleted with all others says that there is none, too", async () => {
    const { call, remember } = await openProject();
    const memory = await remember("Ada lives at 15 Example Lane");
    await call("DELETE", "/v1/memories");
    expect(await app.administer(eraseRecords, { memory })).toMatchObject({ memory: "absent" });
  });

  test("that was made of a record deletes it with the record, unless it says something else now", async () => {
    const { call, remember, logs } = await openProject();
    const [same, changed] = [
      await remember("Ada lives at 19 Example Lane"),
      await remember("Ada works at 20 Example Lane"),
    ];
    await call("PUT", `/v1/memories/${changed}`, { content: "Nothing is known of that person." });
    const records = (await logs("action=memory.create")).map(({ id }) => String(id)).toSorted();
    const erase = (record: string | undefined) =>
      app.administer(eraseRecords, { record: record ?? "", delete_memory: true });
    expect(await erase(records[0])).toMatchObject({ memory: null, deleted_memories: [same] });
    expect(await erase(records[1])).toMatchObject({ memory: null, deleted_memories: [] });
    expect((await call("GET", "/v1/memories")).text).not.toContain("Example Lane");
  });

  test("must be named", async () => {
    await expect(app.administer(eraseRecords, { delete_memory: true })).rejects.toThrow(
      /id of a record or the id of a memory/,
    );
  });
});

test("the command tells a person that the memory is still there, until it is not", async () => {
  const { remember } = await openProject();
  const memory = await remember("Ada lives at 18 Example Lane");
  const erase = async (...words: string[]) => {
    const at = ["--yes", "--data-dir", app.config.dataDir];
    const { stdout, stderr } = await run(["audit", "redact", "--memory", memory, ...words, ...at]);
    return `${stdout}${stderr}`;
  };
  expect(await erase()).toContain("To delete it, run the command again with --delete-memory.");
  expect(await erase("--delete-memory")).toMatch(/^memory +deleted$/m);
  expect(await erase()).toContain("no audit record contains this memory");
});

test("records that calls leave while the payloads are being read are erased, too", async () => {
  const seam = await openSeam();
  const member = await seam.project();
  const [content, vector] = ["Ada lives at 16 Example Lane", unitVector(1)];
  const { data } = await member.create({ content, vector });
  const input = { memory: String(data.id), delete_memory: true };
  const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
  expect((await member.call("memory.read", { memory_id: input.memory })).data.content).toBe(content);
  const erased = await seam.commit({
    operation: "audit.redact",
    keyId: null,
    bodyText: JSON.stringify(input),
    decision: { refused: null, parameters: {}, prepared },
  });
  expect(erased.data).toMatchObject({ redacted: 2, memory: "deleted" });
  await seam.close();
});

describe("an erasure that is committed, but leaves text in a file, does not say that nothing was done", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-redact-"));
  const ledger = openLedgerFiles(folder, createOwnKey(folder));
  let seam: Seam;
  let member: Member;
  let memory = "";
  beforeAll(async () => {
    seam = await openSeam({ ledger });
    seam.store.exports.start();
    member = await seam.project();
  });
  beforeEach(async () => {
    const { data } = await member.create({
      content: `Ada has ${crypto.randomUUID()}`,
      vector: unitVector(1),
    });
    memory = String(data.id);
  });
  afterAll(async () => {
    await seam.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const erase = async () => {
    const prepared = await eraseRecords.prepare?.({ memory }, administrationOf(seam.store));
    return seam.administer("audit.redact", { memory }, prepared);
  };

  test("because a reader holds the write-ahead log; sent again, it empties the log", async () => {
    const reader = openReading({ path: seam.path, runtime });
    try {
      reader.exec("BEGIN; SELECT COUNT(*) FROM project");
      const held = await erase();
      expect(held).toMatchObject({ status: 503, code: 1503, data: { outcome: "unknown" } });
      expect(held.message).toContain("may still be in the database file or its write-ahead log");
    } finally {
      reader.close();
    }
    expect(await erase()).toMatchObject({ code: 2204 });
    expect(statSync(`${seam.path}-wal`).size).toBe(0);
  });

  test("because the file of an export cannot be removed; sent again, it removes the file", async () => {
    const span = { start_time: "2020-01-01", end_time: "2099-01-01" };
    const { data } = await member.call("audit.export", span);
    const export_id = String(data.export_id);
    const file = join(ledger.exports, `${export_id}.csv`);
    const statusOf = async () => (await member.call("audit.export_status", { export_id })).data;
    while ((await statusOf()).status !== "completed") await Bun.sleep(10);
    // A folder is not removed as a file is.
    rmSync(file);
    mkdirSync(file);
    const held = await erase();
    expect(held).toMatchObject({ status: 503, code: 1503, data: { outcome: "unknown" } });
    expect(held.message).toContain("files of exports that contain them could not be removed");
    rmSync(file, { recursive: true });
    expect(await erase()).toMatchObject({ code: 2204 });
    expect(readdirSync(ledger.exports)).toEqual([]);
  });
});

describe("the API says of a record", () => {
  let project: Awaited<ReturnType<typeof openProject>>;
  let memory = "";
  beforeAll(async () => {
    project = await openProject();
    memory = await project.remember("Ada lives at 17 Example Lane");
    await project.remember("Something else");
    await project.call("POST", "/v1/memories/search", { query: "Who lives where?" });
  });
  const searched = async () => {
    const [record] = await project.logs("action=memory.search");
    const { data } = await project.call("GET", `/v1/audit/logs/${record?.id}`);
    return { expired: data.payload_expired, erased: data.erased_places };
  };
  const states = async () => {
    const records = (await project.logs("action=memory.create")).toReversed();
    const details = await Promise.all(
      records.map(async ({ id }) => (await project.call("GET", `/v1/audit/logs/${id}`)).data),
    );
    for (const [index, detail] of details.entries()) {
      const { redacted = null, payload_expired = null } = detail;
      expect(records[index]).toMatchObject({ redacted, payload_expired });
    }
    return details.map(({ redacted, payload_expired, request_body }) => ({
      redacted,
      payload_expired,
      hasBody: request_body !== null,
    }));
  };
  const stored = { redacted: false, payload_expired: false, hasBody: true };

  test("that it is whole", async () => {
    expect(await states()).toEqual([stored, stored]);
  });

  test("that it was redacted", async () => {
    await app.administer(eraseRecords, { memory });
    const record = String((await project.logs("action=memory.create"))[1]?.id);
    const partly = { redacted: false, payload_expired: false, hasBody: false };
    expect(await states()).toEqual([partly, stored]);
    expect(await searched()).toEqual({
      expired: false,
      erased: [expect.stringMatching(/^\/response_body\/data\/results\/\d$/)],
    });
    await app.administer(eraseRecords, { record });
    expect(await states()).toEqual([{ ...partly, redacted: true }, stored]);
  });

  test("that its payload has expired, whatever happened to it before", async () => {
    app.passTime(6 * dayMs);
    await project.call("GET", "/v1/memories");
    await app.administer(pruneRecords, {});
    const expired = { redacted: false, payload_expired: true, hasBody: false };
    const isPruned = async () =>
      (await project.logs("action=memory.create")).every(({ payload_expired }) => payload_expired === true);
    // Payloads are deleted in steps behind the calls.
    for (let tries = 0; tries < 100 && !(await isPruned()); tries += 1) await Bun.sleep(20);
    expect(await states()).toEqual([expired, expired]);
    expect(await searched()).toEqual({ expired: true, erased: [] });
    expect((await project.call("GET", "/v1/audit/verify")).data).toMatchObject({ verdict: "unattested" });
  });
});
