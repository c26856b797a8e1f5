// Proves that a ledger which is lost, or replaced by an older copy of itself, is never continued without a word, and that an operator
// who means it can go on.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonVerdict } from "../audit/ask-python.ts";
import { changeDatabase, idOf, requestsOf } from "./change-database.ts";
import { cleanUp, createFact, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

/** A data directory of a server that was stopped normally, so its checkpoints cover everything. */
const made = createFolder();
/** The same before its last call. */
const older = createFolder();
const elsewhere = createFolder();
const kept = join(elsewhere, "kept.note");
let apiKey: unknown;
beforeAll(async () => {
  const first = await serve(made);
  apiKey = first.ready.api_key;
  await createFact(first.url, apiKey, "The first fact.");
  await first.end("SIGTERM");
  cpSync(made, older, { recursive: true });
  const second = await serve(made);
  await createFact(second.url, apiKey, "The second fact.");
  writeFileSync(kept, (await run(["audit", "checkpoint", "--data-dir", made])).stdout);
  await second.end("SIGTERM");
});

function copyOf(folder: string): string {
  const copy = createFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** The checkpoint with the most records: one leaf of the tree is its statement. */
function largestNoteOf(folder: string): { chain: string; records: number } {
  const notes = readdirSync(join(folder, "checkpoints")).toSorted();
  const ends = notes.map((name) => {
    const text = readFileSync(join(folder, "checkpoints", name), "utf8");
    const [, chain = "", leaves] = [...text.matchAll(/^memledger\/(\w{32})\/2\n(\d+)\n/gm)].at(-1) ?? [];
    return { chain, records: Number(leaves) - 1 };
  });
  return ends.reduce((one, other) => (other.records > one.records ? other : one));
}

/** Without what SQLite and the lock leave. */
function namesIn(dataDir: string): string[] {
  return readdirSync(dataDir)
    .filter((name) => !/-(wal|shm)$|\.lock$/.test(name))
    .toSorted();
}

const start = (dataDir: string, ...words: string[]) =>
  run(["serve", "--port", "0", "--log-level", "warn", "--data-dir", dataDir, ...words]);

const losses: [string, (dataDir: string) => void][] = [
  ["missing", (dataDir) => rmSync(join(dataDir, "memledger.db"))],
  ["empty", (dataDir) => truncateSync(join(dataDir, "memledger.db"))],
  [
    "without tables",
    (dataDir) => {
      rmSync(join(dataDir, "memledger.db"));
      changeDatabase(dataDir, "CREATE TABLE x (y)", "DROP TABLE x");
    },
  ],
  [
    "missing, its write-ahead log alone being left",
    (dataDir) => {
      for (const name of ["memledger.db", "checkpoints", "audit.pub"])
        rmSync(join(dataDir, name), { recursive: true });
      writeFileSync(join(dataDir, "memledger.db-wal"), "pages");
    },
  ],
  [
    "missing, with its checkpoints",
    (dataDir) => {
      for (const name of ["memledger.db", "checkpoints"]) rmSync(join(dataDir, name), { recursive: true });
    },
  ],
];

describe.each(losses)("a database that is %s", (_, lose) => {
  test("is not replaced by an empty one", async () => {
    const dataDir = copyOf(made);
    lose(dataDir);
    const before = namesIn(dataDir);
    const refused = await start(dataDir);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toStartWith(`memledger: The database ${join(dataDir, "memledger.db")} is `);
    expect(refused.stderr).toContain("backup");
    expect(refused.stderr).toContain(`memledger serve --new-installation --data-dir ${dataDir}`);
    if (existsSync(join(dataDir, "checkpoints"))) {
      const { chain, records } = largestNoteOf(dataDir);
      expect(refused.stderr).toContain(`chain ${chain} had ${records} records`);
      expect(refused.stderr).toContain("1 more chain)");
    }
    for (const words of [["project", "create", "--name", "x"], ["project", "list"], ["reembed"]]) {
      const command = await run([...words, "--data-dir", dataDir]);
      expect([command.exitCode, command.stderr]).toEqual([1, refused.stderr]);
    }
    expect(namesIn(dataDir)).toEqual(before);
  });
});

describe("--new-installation", () => {
  test("begins anew and keeps everything of the previous one", async () => {
    const dataDir = copyOf(made);
    rmSync(join(dataDir, "memledger.db"));
    const server = await serve(dataDir, ["--new-installation"]);
    expect(server.ready.api_key).toBeString();
    const { exitCode, stderr } = await server.end("SIGTERM");
    const [former = ""] = readdirSync(dataDir).filter((name) => name.startsWith("former-"));
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(join(dataDir, former))]);
    for (const name of ["audit.key", "audit.pub"]) {
      expect(readFileSync(join(dataDir, former, name))).toEqual(readFileSync(join(made, name)));
      expect(readFileSync(join(dataDir, name))).not.toEqual(readFileSync(join(made, name)));
    }
    for (const name of readdirSync(join(made, "checkpoints"))) {
      const note = readFileSync(join(made, "checkpoints", name));
      expect(readFileSync(join(dataDir, former, "checkpoints", name))).toEqual(note);
      expect(existsSync(join(dataDir, "checkpoints", name))).toBe(false);
    }
    // The database that was lost is found again: it verifies in the folder of what belongs to it.
    cpSync(join(made, "memledger.db"), join(dataDir, former, "memledger.db"));
    expect((await run(["audit", "verify", join(dataDir, former)])).exitCode).toBe(10);
    expect((await run(["audit", "verify", dataDir])).exitCode).toBe(10);
    const next = await serve(dataDir);
    expect((await next.end("SIGTERM")).stderr).toBe("");
  });

  test("is accepted where the database has no tables", async () => {
    const dataDir = copyOf(made);
    rmSync(join(dataDir, "memledger.db"));
    changeDatabase(dataDir, "CREATE TABLE x (y)", "DROP TABLE x");
    const server = await serve(dataDir, ["--new-installation"]);
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
  });

  test("is refused where there is a database", async () => {
    const dataDir = copyOf(made);
    const before = namesIn(dataDir);
    const refused = await start(dataDir, "--new-installation");
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("contains a database")]);
    expect(namesIn(dataDir)).toEqual(before);
  });

  test("in an empty directory is an ordinary first start", async () => {
    const server = await serve(createFolder(), ["--new-installation"]);
    expect((await server.end("SIGTERM")).stderr).toBe("");
  });
});

