// Starts the server on data directories that somebody has damaged, mixed up or filled with special files. Each is refused with one
// sentence that says what to do, with its exit code, and no byte changes. DATA-DIRECTORY.md lists the messages: no more, no fewer.
// environment.slow.test.ts has directories that cannot be used at all, other users, and file systems.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { takeLock } from "../../src/engines/sqlite/database-file/lock.ts";
import { applicationId, formatVersion } from "../../src/engines/sqlite/schema/migrate.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { whyNoTrace } from "../crash/record.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, run, spawn } from "./command.ts";

interface Case {
  readonly what: string;
  /** Changes a copy of a good directory; the result is undone afterwards. */
  damage(dataDir: string): undefined | (() => void);
  /** A row of the table in DATA-DIRECTORY.md. */
  readonly message: string;
  readonly exitCode: number;
  /** Words before the command. */
  wrapper?(dataDir: string): readonly string[];
}

const database = (dataDir: string) => join(dataDir, "memledger.db");
const replace = (name: string, by: (path: string) => void) => (dataDir: string) => {
  rmSync(join(dataDir, name), { recursive: true, force: true });
  by(join(dataDir, name));
  return undefined;
};
const pipe = (path: string) => void Bun.spawnSync(["mkfifo", path]);
const linkTo = (target: string) => (path: string) => symlinkSync(target, path);
const emptyFile = (path: string) => writeFileSync(path, "", { mode: 0o600 });
const cut = (bytes: number) => (dataDir: string) => {
  truncateSync(database(dataDir), bytes);
  return undefined;
};
/** As another program would leave it: with its tables, or with a log that was not copied back yet. Nothing of ours is beside it. */
const foreign = (header: { id: number; version: number }, isRunning: boolean) => (dataDir: string) => {
  const path = database(dataDir);
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
  const made = join(createFolder(), "memledger.db");
  const opened = new Database(made, { create: true });
  if (isRunning) opened.run("PRAGMA journal_mode = WAL");
  opened.run(`PRAGMA application_id = ${header.id}`);
  opened.run("CREATE TABLE recipe (name TEXT)");
  opened.run("INSERT INTO recipe VALUES ('bread')");
  opened.run(`PRAGMA user_version = ${header.version}`);
  for (const suffix of isRunning ? ["", "-wal"] : [""]) copyFileSync(made + suffix, path + suffix);
  opened.close();
  return undefined;
};
const change = (sql: string) => (dataDir: string) => {
  const opened = new Database(database(dataDir));
  opened.run(sql);
  opened.run("PRAGMA wal_checkpoint(TRUNCATE)");
  opened.close();
  for (const suffix of ["-wal", "-shm"]) rmSync(database(dataDir) + suffix, { force: true });
  return undefined;
};

const special = "PATH cannot be used: it is a pipe, a socket or a device, not a KIND.";
const dangling = "PATH cannot be used: it is a symbolic link to a KIND that does not exist.";
const damaged =
  "The database in PATH cannot be used: the database file is damaged, or the disk cannot read it.";
const notOurs = "PATH is not a memledger database.";
const inUse = "The data directory PATH is in use by another memledger process.";
const otherFile = "PATH is not a regular file.";

/** Some network file systems refuse locks, with one of two errors. */
function withoutLocks(): readonly Case[] {
  const refuse = (error: string) => (dataDir: string) => [
    ...["strace", "-f", "-o", "/dev/null", "-P", locate(dataDir).lock, "-e", "trace=fcntl"],
    ...["-e", `inject=fcntl:error=${error}`],
  ];
  return [
    {
      what: "a file system that supports no locks",
      damage: () => undefined,
      wrapper: refuse("EOPNOTSUPP"),
      message: "PATH cannot be locked: CAUSE.",
      exitCode: 1,
    },
    {
      what: "a network file system without its lock service",
      damage: () => undefined,
      wrapper: refuse("ENOLCK"),
      message: inUse,
      exitCode: 3,
    },
  ];
}

