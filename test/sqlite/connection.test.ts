// What the durability of answered writes rests on, as SQLite itself understood it.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWriting } from "../../src/sqlite/connection.ts";
import { runtime } from "./seam.ts";

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
