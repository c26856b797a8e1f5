// Attack: a record is appended without the signing key, while a server runs, after it was killed, or after it was stopped. No server
// continues or signs it until an administrator has accepted it. What an honest server wrote before it was killed needs nobody.

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { appendForged, appendForged2 } from "../audit/forge-case.ts";
import { tamper } from "../audit/tamper.ts";
import { requestsOf } from "../cli/change-database.ts";
import { cleanUp, createFact, createFolder, type Running, run, runJson, serve } from "../cli/command.ts";

setDefaultTimeout(120_000);
afterAll(cleanUp);

const dataDir = createFolder();
let key: unknown;
const change = (work: Parameters<typeof tamper>[1]) => tamper(join(dataDir, "memledger.db"), work);
const create = async ({ url }: Running) => (await createFact(url, key, `fact ${Math.random()}`)).status;
/** Asked again while the disk has not answered the test write that follows a refused call. */
const ready = async ({ url }: Running) => {
  for (;;) {
    const response = await fetch(`${url}/health/ready`);
    const text = await response.text();
    if (!text.includes("has not tested the disk since")) return [response.status, text];
  }
};
const read = (sql: string): unknown => {
  let value: unknown;
  change((database) => {
    value = database.prepare(sql).pluck().get();
  });
  return value;
};
const signed = () => read("SELECT MAX(size) FROM audit_checkpoint WHERE chain = 2");
const refused = [503, expect.stringContaining("another process has changed the ledger")];

test("after a kill, the records of the server itself are continued", async () => {
  const first = await serve(dataDir);
  key = first.ready.api_key;
  for (let at = 0; at < 3; at++) expect(await create(first)).toBe(201);
  await first.end("SIGKILL");
  const second = await serve(dataDir);
  expect([await create(second), (await ready(second))[0]]).toEqual([201, 200]);
  await second.end("SIGKILL");
});

test("a record that was appended after the kill is neither continued nor signed, until it is accepted", async () => {
  let forged = 0;
  change((database) => {
    forged = appendForged2(database, () => null);
  });
  for (const end of ["SIGTERM", "SIGKILL"] as const) {
    const server = await serve(dataDir);
    expect([await create(server), await ready(server)]).toEqual([503, refused]);
    const { stderr } = await server.end(end);
    expect(stderr.match(/another process has changed the ledger of project/g)).toHaveLength(1);
    expect(Number(signed())).toBeLessThan(forged);
  }
  const server = await serve(dataDir);
  const accepted = await runJson(["audit", "accept", "--yes", "--data-dir", dataDir]);
  expect(accepted.object.chains).toEqual([expect.objectContaining({ newest: forged })]);
  expect([await create(server), (await ready(server))[0]]).toEqual([201, 200]);
  await server.end("SIGTERM");
  expect(Number(signed())).toBeGreaterThan(forged);
  expect(requestsOf(dataDir, "audit.accept")).toHaveLength(1);
  expect((await runJson(["audit", "verify", dataDir])).exitCode).toBe(10);
});

test.each<readonly [string, string]>([
  ["", "SELECT 1"],
  [", and the seals were removed", "DELETE FROM installation WHERE name GLOB 'head/*'"],
])("the same after a clean stop%s, and the command accepts it without a server", async (_, sql) => {
  change((database) => {
    appendForged(database, "memory.read", {});
    if (sql.startsWith("SELECT")) return;
    database.exec(sql);
  });
  const server = await serve(dataDir);
  expect([await create(server), await ready(server)]).toEqual([503, refused]);
  await server.end("SIGTERM");
  expect((await run(["audit", "accept", "--yes", "--data-dir", dataDir])).stdout).toContain("accepted up to");
  const again = await run(["audit", "accept", "--yes", "--data-dir", dataDir]);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("Nothing to accept")]);
});

test("records that were removed after the newest checkpoint are noticed", async () => {
  const server = await serve(dataDir);
  expect(await create(server)).toBe(201);
  await run(["audit", "checkpoint", "--data-dir", dataDir]);
  for (let at = 0; at < 2; at++) expect(await create(server)).toBe(201);
  await server.end("SIGKILL");
  change((database) => {
    const covered = "(SELECT MAX(size) FROM audit_checkpoint WHERE chain = 2)";
    const later = `SELECT number FROM audit_entry WHERE chain = 2 AND seq > ${covered}`;
    database.exec(`DELETE FROM audit_payload WHERE entry IN (${later})`);
    database.exec(`DELETE FROM audit_entry WHERE number IN (${later})`);
  });
  const restarted = await serve(dataDir);
  expect([await create(restarted), await ready(restarted)]).toEqual([503, refused]);
  await restarted.end("SIGTERM");
});