const inPlaceOfFiles = ["memledger.lock", "audit.key", "audit.pub", "audit.rotations", "memledger.log"];
const cases: readonly Case[] = [
  ...inPlaceOfFiles.map((name) => ({
    what: `a pipe named ${name}`,
    damage: replace(name, pipe),
    message: special,
    exitCode: 1,
  })),
  { what: "a pipe named memledger.db", damage: replace("memledger.db", pipe), message: special, exitCode: 1 },
  { what: "a pipe named checkpoints", damage: replace("checkpoints", pipe), message: special, exitCode: 1 },
  { what: "a pipe as configuration", damage: replace("memledger.toml", pipe), message: special, exitCode: 2 },
  {
    what: "an endless device as configuration",
    damage: replace("memledger.toml", linkTo("/dev/zero")),
    message: special,
    exitCode: 2,
  },
  {
    what: "an endless device as key",
    damage: replace("audit.key", linkTo("/dev/zero")),
    message: special,
    exitCode: 1,
  },
  ...["memledger.lock", "audit.key", "exports", "runtime"].map((name) => ({
    what: `a link to nothing named ${name}`,
    damage: replace(name, linkTo("/nowhere/at/all")),
    message: dangling,
    exitCode: 1,
  })),
  {
    what: "a link to nothing as configuration",
    damage: replace("memledger.toml", linkTo("/nowhere/at/all")),
    message: dangling,
    exitCode: 2,
  },
  {
    what: "a directory as configuration",
    damage: replace("memledger.toml", (path) => mkdirSync(path)),
    message: "PATH cannot be read: CAUSE.",
    exitCode: 2,
  },
  {
    what: "a file in place of the folder of checkpoints",
    damage: replace("checkpoints", emptyFile),
    message: "PATH cannot be used: it is a file, not a directory.",
    exitCode: 1,
  },
  {
    what: "a link as database",
    damage: (dataDir) => {
      const elsewhere = join(createFolder(), "moved.db");
      copyFileSync(database(dataDir), elsewhere);
      return replace("memledger.db", linkTo(elsewhere))(dataDir);
    },
    message: otherFile,
    exitCode: 1,
  },
  {
    what: "a directory as database",
    damage: replace("memledger.db", mkdirSync),
    message: otherFile,
    exitCode: 1,
  },
  {
    what: "a directory as lock",
    damage: replace("memledger.lock", mkdirSync),
    message: "PATH cannot be locked: CAUSE.",
    exitCode: 1,
  },
  ...[1, 0].map((bytes) => ({
    what: `a database cut to ${bytes} bytes`,
    damage: cut(bytes),
    message: "The database PATH is empty, but CAUSE.",
    exitCode: 1,
  })),
  {
    what: "a missing database",
    damage: replace("memledger.db", () => undefined),
    message: "The database PATH is missing, but CAUSE.",
    exitCode: 1,
  },
  // Inside the header, at the boundaries of a page and of a sector, and near the end.
  ...[50, 100, 4095, 4096, 4097, 40_960, 100_000].map((bytes) => ({
    what: `a database cut to ${bytes} bytes`,
    damage: cut(bytes),
    message: damaged,
    exitCode: 1,
  })),
  ...[
    { what: "no header of ours", id: 0, version: 0 },
    { what: "its own header", id: 7, version: 3 },
    { what: "our application id", id: applicationId, version: 0 },
  ].flatMap(({ what, id, version }) =>
    [false, true].map((isRunning) => ({
      what: `another program's database with ${what}${isRunning ? " and a write-ahead log" : ""}`,
      damage: foreign({ id, version }, isRunning),
      message: notOurs,
      exitCode: 1,
    })),
  ),
  {
    what: "another program's database with our application id and format",
    damage: foreign({ id: applicationId, version: formatVersion }, false),
    message: "The schema of the database was changed: CAUSE.",
    exitCode: 1,
  },
  {
    what: "a database of a newer version",
    damage: change(`PRAGMA user_version = ${formatVersion + 1}`),
    message: "The database has format NUMBER, but this version of memledger supports formats up to NUMBER.",
    exitCode: 1,
  },
  {
    what: "a text in place of the database",
    damage: replace("memledger.db", (path) => writeFileSync(path, "a shopping list\n".repeat(500))),
    message: "The database PATH is damaged: its header is not that of a memledger database, but CAUSE.",
    exitCode: 1,
  },
  {
    what: "an empty key",
    damage: replace("audit.key", emptyFile),
    message: "The audit key PATH is not a valid Ed25519 private key in PEM format.",
    exitCode: 1,
  },
  {
    what: "a configuration that is no TOML",
    damage: replace("memledger.toml", (path) => writeFileSync(path, "port = \n")),
    message: "PATH is not valid TOML at line NUMBER: CAUSE.",
    exitCode: 2,
  },
  {
    what: "a directory that another process has locked",
    damage: (dataDir) => {
      const lock = takeLock(locate(dataDir).lock, prepareRuntime("unused-from-source"));
      return () => lock?.release();
    },
    message: inUse,
    exitCode: 3,
  },
  ...(whyNoTrace() === null ? withoutLocks() : []),
];

