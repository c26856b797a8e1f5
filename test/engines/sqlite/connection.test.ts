// What the durability of answered writes rests on, as SQLite itself understood it.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  emptyLog,
  openCurrent,
  openReading,
  openWriting,
} from "../../../src/engines/sqlite/database-file/connection.ts";
import { openEvidence } from "../../../src/engines/sqlite/verify/source.ts";
import { runtime } from "../../calls/storage/seam.ts";

test("the writing connection waits for the disk at every commit, on macOS for the drive too", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-connection-"));
  const database = openWriting({ path: join(folder, "memledger.db"), runtime });
  try {
    const ask = (name: string) => database.pragma(name, { simple: true });
    const full = 2;
    expect([ask("journal_mode"), ask("synchronous"), ask("fullfsync")]).toEqual(["wal", full, 1]);
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("repeated attempts wait no longer for a lock than a single one, and emptying the log changes nothing about it", () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-connection-"));
  const file = { path: join(folder, "memledger.db"), runtime };
  const once = openWriting(file);
  const repeating = openWriting(file, 4);
  try {
    const waits = () =>
      [once, repeating].map((database) => database.pragma("busy_timeout", { simple: true }));
    expect(waits()).toEqual([1_000, 250]);
    repeating.exec("CREATE TABLE t (x INTEGER)");
    expect([emptyLog(repeating), waits()]).toEqual([true, [1_000, 250]]);
    expect(statSync(`${file.path}-wal`).size).toBe(0);
    once.exec("BEGIN; SELECT * FROM t");
    repeating.exec("INSERT INTO t (x) VALUES (1)");
    expect([emptyLog(repeating), waits()]).toEqual([false, [1_000, 250]]);
  } finally {
    once.close();
    repeating.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("emptying the log waits for a reader that ends in time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-connection-"));
  const file = { path: join(folder, "memledger.db"), runtime };
  const writing = openWriting(file);
  const script = `
    import { openDatabase } from ${JSON.stringify(Bun.resolveSync("../../../src/platform/native/sqlite.ts", import.meta.dir))};
    const reading = openDatabase(${JSON.stringify(file.path)}, ${JSON.stringify(runtime)});
    reading.exec("BEGIN; SELECT * FROM t");
    console.log("reads");
    await new Response(Bun.stdin.stream()).text();
    await Bun.sleep(500);
    reading.close();`;
  writing.exec("CREATE TABLE t (x INTEGER)");
  const reader = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe" });
  try {
    await reader.stdout.getReader().read();
    writing.exec("INSERT INTO t (x) VALUES (1)");
    expect(emptyLog(writing, 0)).toBe(false);
    reader.stdin.end();
    expect(emptyLog(writing, 60_000)).toBe(true);
    expect(statSync(`${file.path}-wal`).size).toBe(0);
  } finally {
    reader.kill();
    await reader.exited;
    writing.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the pages that a connection keeps have a limit, and those of a reading connection a small one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-connection-"));
  const file = { path: join(folder, "memledger.db"), runtime };
  const connections = [await openCurrent(file), openReading(file)];
  try {
    // Negative: KiB, and not pages.
    const limits = connections.map((database) => database.pragma("cache_size", { simple: true }));
    expect(limits).toEqual([-32_768, -4_096]);
  } finally {
    for (const database of connections) database.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("no connection puts a large sort into the directory for temporary files, where its texts would lie", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-connection-"));
  const file = { path: join(folder, "memledger.db"), runtime };
  const memory = 2;
  try {
    const writing = await openCurrent(file);
    expect(writing.pragma("temp_store", { simple: true })).toBe(memory);
    writing.close();
    const reading = openReading(file);
    expect(reading.pragma("temp_store", { simple: true })).toBe(memory);
    reading.close();
    const evidence = openEvidence(file.path);
    expect(evidence.all("PRAGMA temp_store")).toEqual([{ temp_store: memory }]);
    evidence.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
