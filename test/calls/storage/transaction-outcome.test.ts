// Proves what becomes of a transaction, on a real database that a second connection locks: done, lost, or performed again.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performTransaction } from "../../../src/calls/storage/transaction-outcome.ts";
import { createWriteTransactions } from "../../../src/engines/sqlite/threads/write-transactions.ts";
import { createWriterStatistics } from "../../../src/engines/sqlite/threads/writer-statistics.ts";
import { transactionAttemptsMax } from "../../../src/platform/limits.ts";
import type { Logger } from "../../../src/platform/log/logger.ts";
import { type Database, openDatabase, SqliteError } from "../../../src/platform/native/sqlite.ts";
import { openSeam, runtime, unitVector } from "./seam.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-outcome-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("performing a transaction", () => {
  const attempts = async (failures: readonly ("lost" | "retry")[]) => {
    let count = 0;
    const performed = performTransaction({
      async attempt() {
        const failure = failures[count];
        count += 1;
        if (failure !== undefined) throw new Error(failure);
      },
      outcomeOf: (error) => (String(error).endsWith("retry") ? "retry" : "lost"),
      retrying() {},
    });
    const outcome = await performed.then(
      () => "done",
      (error: unknown) => String(error),
    );
    return { count, outcome };
  };

  test.each<[string, readonly ("lost" | "retry")[], number, string]>([
    ["is done at once", [], 1, "done"],
    ["is done after others were in the way", ["retry", "retry"], 3, "done"],
    ["is lost at once", ["lost"], 1, "Error: lost"],
    ["is lost in a later attempt", ["retry", "lost"], 2, "Error: lost"],
    ["is lost after the last attempt", Array(9).fill("retry"), transactionAttemptsMax, "Error: retry"],
  ])("%s", async (_, failures, count, outcome) => {
    expect(await attempts(failures)).toEqual({ count, outcome });
  });
});

describe("the writing connection", () => {
  let made = 0;
  const open = (log: Logger["warn"]) => {
    const path = join(folder, `${made++}.db`);
    const database = openDatabase(path, runtime, { timeout: 0 });
    database.pragma("journal_mode = WAL");
    database.exec("CREATE TABLE t (x INTEGER)");
    const other = openDatabase(path, runtime);
    const events: string[] = [];
    const inTransaction = createWriteTransactions({
      database,
      statistics: createWriterStatistics(),
      logger: { debug() {}, info() {}, warn: log, error() {} } as Logger,
      beforeCommit: () => void events.push("before commit"),
      committed: () => void events.push("committed"),
      rolledBack: (wasCommitting) => void events.push(wasCommitting ? "commit failed" : "rolled back"),
    });
    const insert = database.prepare("INSERT INTO t (x) VALUES (1)");
    const count = () => Number(database.prepare("SELECT COUNT(*) FROM t").pluck().get());
    return { database, other, events, inTransaction, insert, count };
  };
  const close = (...databases: Database[]) => {
    for (const database of databases) database.close();
  };

  test("performs a transaction again that met a lock", async () => {
    const released: string[] = [];
    const { database, other, events, inTransaction, insert, count } = open((message) => {
      released.push(message);
      other.exec("ROLLBACK");
    });
    other.exec("BEGIN IMMEDIATE");
    await inTransaction(async () => void insert.run());
    expect(events).toEqual(["rolled back", "before commit", "committed"]);
    expect(released).toEqual(["a transaction was rolled back and is performed again"]);
    expect(count()).toBe(1);
    close(database, other);
  });

  test("loses a transaction that met the same lock each time", async () => {
    const { database, other, events, inTransaction, insert, count } = open(() => {});
    other.exec("BEGIN IMMEDIATE");
    await expect(inTransaction(async () => void insert.run())).rejects.toThrow("database is locked");
    expect(events).toEqual(Array(transactionAttemptsMax).fill("rolled back"));
    other.exec("ROLLBACK");
    expect(count()).toBe(0);
    close(database, other);
  });

  test("loses a transaction that failed otherwise, with everything in it, and goes on with the next", async () => {
    const { database, other, events, inTransaction, insert, count } = open(() => {});
    const work = async () => {
      insert.run();
      throw new SqliteError("disk full", "SQLITE_FULL");
    };
    await expect(inTransaction(work)).rejects.toThrow("disk full");
    expect(events).toEqual(["rolled back"]);
    expect(count()).toBe(0);
    await inTransaction(async () => void insert.run());
    expect(count()).toBe(1);
    close(database, other);
  });
});

test("a call waits for another connection's lock, and is settled once, with one record", async () => {
  const seam = await openSeam({ path: join(folder, "engine.db") });
  const project = await seam.project();
  const other = openDatabase(seam.path, runtime);
  other.exec("BEGIN IMMEDIATE");
  const created = project.create({ content: "behind a lock", vector: unitVector(1) });
  // Longer than one attempt waits for a lock, and shorter than all of them.
  await Bun.sleep(300);
  other.exec("ROLLBACK");
  expect(await created).toMatchObject({ status: 201, code: 1000 });
  const actions = other
    .prepare("SELECT action FROM audit_entry WHERE key IS NOT NULL ORDER BY number")
    .pluck();
  expect(actions.all()).toEqual(["memory.create"]);
  other.close();
  await seam.close();
});
