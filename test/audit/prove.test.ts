// Proves verification through the API: what it says of a good chain, that it goes on where it ended, and that it finds a change.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { prepareRuntime } from "../../src/native/runtime.ts";
import { openDatabase } from "../../src/native/sqlite.ts";
import { startTestApp } from "../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const verify = (key: string) => app.call("GET", "/v1/audit/verify", { key });
const read = (key: string) => app.call("GET", "/v1/memories", { key });

function tamper(sql: string, ...values: (string | number)[]): void {
  const database = openDatabase(
    join(app.config.dataDir, "memledger.db"),
    prepareRuntime("unused-from-source"),
  );
  database.exec("DROP TRIGGER audit_entry_is_final");
  database.prepare(sql).run(...values);
  database.exec(
    "CREATE TRIGGER audit_entry_is_final BEFORE UPDATE ON audit_entry BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END",
  );
  database.close();
}

test("a good chain is verified once, and then from where that ended", async () => {
  const { key } = await app.createProject("business");
  for (let index = 0; index < 30; index++) await read(key);
  const first = await verify(key);
  expect(first.status).toBe(200);
  expect(first.data).toEqual({
    ...{
      verdict: "unattested",
      chain: expect.stringMatching(/^[0-9a-f]{32}$/),
      verified: 30,
      first_seq: 1,
      last_seq: 30,
    },
    ...{ failure: null, contradiction: null },
  });
  for (let index = 0; index < 5; index++) await read(key);
  const second = await verify(key);
  // The call before left a record, too.
  expect(second.data).toEqual(
    expect.objectContaining({ verdict: "unattested", verified: 6, first_seq: 31, last_seq: 36 }),
  );
});

test("a project without records has nothing to verify", async () => {
  const { key } = await app.createProject("custom");
  expect((await verify(key)).data).toEqual(
    expect.objectContaining({ verdict: "unattested", verified: 0, last_seq: null }),
  );
});

test("callers at the same time share one verification", async () => {
  const { key } = await app.createProject("business");
  for (let index = 0; index < 20; index++) await read(key);
  const replies = await Promise.all(Array.from({ length: 8 }, () => verify(key)));
  for (const { data } of replies) expect(data.verdict).toBe("unattested");
});

test("a change is found, told with its position, and never forgotten", async () => {
  const { id, key } = await app.createProject("business");
  for (let index = 0; index < 12; index++) await read(key);
  tamper(
    "UPDATE audit_entry SET status = 500 WHERE seq = 7 AND chain = (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))",
    id,
  );
  for (let attempt = 0; attempt < 2; attempt++) {
    const { data } = await verify(key);
    expect(data).toEqual(
      expect.objectContaining({
        verdict: "broken",
        failure: expect.objectContaining({ seq: 7, check: "columns" }),
      }),
    );
  }
});

test("plans that do not show hashes are refused", async () => {
  const { key } = await app.createProject("pro");
  const reply = await verify(key);
  expect([reply.status, reply.code]).toEqual([403, 1403]);
  expect(reply.message).toContain("business or custom");
});