/** The database of yesterday beside the checkpoints of today. */
function withOlderDatabase(): string {
  const dataDir = copyOf(made);
  cpSync(join(older, "memledger.db"), join(dataDir, "memledger.db"));
  return dataDir;
}

describe("an older copy of the database", () => {
  test("is refused, with the checkpoint that contradicts it", async () => {
    const dataDir = withOlderDatabase();
    const refused = await start(dataDir);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toStartWith(
      `memledger: The database ${join(dataDir, "memledger.db")} does not match its checkpoints`,
    );
    expect(refused.stderr).toContain(`memledger serve --restored-backup --data-dir ${dataDir}`);
    const [, chain, size, held] =
      /chain (\w{32}) had (\d+) records.* newest record in the database is (\d+)/.exec(refused.stderr) ?? [];
    expect(readdirSync(join(made, "checkpoints"))).toContain(`${chain}.notes`);
    expect(Number(size)).toBeGreaterThan(Number(held));
    const command = await run(["project", "create", "--name", "x", "--data-dir", dataDir]);
    expect([command.exitCode, command.stderr]).toEqual([1, refused.stderr]);
  });

  test("is accepted with --restored-backup, which the ledger records; a checkpoint from elsewhere still tells", async () => {
    const dataDir = withOlderDatabase();
    const notes = readdirSync(join(dataDir, "checkpoints"));
    const server = await serve(dataDir, ["--restored-backup"]);
    await createFact(server.url, apiKey, "After the restore.");
    expect((await server.end("SIGTERM")).stderr).toContain("superseded-");
    const [aside = ""] = readdirSync(join(dataDir, "checkpoints")).filter((name) =>
      name.startsWith("superseded-"),
    );
    for (const name of notes) {
      const note = readFileSync(join(made, "checkpoints", name));
      expect(readFileSync(join(dataDir, "checkpoints", aside, name))).toEqual(note);
    }
    // Another log begins with the record of the acceptance, so that none has signed two trees.
    const logs = readdirSync(join(dataDir, "checkpoints"))
      .filter((name) => notes.includes(name))
      .map((name) => readFileSync(join(dataDir, "checkpoints", name), "utf8"))
      .map((text) => [...text.matchAll(/^memledger\/\w{32}\/(\w+)\n/gm)].at(-1)?.[1]);
    expect(logs).toEqual(notes.map(() => idOf(dataDir, "audit.restore")));
    expect(pythonVerdict(join(dataDir, "memledger.db")) ?? "unattested").toBe("unattested");
    const own = await runJson(["audit", "verify", dataDir]);
    expect([own.exitCode, own.object.contradiction]).toEqual([10, null]);
    const outside = await runJson(["audit", "verify", dataDir, "--checkpoint", kept]);
    expect(outside.exitCode).toBe(30);
    const next = await serve(dataDir);
    expect((await next.end("SIGTERM")).stderr).toBe("");
    expect(requestsOf(dataDir, "audit.restore")).toEqual([
      expect.objectContaining({
        checkpoints: expect.arrayContaining([
          expect.objectContaining({ note: expect.stringContaining("— memledger ") }),
        ]),
      }),
    ]);
  });

  test("that was continued by another server is found by its other record", async () => {
    const dataDir = copyOf(older);
    rmSync(join(dataDir, "checkpoints"), { recursive: true });
    const server = await serve(dataDir);
    for (const fact of ["Another.", "And another.", "And one more."])
      await createFact(server.url, apiKey, fact);
    await server.end("SIGTERM");
    for (const name of readdirSync(join(made, "checkpoints")))
      cpSync(join(made, "checkpoints", name), join(dataDir, "checkpoints", name));
    const refused = await start(dataDir);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining("does not match its checkpoints"),
    ]);
  });

  test("a flag that is not needed is refused, so that it cannot stay in a service file", async () => {
    const refused = await start(copyOf(made), "--restored-backup");
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("no loss to accept")]);
  });

  test("notes that no known key signed prove nothing", async () => {
    const dataDir = copyOf(made);
    const [name = ""] = readdirSync(join(dataDir, "checkpoints"));
    const forged = `memledger/${name.slice(0, 32)}\n999\n${"A".repeat(43)}=\n2030-01-01T00:00:00.000Z\n\n— memledger ${Buffer.alloc(68).toString("base64")}\n\n`;
    writeFileSync(join(dataDir, "checkpoints", name), forged, { flag: "a" });
    const server = await serve(dataDir);
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
  });
});
