// Attack: while the server is stopped, payloads are deleted and a record is appended that accounts for it. The next checkpoint of
// the server would cover this record, and the removal with it. The server must not start.

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { appendForged } from "../audit/forge-case.ts";
import { runtime } from "../audit/ledger.ts";
import { tamper } from "../audit/tamper.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";

afterAll(cleanUp);

test.each([
  ["audit.redact", { redacted: [1, 2] }],
  ["audit.prune", { payloads_through: 2 }],
])("a forged record of %s keeps the server from signing a checkpoint over it", async (action, payload) => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  for (const content of ["one", "two", "three"]) await createFact(server.url, server.ready.api_key, content);
  await call(server.url, server.ready.api_key);
  expect((await server.end("SIGTERM")).exitCode).toBe(0);

  let seq = 0;
  tamper(join(dataDir, "memledger.db"), (database) => {
    database.exec(
      "DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE chain = 2 AND seq <= 2)",
    );
    seq = appendForged(database, action, payload);
  });
  for (const words of [
    ["serve", "--port", "0"],
    ["project", "list"],
    ["audit", "checkpoint"],
  ]) {
    const { exitCode, stderr } = await run([...words, "--data-dir", dataDir]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Record ${seq} (${action}) of chain`)]);
  }
  const verified = await runJson(["audit", "verify", dataDir]);
  expect([verified.exitCode, verified.object.failure]).toMatchObject([20, { check: "payload", seq: 1 }]);
});

test("a server that was killed right after it removed something starts again", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const created = await (await createFact(server.url, server.ready.api_key, "one")).json();
  const { id } = (created as { data: { id: string } }).data;
  const erased = await runJson(["audit", "redact", "--memory", id, "--yes", "--data-dir", dataDir]);
  expect(erased.object).toMatchObject({ redacted: 1 });
  await server.end("SIGKILL");
  const verified = await runJson(["audit", "verify", dataDir]);
  expect([verified.exitCode, verified.object.failure]).toEqual([10, null]);
  expect((await run(["project", "list", "--data-dir", dataDir])).exitCode).toBe(0);
});

test("a record that another process appends while the server runs is never signed", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const { api_key: key } = server.ready;
  for (const content of ["one", "two", "three"]) await createFact(server.url, key, content);
  await run(["audit", "checkpoint", "--all", "--data-dir", dataDir]);
  const path = join(dataDir, "memledger.db");
  await appendElsewhere(dataDir, "audit.redact", { redacted: [1, 2] });
  const newest = () => readOne(path, "SELECT MAX(size) FROM audit_checkpoint WHERE chain = 2");
  const before = newest();

  const all = await run(["audit", "checkpoint", "--data-dir", dataDir]);
  expect([all.exitCode, all.stderr]).toEqual([
    1,
    expect.stringContaining("another process has changed the ledger of project"),
  ]);
  expect((await call(server.url, key, "/v1/memories")).status).toBe(503);
  expect((await createFact(server.url, key, "four")).status).toBe(503);
  const ready = await fetch(`${server.url}/health/ready`);
  expect([ready.status, await ready.text()]).toEqual([
    503,
    expect.stringContaining("another process has changed the ledger; stop the server"),
  ]);
  const { stderr } = await server.end("SIGTERM");
  expect(stderr.match(/another process has changed the ledger of project/g)).toHaveLength(1);
  expect(newest()).toEqual(before);
  const verified = await runJson(["audit", "verify", dataDir]);
  expect([verified.exitCode, verified.object.failure]).toMatchObject([20, { check: "payload", seq: 1 }]);
});

/** In a process of its own, as SQLite's locks demand: two libraries in one process would take each other's away. */
async function appendElsewhere(dataDir: string, action: string, payload: object): Promise<void> {
  const script = `
    import { tamper } from "${import.meta.dir}/../audit/tamper.ts";
    import { appendForged } from "${import.meta.dir}/../audit/forge-case.ts";
    tamper(${JSON.stringify(join(dataDir, "memledger.db"))}, (database) => {
      database.pragma("busy_timeout = 5000");
      database.exec("DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE chain = 2 AND seq <= 2)");
      appendForged(database, ${JSON.stringify(action)}, ${JSON.stringify(payload)});
    });`;
  const child = Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" });
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
}

function readOne(path: string, sql: string): unknown {
  const database = openDatabase(path, runtime, { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

test("retention deletes no payload that no record under a checkpoint names, whatever the database says", async () => {
  const dataDir = createFolder();
  const path = join(dataDir, "memledger.db");
  const server = await serve(dataDir);
  for (const content of ["one", "two", "three"]) await createFact(server.url, server.ready.api_key, content);
  await call(server.url, server.ready.api_key);
  await server.end("SIGTERM");
  tamper(path, (database) => database.exec("UPDATE audit_chain SET payloads_through = 3"));
  const verified = await runJson(["audit", "verify", dataDir]);
  expect([verified.exitCode, verified.object.failure]).toMatchObject([20, { check: "payload", seq: 3 }]);
  expect((await run(["audit", "prune", "--data-dir", dataDir])).exitCode).toBe(0);
  const count =
    "SELECT COUNT(*) FROM audit_entry e LEFT JOIN audit_payload p ON p.entry = e.number WHERE p.entry IS NULL";
  expect(readOne(path, count)).toBe(0);
});

test("the headline of an intact ledger tells what was removed after the newest checkpoint", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir);
  const created = await (await createFact(server.url, server.ready.api_key, "one")).json();
  const { id } = (created as { data: { id: string } }).data;
  const words = ["audit", "checkpoint", "--project", "default", "--data-dir", dataDir];
  const note = join(createFolder(), "kept.note");
  writeFileSync(note, (await run(words)).stdout);
  const verify = () => run(["audit", "verify", dataDir, "--project", "default", "--checkpoint", note]);
  expect((await verify()).stdout.split("\n")[0]).not.toContain("removed");
  await run(["audit", "redact", "--memory", id, "--yes", "--data-dir", dataDir]);
  const { exitCode, stdout } = await verify();
  await server.end("SIGTERM");
  expect([exitCode, stdout.split("\n")[0]]).toEqual([
    0,
    expect.stringContaining(" 1 record or payload was removed after the newest checkpoint."),
  ]);
});
