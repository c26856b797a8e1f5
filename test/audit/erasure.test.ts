// Proves erasure: what personal text leaves, from where, and what the chain says about it.

import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
const path = join(app.config.dataDir, "memledger.db");
const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
afterAll(async () => {
  database.close();
  await app.stop();
});

/** Everything that lies in the data directory, native libraries left out. */
function bytesOnDisk(): Buffer {
  const files = readdirSync(app.config.dataDir).map((name) => join(app.config.dataDir, name));
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)));
}

/** Size of the newest checkpoint of a project's chain. */
function coveredSize(projectId: string): unknown {
  return database
    .prepare(
      `SELECT MAX(size) FROM audit_checkpoint WHERE chain =
         (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))`,
    )
    .pluck()
    .get(projectId);
}

describe("erasure", async () => {
  const project = await app.createProject("business");
  const { key } = project;
  const secret = "Ada lives at 12 Example Lane";
  const call = (method: string, address: string, body?: unknown) =>
    app.call(method, address, body === undefined ? { key } : { key, body });
  const { data: memory } = await call("POST", "/v1/memories", { content: secret, memory_type: "fact" });
  await call("GET", `/v1/memories/${memory.id}`);
  await call("POST", "/v1/memories/search", { query: "Where does she live?" });
  const { data: other } = await call("POST", "/v1/memories", {
    content: "Something else",
    memory_type: "fact",
  });
  await call("DELETE", `/v1/memories/${memory.id}`);
  const payloads = database.prepare("SELECT text FROM audit_payload ORDER BY entry DESC LIMIT 5").pluck();
  const before = (payloads.all() as Buffer[]).filter((bytes) =>
    Bun.zstdDecompressSync(bytes).includes(String(memory.id)),
  );
  const erased = await app.administer(eraseRecords, { memory: String(memory.id) });

  test("takes every payload with the memory, search results included, and says so on the chain", () => {
    expect(erased.redacted).toBe(3);
    const records = app.records(project.id);
    expect(JSON.stringify(records)).not.toContain(secret);
    // Of the first two records also what the call about the memory asked and answered; of the search, one result.
    expect(records.at(-1)?.payload).toMatchObject({
      redacted: [],
      redacted_parts: [
        [1, [1, 2]],
        [2, [1]],
        [3, [2]],
      ],
      transport: "cli",
    });
  });

  test("is covered by a checkpoint of the same transaction: without one it would account for nothing", () => {
    expect(coveredSize(project.id)).toBe(6);
  });

  test("leaves nothing in any file: neither the text of the memory nor a compressed payload with it", () => {
    expect(before).toHaveLength(3);
    const bytes = bytesOnDisk();
    expect(bytes.includes(secret)).toBe(false);
    for (const payload of before) expect(bytes.includes(payload)).toBe(false);
    expect(bytes.includes("Something else")).toBe(true);
  });

  test("leaves records that show nulls where the erased parts were", async () => {
    const { data } = await call("GET", "/v1/audit/logs?action=memory.search");
    const [search] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    const detail = await call("GET", `/v1/audit/logs/${search?.id}`);
    expect(detail.data).toEqual(
      expect.objectContaining({
        action: "memory.search",
        http_status: 200,
        ip_address: "127.0.0.1",
        request_body: { query: "Where does she live?" },
        memory_results: [],
        redacted: false,
        erased_places: ["/response_body/data/results/0"],
      }),
    );
  });

  test("of one record, and again changes nothing", async () => {
    const { data } = await call("GET", `/v1/audit/logs?memory_id=${other.id}`);
    const [record] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    // The second one is that of the list, which was asked for the memory that the first one has made.
    expect(await app.administer(eraseRecords, { record: String(record?.id) })).toMatchObject({
      redacted: 2,
      origin: 1,
      shown: 1,
    });
    expect((await app.administer(eraseRecords, { record: String(record?.id) })).redacted).toBe(0);
  });

  test.each([
    [{}],
    [{ record: "x" }],
    [{ record: "0".repeat(32), memory: "0".repeat(32) }],
    [{ record: "0".repeat(32) }],
  ])("refuses %p", async (input) => {
    await expect(app.administer(eraseRecords, input)).rejects.toThrow(
      /id of a record or the id of a memory|Name only one of them|audit record does not exist/,
    );
  });

  test("refuses to erase the records that say what is missing", async () => {
    const { data } = await call("GET", "/v1/audit/logs?action=audit.redact");
    const [record] = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
    await expect(app.administer(eraseRecords, { record: String(record?.id) })).rejects.toThrow(
      /cannot be erased/,
    );
  });
});

describe("erasure of an extracted memory", async () => {
  const { key } = await app.createProject("business");
  const call = (method: string, address: string, body?: unknown) =>
    app.call(method, address, body === undefined ? { key } : { key, body });
  const text = "Ada: I live in Pemmingtonby. Lovely weather!";
  const { data } = await call("POST", "/v1/memories/extract", { text });
  const [item] = Array.isArray(data.extracted) ? data.extracted.filter(isObject) : [];
  await call("POST", "/v1/memories/inject", { query: "Where does Ada live?" });
  await call("POST", "/v1/memories/search", { query: "Who is in Pemmingtonby?", mode: "hybrid" });
  const before = bytesOnDisk().toString("latin1").toLowerCase();
  await call("DELETE", `/v1/memories/${item?.id}`);
  const erased = await app.administer(eraseRecords, { memory: String(item?.id) });

  test("takes the text that it came from, and the prompt that it went into", () => {
    expect(item?.content).toContain("Pemmingtonby");
    expect(erased.redacted).toBe(3);
  });

  test("leaves no word of it in any file, the index of words included", () => {
    expect(before).toContain("pemmingtonbi");
    expect(bytesOnDisk().toString("latin1").toLowerCase()).not.toContain("pemmingtonbi");
  });
});
