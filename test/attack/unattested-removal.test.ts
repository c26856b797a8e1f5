// Attack: while the server is stopped, payloads are deleted and a record is appended that accounts for it. The next checkpoint of the
// server would attest this record, and the removal with it. The server must not start.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { appendForged } from "../audit/forge-case.ts";
import { tamper } from "../audit/tamper.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";

afterAll(cleanUp);

test.each([
  ["audit.redact", { redacted: [1, 2] }],
  ["audit.prune", { payloads_through: 2 }],
])(
  "a forged record of %s keeps the server from attesting it",
  async (action, payload) => {
    const dataDir = createFolder();
    const server = await serve(dataDir);
    for (const content of ["one", "two", "three"])
      await createFact(server.url, server.ready.api_key, content);
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
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`Record ${seq} (${action}) of the chain`),
      ]);
    }
    const verified = await runJson(["audit", "verify", dataDir]);
    expect([verified.exitCode, verified.object.failure]).toMatchObject([20, { check: "payload", seq: 1 }]);
  },
  60_000,
);

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
}, 60_000);
