// Attack: a record of version 2 is appended without the signing key, with everything correct that needs no key. No MAC that an attacker has
// makes it one of the server: it is named, and neither continued nor signed until an administrator has accepted it.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { cpSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSigner } from "../../src/audit/signed-note.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { pythonVerdict } from "../audit/ask-python.ts";
import { appendForged, appendForged2, type MacOf } from "../audit/forge-case.ts";
import { tamper } from "../audit/tamper.ts";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "../cli/command.ts";

setDefaultTimeout(120_000);
afterAll(cleanUp);

/** Of a server that was stopped, and of one that was killed after its newest checkpoint. */
const made = { stopped: createFolder(), killed: createFolder() };
beforeAll(async () => {
  const server = await serve(made.stopped);
  for (const content of ["one", "two", "three"]) await createFact(server.url, server.ready.api_key, content);
  await server.end("SIGTERM");
  cpSync(made.stopped, made.killed, { recursive: true });
  const killed = await serve(made.killed);
  for (const content of ["four", "five"]) await createFact(killed.url, server.ready.api_key, content);
  await killed.end("SIGKILL");
});

function copyOf(folder: string): string {
  const copy = createFolder();
  // The killed server has left its socket.
  cpSync(folder, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  return copy;
}

const newestMac: MacOf = (_, database) =>
  database
    .prepare<[], Uint8Array>("SELECT mac FROM audit_entry WHERE chain = 2 ORDER BY seq DESC LIMIT 1")
    .pluck()
    .get() ?? null;

/** What the holder of the key would write on the chain of the installation. */
const macOfOtherChain =
  (folder: string): MacOf =>
  (hash, database) => {
    const chain = database.prepare("SELECT id FROM audit_chain WHERE number = 1").pluck().get();
    return createSigner(readFileSync(join(folder, "audit.key"), "utf8")).macOf(String(chain))(hash);
  };

const forgeries: [string, keyof typeof made, (database: Database, folder: string) => number][] = [
  ["no MAC", "stopped", (database) => appendForged2(database, () => null)],
  [
    "a random MAC, beyond the checkpoint",
    "killed",
    (database) => appendForged2(database, () => randomBytes(16)),
  ],
  ["the MAC of another record", "stopped", (database) => appendForged2(database, newestMac)],
  [
    "a MAC of another chain, beyond the checkpoint",
    "killed",
    (database, folder) => appendForged2(database, macOfOtherChain(folder)),
  ],
];

const checkpoint = (dataDir: string) =>
  run(["audit", "checkpoint", "--project", "default", "--data-dir", dataDir]);

test.each(forgeries)("a record with %s", async (_, from, forge) => {
  const dataDir = copyOf(made[from]);
  let forged = 0;
  tamper(join(dataDir, "memledger.db"), (database) => {
    forged = forge(database, dataDir);
  });
  const refused = await checkpoint(dataDir);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(`(record ${forged}: `)]);
  const rotation = await run(["audit", "rotate-key", "--yes", "--data-dir", dataDir]);
  expect([rotation.exitCode, rotation.stderr]).toEqual([
    1,
    expect.stringContaining("The key was not changed"),
  ]);
  const accepted = await runJson(["audit", "accept", "--yes", "--data-dir", dataDir]);
  expect(accepted.object.chains).toEqual([expect.objectContaining({ newest: forged })]);
  const kept = await checkpoint(dataDir);
  expect([kept.exitCode, kept.stdout]).toEqual([0, expect.stringContaining(`/2\n${forged + 1}\n`)]);
  expect((await runJson(["audit", "verify", dataDir])).object.failure).toBeNull();
  expect(pythonVerdict(join(dataDir, "memledger.db")) ?? "unattested").toBe("unattested");
  expect((await run(["audit", "rotate-key", "--yes", "--data-dir", dataDir])).exitCode).toBe(0);
  expect((await checkpoint(dataDir)).exitCode).toBe(0);
  expect(pythonVerdict(join(dataDir, "memledger.db")) ?? "unattested").toBe("unattested");
});

test("an own record that is moved to the end, and a record of version 1, are no records of the server", async () => {
  const moved = copyOf(made.stopped);
  tamper(join(moved, "memledger.db"), (database) =>
    database.exec(
      `INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash, mac)
       SELECT 2, (SELECT MAX(seq) + 1 FROM audit_entry WHERE chain = 2), hex(randomblob(16)), at, action, status, entry, hash, mac
       FROM audit_entry WHERE chain = 2 AND seq = 2`,
    ),
  );
  expect((await checkpoint(moved)).stderr).toContain(": the key in use does not confirm it)");
  const former = copyOf(made.stopped);
  let forged = 0;
  tamper(join(former, "memledger.db"), (database) => {
    forged = appendForged(database, "memory.read", {});
  });
  expect((await checkpoint(former)).stderr).toContain(
    `(record ${forged}: the key in use does not confirm it)`,
  );
});

test("a record that was changed after the newest checkpoint is found although the head is that of the server", async () => {
  const dataDir = copyOf(made.killed);
  let changed = 0;
  tamper(join(dataDir, "memledger.db"), (database) => {
    changed = Number(database.prepare("SELECT MAX(seq) - 1 FROM audit_entry WHERE chain = 2").pluck().get());
    database
      .prepare(
        "UPDATE audit_entry SET entry = replace(entry, '\"status\":201', '\"status\":200') WHERE chain = 2 AND seq = ?",
      )
      .run(changed);
  });
  expect((await checkpoint(dataDir)).stderr).toContain(
    `(record ${changed}: the key in use does not confirm it)`,
  );
});

test("a record that was appended before the first start of this release keeps its chain from being migrated, until it is accepted", async () => {
  const dataDir = copyOf(join(import.meta.dir, "../engines/sqlite/formats/format-7"));
  let forged = 0;
  tamper(join(dataDir, "memledger.db"), (database) => {
    forged = appendForged(database, "memory.read", {});
  });
  const trees = () => {
    let found: unknown[] = [];
    tamper(join(dataDir, "memledger.db"), (database) => {
      found = database.prepare("SELECT tree IS NOT NULL FROM audit_chain ORDER BY number").pluck().all();
    });
    return found.slice(0, 2);
  };
  const sign = () => run(["audit", "checkpoint", "--data-dir", dataDir]);
  expect((await sign()).stderr).toContain(`(record ${forged}: `);
  expect(trees()).toEqual([1, 0]);
  const accepted = await runJson(["audit", "accept", "--yes", "--data-dir", dataDir]);
  expect(accepted.object.chains).toEqual([expect.objectContaining({ newest: forged })]);
  expect(trees()).toEqual([1, 1]);
  expect((await sign()).stdout).toContain(`/2\n${forged + 1}\n`);
  expect((await runJson(["audit", "verify", dataDir])).object.failure).toBeNull();
  expect(pythonVerdict(join(dataDir, "memledger.db")) ?? "unattested").toBe("unattested");
});
