// Lists and details of records that somebody with access to the database file made unreadable: the answer shows what can be read, and
// never fails because of one record.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startTestApp } from "../fixture.ts";
import { tamper } from "./tamper.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const ofMemoryList = `entry = (SELECT e.number FROM audit_entry e JOIN audit_chain c ON c.number = e.chain
  JOIN project p ON p.serial = c.project WHERE p.id = ? AND e.action = 'memory.list')`;
const zstd = (text: string) => Bun.zstdCompressSync(text);

test.each([
  ["not JSON", zstd("{")],
  ["not an object", zstd("[1]")],
  ["not a zstd frame", Buffer.from("payload")],
  ["empty", Buffer.alloc(0)],
])("a payload that is %s", async (_, text) => {
  const { id, key } = await app.createProject("business");
  await app.call("GET", "/v1/memories", { key });
  tamper(join(app.config.dataDir, "memledger.db"), (database) => {
    const { changes } = database
      .prepare(`UPDATE audit_payload SET text = ? WHERE ${ofMemoryList}`)
      .run(text, id);
    expect(changes).toBe(1);
  });

  const list = await app.call("GET", "/v1/audit/logs?action=memory.list", { key });
  expect(list.status).toBe(200);
  const [record] = Object(list.data.logs);
  expect(record).toMatchObject({
    action: "memory.list",
    http_status: 200,
    ip_address: null,
    redacted: false,
  });

  const detail = await app.call("GET", `/v1/audit/logs/${record.id}`, { key });
  expect(detail.status).toBe(200);
  expect(detail.data).toMatchObject({ id: record.id, response_body: null, memory_results: null });

  const { data } = await app.call("GET", "/v1/audit/verify", { key });
  expect(data).toMatchObject({ verdict: "broken", failure: { seq: 1, check: "payload" } });
  expect(app.complaints.splice(0)).toEqual([expect.stringContaining("does not verify")]);
});