interface Result {
  readonly exitCode: number | "no end";
  readonly stderr: string;
  readonly changed: readonly string[];
}

const results = new Map<Case, Result>();
const atOnce = 3;

beforeAll(async () => {
  const good = join(createFolder(), "data");
  const made = await run(["project", "create", "--name", "a", "--data-dir", good]);
  expect(made.exitCode).toBe(0);
  const waiting = [...cases];
  const work = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift())
      results.set(each, await start(each, good));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
});
afterAll(cleanUp);

const endLimitMs = 20_000;

async function start({ damage, wrapper }: Case, good: string): Promise<Result> {
  const dataDir = join(createFolder(), "data");
  cpSync(good, dataDir, { recursive: true });
  const undo = damage(dataDir);
  const before = snapshot(dataDir);
  const words = ["serve", "--port", "0", "--log-level", "error", "--data-dir", dataDir];
  const child = Bun.spawn([...(wrapper?.(dataDir) ?? []), process.execPath, main, ...words], {
    env: { PATH: process.env.PATH ?? "" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, endLimitMs);
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited]);
  clearTimeout(late);
  const after = snapshot(dataDir);
  undo?.();
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => before.get(name) !== after.get(name));
  return { exitCode: isLate ? "no end" : code, stderr, changed };
}

/** Of every entry its kind and its bytes. Readers make an empty log and its index in shared memory, and the lock may be new. */
function snapshot(dataDir: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(dataDir, { recursive: true }).map(String)) {
    const path = join(dataDir, name);
    const info = lstatSync(path);
    if (/-shm$|^memledger\.lock$/.test(name) || (name.endsWith("-wal") && info.size === 0)) continue;
    const content = info.isFile() ? Bun.hash(readFileSync(path)) : "";
    found.set(name, `${info.mode} ${content}`);
  }
  return found;
}

const page = readFileSync(resolve(import.meta.dir, "../../docs/operator/DATA-DIRECTORY.md"), "utf8");
const [, section = ""] = page.split("## Messages\n");
const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| (.+?) \| ([\d, ]+) \| .+ \|$/gm)].map(
  ([, message = "", codes = ""]) => ({ message, codes: codes.split(", ").map(Number) }),
);

/** PATH, KIND, NUMBER and CAUSE are for anything. */
function isMessage(row: string, line: string): boolean {
  const parts = row.replace(/\.$/, "").split(/PATH|KIND|NUMBER|CAUSE/);
  const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".+");
  return new RegExp(`^memledger: ${pattern}`).test(line);
}

describe("a server refuses, with a message and an exit code that are documented, and changes nothing:", () => {
  for (const each of cases) {
    test(each.what, () => {
      const result = results.get(each);
      const [line = "", ...rest] = (result?.stderr ?? "").trim().split("\n");
      expect(rest.filter((other) => !other.startsWith("Run "))).toEqual([]);
      expect(line).toSatisfy((text: string) => isMessage(each.message, text));
      // The cause, and what to do about it.
      expect(line.split(/[.:] [A-Z"]/).length).toBeGreaterThan(1);
      expect(result?.exitCode).toBe(each.exitCode);
      expect(result?.changed).toEqual([]);
      const row = rows.find(({ message }) => message === each.message);
      expect(row?.codes).toContain(each.exitCode);
    });
  }
});

test("every documented message is one of these", () => {
  const known = new Set(cases.map(({ message }) => message));
  expect(rows.map(({ message }) => message).filter((message) => !known.has(message))).toEqual([]);
});

test("a server whose directory is removed says so in its answers, and ends when it is asked to", async () => {
  const dataDir = join(createFolder(), "data");
  const child = spawn(["serve", "--port", "0", "--json", "--log-level", "error", "--data-dir", dataDir]);
  const reader = child.stdout.getReader();
  const ready = JSON.parse(new TextDecoder().decode((await reader.read()).value));
  rmSync(dataDir, { recursive: true });
  const answered = await fetch(`${ready.url}/v1/memories`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ready.api_key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ content: "Nobody keeps this.", memory_type: "fact" }),
  });
  const readiness = await fetch(`${ready.url}/health/ready`);
  expect([answered.status, readiness.status]).toEqual([503, 503]);
  expect(await readiness.text()).toContain("the database file was removed or replaced");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
});
