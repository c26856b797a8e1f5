// What `memledger doctor` finds in a ledger that somebody changed, and what it says that it did not look at.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gatherEvidence } from "../../src/cli/audit/evidence.ts";
import { verifyRecentRecords } from "../../src/engines/sqlite/verify/recent-records.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

/** A data directory with some records whose server has ended; each test changes a copy of it. */
const original = join(createFolder(), "data");
const server = await serve(original);
for (const content of ["one", "two", "three", "four"]) {
  await createFact(server.url, server.ready.api_key, content);
}
await server.end("SIGTERM");

function copy(): string {
  const dataDir = join(createFolder(), "data");
  cpSync(original, dataDir, { recursive: true, preserveTimestamps: true });
  chmodSync(dataDir, 0o700);
  return dataDir;
}

/** Findings by their check. */
async function diagnose(dataDir: string, words: readonly string[] = []) {
  const { exitCode, object } = await runJson(["doctor", "--data-dir", dataDir, ...words]);
  const checks = Array.isArray(object.checks) ? object.checks.filter(isObject) : [];
  const failed = checks.filter(({ ok }) => ok !== true);
  expect(exitCode).toBe(failed.length === 0 ? 0 : 1);
  return {
    ok: object.ok,
    notChecked: JSON.stringify(object.not_checked),
    failed: failed.map(({ check, message }): [string, string] => [String(check), String(message)]),
    of: (name: string): JsonObject => checks.find(({ check }) => check === name) ?? {},
  };
}

test("a scheduled backup that has failed is the last thing that its finding says, because it may end with a command", async () => {
  const dataDir = copy();
  const folder = join(createFolder(), "unmounted", "backups");
  const failing = await serve(dataDir, ["--backup-dir", folder]);
  while (!existsSync(join(dataDir, "memledger.backup"))) await Bun.sleep(20);
  await failing.end("SIGTERM");
  const { failed } = await diagnose(dataDir);
  expect(failed).toEqual([
    [
      "backups",
      expect.stringMatching(
        /^A scheduled backup failed at .+, and is tried again; none was made\. The cause: .+ mkdir -p -m 700 \S+$/,
      ),
    ],
  ]);
});

/** Changes the database as somebody with the sqlite3 shell would. */
function edit(dataDir: string, ...statements: readonly string[]): void {
  const database = new Database(join(dataDir, "memledger.db"));
  for (const statement of statements) database.run(statement);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Statements that go round the triggers which keep entries as they are, and put them back. */
function pastTriggers(dataDir: string, ...statements: readonly string[]): string[] {
  const database = new Database(join(dataDir, "memledger.db"), { readonly: true });
  const triggers = database
    .query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_entry'")
    .all()
    .filter(isObject);
  database.close();
  expect(triggers.length).toBeGreaterThan(0);
  return [
    ...triggers.map(({ name }) => `DROP TRIGGER ${name}`),
    ...statements,
    ...triggers.map(({ sql }) => String(sql)),
  ];
}

test("a ledger that nobody changed is healthy, is not changed by the look, and the rest is named", async () => {
  const dataDir = copy();
  const files = () =>
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/-(wal|shm)$/.test(entry.name))
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString("base64")]);
  const before = files();
  const { ok, failed, of, notChecked } = await diagnose(dataDir);
  expect([ok, failed]).toEqual([true, []]);
  expect(of("audit records").message).toMatch(/^all \d+ records of 2 chains verified$/);
  expect(of("checkpoints").message).toMatch(/matches the database$/);
  expect(of("audit key").ok).toBe(true);
  expect(notChecked).toContain("--checkpoint FILE");
  expect(files()).toEqual(before);
});

