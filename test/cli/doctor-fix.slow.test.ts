// Damages copies of a real data directory in every way that doctor --fix repairs, alone and together, and in ways that it must not touch. What
// it does not name must stay the same, byte for byte.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { defineWords } from "../../src/engines/sqlite/words/words.ts";
import { type Database, loadVec, openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "../calls/storage/seam.ts";
import { call, cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const made = join(createFolder(), "made");
let key: unknown;

beforeAll(async () => {
  const server = await serve(made);
  key = server.ready.api_key;
  const memories = ["Deploys happen on Thursdays.", "The office is in Porto.", "Tea in the morning."].map(
    (content) => ({ content, memory_type: "fact" }),
  );
  const body = JSON.stringify({ memories });
  const created = await call(server.url, key, "/v1/memories/batch", { method: "POST", body });
  expect(created.status).toBe(200);
  await server.end("SIGTERM");
});

interface Damage {
  readonly name: string;
  make(dataDir: string): void;
  /** A line that says what would be repaired. */
  readonly plan: RegExp;
  /** Whether the database is changed. */
  readonly isDatabase?: boolean;
}

const damages: readonly Damage[] = [
  {
    name: "an embedding without a memory",
    make: (dataDir) =>
      change(dataDir, (database) =>
        database.exec("INSERT INTO memory_vector SELECT 999, embedding FROM memory_vector LIMIT 1"),
      ),
    plan: /^- Delete 1 embedding without a memory\.$/m,
    isDatabase: true,
  },
  {
    name: "a memory without an embedding",
    make: (dataDir) =>
      change(dataDir, (database) => database.exec("DELETE FROM memory_vector WHERE memory = 1")),
    plan: /^- Embed 1 memory without an embedding\.$/m,
    isDatabase: true,
  },
  {
    name: "words that no memory has",
    make: (dataDir) =>
      change(dataDir, (database) =>
        database.exec("INSERT INTO memory_word (rowid, words) VALUES ((1 << 40) + 77, 'ghost')"),
      ),
    plan: /^- Make the keyword index again, which is wrong for 1 memory\.$/m,
    isDatabase: true,
  },
  {
    name: "an empty keyword index",
    make: (dataDir) =>
      change(dataDir, (database) =>
        database.exec("INSERT INTO memory_word (memory_word) VALUES ('delete-all')"),
      ),
    plan: /^- Make the keyword index again, which is wrong for 3 memories\.$/m,
    isDatabase: true,
  },
  {
    name: "a directory that others can read",
    make: (dataDir) => chmodSync(dataDir, 0o755),
    plan: /^- Restrict .*: it is accessible to other users\.$/m,
  },
  {
    name: "a key that others can read",
    make: (dataDir) => chmodSync(join(dataDir, "audit.key"), 0o644),
    plan: /^- Restrict .*audit\.key: it is accessible to other users\.$/m,
  },
  {
    name: "temporary files",
    make(dataDir) {
      writeFileSync(join(dataDir, "audit.pub.4711.tmp"), "half");
      writeFileSync(join(dataDir, "checkpoints", "x.notes.4711.tmp"), "half");
    },
    plan: /^- Remove .*audit\.pub\.4711\.tmp: a process that was ended left it\.$/m,
  },
  {
    name: "a socket and a mark of a start",
    make(dataDir) {
      writeFileSync(join(dataDir, "memledger.sock"), "");
      writeFileSync(join(dataDir, "memledger.starting"), "999999999\n");
    },
    plan: /^- Remove .*memledger\.starting: a process that was ended left it\.$/m,
  },
  {
    name: "an export that the database does not know",
    make: (dataDir) => writeFileSync(join(dataDir, "exports", `${"0".repeat(32)}.csv`), "a,b\n"),
    plan: /^- Remove .*\.csv: the database has no such export\.$/m,
  },
  {
    name: "a copy of a model that is not used",
    make: (dataDir) => mkdirSync(join(dataDir, "models", "f".repeat(64)), { recursive: true }),
    plan: /^- Remove .*models.*: it is the copy of a model that is not used\.$/m,
  },
];

test("a directory without damage has nothing to repair", async () => {
  const dataDir = copy();
  const before = filesOf(dataDir);
  const { exitCode, stdout } = await run(["doctor", "--fix", "--apply", "--data-dir", dataDir]);
  expect([exitCode, stdout.split("\n")[0]]).toEqual([0, "Nothing was repaired."]);
  const listed = await run(["doctor", "--fix", "--data-dir", dataDir]);
  expect([listed.exitCode, listed.stdout.split("\n")[0]]).toEqual([0, "Nothing to repair."]);
  expect(filesOf(dataDir)).toEqual(before);
});

describe.each([
  ...damages.map((damage) => [damage.name, [damage]] as const),
  ["everything together", damages] as const,
])("%s", (name, broken) => {
  test("is listed, repaired once, and nothing else is changed", async () => {
    const dataDir = copy();
    // An empty index and an index with foreign words are one damage.
    const chosen = broken.filter((each) => broken.length === 1 || each.name !== "words that no memory has");
    for (const damage of chosen) damage.make(dataDir);
    const damaged = filesOf(dataDir);
    const dry = await run(["doctor", "--fix", "--data-dir", dataDir]);
    for (const { plan } of chosen) expect(dry.stdout).toMatch(plan);
    expect(dry.stdout).toContain("Nothing was changed. To repair this, add --apply.");
    expect(filesOf(dataDir)).toEqual(damaged);

    const applied = await run(["doctor", "--fix", "--apply", "--data-dir", dataDir]);
    expect(applied.stdout).toStartWith("Repaired:\n");
    expect(applied.exitCode).toBe(0);
    const again = await runJson(["doctor", "--fix", "--data-dir", dataDir]);
    expect(again.object).toMatchObject({
      ok: true,
      fix: { files: [], database: { orphanVectors: 0, missingVectors: 0, wrongWords: 0 } },
    });
    const isDatabase = chosen.some((damage) => damage.isDatabase === true);
    expect(contentsOf(dataDir)).toEqual(contentsOf(made));
    expect(fixesIn(dataDir)).toBe(isDatabase ? 1 : 0);
    const unchanged = (files: Record<string, string>) =>
      Object.entries(files).filter(([path]) => !isDatabase || !/^(memledger\.db|checkpoints)/.test(path));
    expect(unchanged(filesOf(dataDir))).toEqual(unchanged(filesOf(made)));
    if (name === "everything together") await expectSearches(dataDir);
  });
});

test("a damaged database is not touched, and its backup is asked for", async () => {
  const dataDir = copy();
  change(dataDir, (database) => database.exec("DELETE FROM memory_vector WHERE memory = 1"));
  const path = join(dataDir, "memledger.db");
  const bytes = readFileSync(path);
  // The pages of a table in the middle of the file.
  bytes.fill(0xff, 4096 * 20, 4096 * 26);
  writeFileSync(path, bytes);
  writeFileSync(join(dataDir, "audit.pub.4711.tmp"), "half");
  const { exitCode, stdout } = await run(["doctor", "--fix", "--apply", "--data-dir", dataDir]);
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toMatch(/The database was not examined: it is damaged; restore the last backup\./);
  expect(stdout).toMatch(/^- Removed .*audit\.pub\.4711\.tmp/m);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("a database of a newer version is not called damaged", async () => {
  const dataDir = copy();
  change(dataDir, (database) => database.pragma("user_version = 999"));
  const { exitCode, stdout } = await run(["doctor", "--fix", "--apply", "--data-dir", dataDir]);
  expect(exitCode).toBe(exitCodes.failed);
  // The first line: what was not examined may need a repair.
  expect(stdout).toMatch(/^The database was not examined: The database has format 999, .* newer version/);
  const listed = await run(["doctor", "--fix", "--data-dir", dataDir]);
  expect(listed.stdout).toStartWith("The database was not examined: ");
  expect(stdout).not.toContain("backup. The database");
});

test("files of the user, and those that a running process is writing, stay", async () => {
  const dataDir = copy();
  const own = join(dataDir, "models", "my-model");
  mkdirSync(own, { recursive: true });
  const paths = [
    join(own, "config.json"),
    join(dataDir, "drawing.2024.tmp"),
    join(dataDir, "models", `${"f".repeat(64)}.${process.pid}.tmp`),
    join(dataDir, `audit.pub.${process.pid}.tmp`),
    join(dataDir, `memledger.starting-${process.pid}`),
  ];
  for (const path of paths) writeFileSync(path, "content");
  const { stdout } = await run(["doctor", "--fix", "--apply", "--data-dir", dataDir]);
  expect(stdout).toStartWith("Nothing was repaired.");
  for (const path of paths) expect(readFileSync(path, "utf8")).toBe("content");
});

test("a running server keeps its directory", async () => {
  const dataDir = copy();
  const server = await serve(dataDir);
  expect((await run(["doctor", "--fix", "--data-dir", dataDir])).exitCode).toBe(exitCodes.inUse);
  await server.end("SIGTERM");
  expect((await run(["doctor", "--apply", "--data-dir", dataDir])).exitCode).not.toBe(exitCodes.done);
});

function copy(): string {
  const dataDir = join(createFolder(), "data");
  cpSync(made, dataDir, { recursive: true });
  chmodSync(dataDir, 0o700);
  return dataDir;
}

function change(dataDir: string, work: (database: Database) => void): void {
  const database = openDatabase(join(dataDir, "memledger.db"), runtime);
  loadVec(database, runtime);
  defineWords(database);
  database.pragma("foreign_keys = OFF");
  work(database);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Mode and hash of each file, without those that every connection touches. */
function filesOf(dataDir: string): Record<string, string> {
  const names = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).toSorted();
  const counted = names.filter((name) => !/^(memledger\.(lock|db-shm|db-wal)|runtime|models$)/.test(name));
  const facts = [".", ...counted].map((name): [string, string] => {
    const path = join(dataDir, name);
    const info = statSync(path);
    const hash = info.isDirectory() ? "folder" : Bun.hash(readFileSync(path)).toString(16);
    return [name, `${(info.mode & 0o777).toString(8)} ${hash}`];
  });
  return Object.fromEntries(facts);
}

/** The rows of everything but the ledger. */
function contentsOf(dataDir: string): unknown {
  const database = openDatabase(join(dataDir, "memledger.db"), runtime, { readonly: true });
  try {
    const tables = ["project", "api_key", "pool", "memory", "memory_tag", "memory_vector"];
    // A repair appends a record, so the seal of the newest one changes.
    const rest = "SELECT * FROM installation WHERE name NOT GLOB 'head/*' ORDER BY name";
    const queries = [...tables.map((table) => `SELECT * FROM ${table} ORDER BY 1, 2`), rest];
    return queries.map((query) => database.prepare(query).all());
  } finally {
    database.close();
  }
}

function fixesIn(dataDir: string): number {
  const database = openDatabase(join(dataDir, "memledger.db"), runtime, { readonly: true });
  try {
    const sql = "SELECT COUNT(*) FROM audit_entry WHERE action = 'doctor.fix' AND status = 200";
    return Number(database.prepare(sql).pluck().get());
  } finally {
    database.close();
  }
}

async function expectSearches(dataDir: string): Promise<void> {
  const server = await serve(dataDir);
  const body = JSON.stringify({ query: "Porto office", mode: "hybrid", top_k: 1 });
  const found = await call(server.url, key, "/v1/memories/search", { method: "POST", body });
  expect(await found.text()).toContain('"content":"The office is in Porto."');
  await server.end("SIGTERM");
}