describe("it finds", () => {
  test("an entry that was edited", async () => {
    const dataDir = copy();
    edit(
      dataDir,
      ...pastTriggers(
        dataDir,
        `UPDATE audit_entry SET status = 200 WHERE number = (SELECT MAX(number) FROM audit_entry)`,
      ),
    );
    const { failed } = await diagnose(dataDir);
    expect(failed).toEqual([
      [
        "audit records",
        expect.stringMatching(/^Record \d+ of chain \w+ failed the check "columns".*memledger audit verify/),
      ],
    ]);
  });

  test("entries that were cut off", async () => {
    const dataDir = copy();
    const last = "number = (SELECT MAX(number) FROM audit_entry)";
    const payload = "DELETE FROM audit_payload WHERE entry = (SELECT MAX(number) FROM audit_entry)";
    edit(dataDir, ...pastTriggers(dataDir, payload, `DELETE FROM audit_entry WHERE ${last}`));
    const { failed } = await diagnose(dataDir);
    expect(failed.map(([check]) => check)).toEqual(["audit records", "checkpoints"]);
    expect(failed[1]?.[1]).toContain("does not match its checkpoints");
  });

  test("an index that was dropped", async () => {
    const dataDir = copy();
    const database = new Database(join(dataDir, "memledger.db"), { readonly: true });
    const index = database
      .query(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'audit_entry' AND sql IS NOT NULL",
      )
      .get();
    database.close();
    if (!isObject(index)) throw new Error("there is no such index");
    edit(dataDir, `DROP INDEX ${index.name}`);
    const { failed, notChecked } = await diagnose(dataDir);
    expect(failed).toContainEqual([
      "database",
      expect.stringContaining(`the index ${index.name} is missing`),
    ]);
    expect(notChecked).toContain("the ledger");
  });

  test("a trigger that was added", async () => {
    const dataDir = copy();
    edit(dataDir, "CREATE TRIGGER extra AFTER INSERT ON memory BEGIN DELETE FROM memory; END");
    const { failed } = await diagnose(dataDir);
    expect(failed).toContainEqual(["database", expect.stringContaining("the trigger extra is not part of")]);
  });

  test("a database that was replaced by an older copy", async () => {
    const dataDir = copy();
    const older = join(createFolder(), "memledger.db");
    copyFileSync(join(dataDir, "memledger.db"), older);
    const next = await serve(dataDir);
    await createFact(next.url, server.ready.api_key, "five");
    await next.end("SIGTERM");
    copyFileSync(older, join(dataDir, "memledger.db"));
    for (const suffix of ["-wal", "-shm"]) rmSync(join(dataDir, `memledger.db${suffix}`), { force: true });
    const { failed } = await diagnose(dataDir);
    expect(failed.map(([check]) => check)).toEqual(["audit records", "checkpoints"]);
    expect(failed[1]?.[1]).toContain("--restored-backup");
  });

  test("a missing signing key, another one, and one that others can read", async () => {
    const dataDir = copy();
    const key = join(dataDir, "audit.key");
    chmodSync(key, 0o644);
    expect((await diagnose(dataDir)).failed).toEqual([["audit key", expect.stringContaining("chmod 600")]]);
    const other = join(createFolder(), "data");
    await (await serve(other)).end("SIGTERM");
    copyFileSync(join(other, "audit.key"), key);
    chmodSync(key, 0o600);
    expect((await diagnose(dataDir)).failed).toEqual([
      ["audit key", expect.stringContaining("is not the key that signs this ledger")],
    ]);
    rmSync(key);
    expect((await diagnose(dataDir)).failed).toEqual([
      [
        "audit key",
        expect.stringMatching(/cannot be read: it does not exist\. Restore it .+ --former-key-lost/),
      ],
    ]);
    expect(existsSync(key)).toBe(false);
    const kept = await diagnose(dataDir, ["--audit-key", join(original, "audit.key")]);
    expect(kept.failed).toEqual([]);
  });

  test("a missing public key, without which no signature can be checked", async () => {
    const dataDir = copy();
    rmSync(join(dataDir, "audit.pub"));
    expect((await diagnose(dataDir)).failed).toEqual([
      ["audit records", expect.stringContaining("audit.pub is missing")],
      ["checkpoints", expect.stringContaining("audit.pub is missing")],
    ]);
  });

  test("a database that is lost", async () => {
    const dataDir = copy();
    rmSync(join(dataDir, "memledger.db"));
    const { failed } = await diagnose(dataDir);
    expect(failed.map(([check]) => check)).toEqual(["database"]);
    expect(failed[0]?.[1]).toContain("--new-installation");
    expect(existsSync(join(dataDir, "memledger.db"))).toBe(false);
  });

  test("a newest record that is later than the clock", async () => {
    const app = await startTestApp();
    try {
      const { dataDir } = app.config;
      expect((await diagnose(dataDir)).of("clock").ok).toBe(true);
      app.passTime(3_600_000);
      await app.call("GET", "/v1/memories");
      expect((await diagnose(dataDir)).failed).toEqual([
        ["clock", expect.stringContaining("Correct the clock")],
      ]);
    } finally {
      await app.stop();
    }
  });
});

const longest = "(SELECT chain FROM audit_entry GROUP BY chain ORDER BY COUNT(*) DESC LIMIT 1)";

test("older records than the newest ones of each chain are left out and counted", () => {
  const dataDir = copy();
  const path = join(dataDir, "memledger.db");
  const evidence = gatherEvidence({ kind: "database", path }, { publicKey: null, checkpoints: [] });
  if (evidence.reader === null) throw new Error("there is no key");
  const options = { ...evidence, path, reader: evidence.reader, recordsPerChain: 2 };
  const good = verifyRecentRecords(options);
  expect(good.report).toMatchObject({ failure: null, contradiction: null, records: 4 });
  const all = verifyRecentRecords({ ...options, recordsPerChain: 1_000 });
  expect(all.report.records).toBe(4 + good.olderRecords);
  expect(good.olderRecords).toBeGreaterThan(0);

  edit(
    dataDir,
    ...pastTriggers(dataDir, `UPDATE audit_entry SET status = 500 WHERE seq = 1 AND chain = ${longest}`),
  );
  expect(verifyRecentRecords(options).report.failure).toBeNull();
  expect(verifyRecentRecords({ ...options, recordsPerChain: 1_000 }).report.failure).toMatchObject({
    seq: 1,
  });
});

test("upstreams of the gateway are connected to and sent nothing, and one that is away is no fault", async () => {
  const dataDir = copy();
  const received: number[] = [];
  let connections = 0;
  using upstream = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: () => {
        connections++;
      },
      data: (_, bytes) => void received.push(...bytes),
    },
  });
  const closed = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  closed.stop(true);
  const table = (name: string, port: number) =>
    `[[gateway.upstreams]]\nname = "${name}"\nbase-url = "http://127.0.0.1:${port}/v1"\napi-key = "sk-1"\n`;
  writeFileSync(join(dataDir, "memledger.toml"), table("here", upstream.port) + table("away", closed.port));
  const { ok, of } = await diagnose(dataDir);
  expect([ok, of("gateway").ok]).toEqual([true, true]);
  expect(of("gateway").message).toBe(
    `here accepts connections; warning: away accepts no connection at 127.0.0.1:${closed.port} (ECONNREFUSED); start it, or correct its base-url`,
  );
  expect([connections, received]).toEqual([1, []]);
});

test("people are told what was not checked", async () => {
  const dataDir = copy();
  const { stdout } = await run(["doctor", "--data-dir", dataDir]);
  expect(stdout).toMatch(/\nNot checked:\n- .*audit verify/);
  const ofSearches =
    "- the vectors and the keyword index of searches: stop the server, then memledger doctor --fix";
  expect(stdout).toContain(ofSearches);
  const examined = await run(["doctor", "--fix", "--data-dir", dataDir]);
  expect(examined.stdout).toMatch(/\nNot checked:\n/);
  expect(examined.stdout).not.toContain(ofSearches);
});
