// Tests from which record on a start confirms a chain, and what an acceptance of other records makes of its tree.

import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOwnKey, openLedgerFiles } from "../../../src/data-directory/ledger-files.ts";
import { type Database, openDatabase } from "../../../src/native/sqlite.ts";
import { openMember, openSeam, runtime, unitVector } from "../../storage/seam.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-confirmed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Changes the database of no server, with rows that are final. */
function change(path: string, work: (database: Database) => void): void {
  const database = openDatabase(path, runtime);
  const triggers = database
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .filter(({ name }) => name.startsWith("audit_"));
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  work(database);
  for (const { sql } of triggers) database.exec(sql);
  database.close();
}

test("after an export of early records, a start confirms the records after the newest ones that were signed", async () => {
  const [path, copy] = [join(folder, "early.db"), join(folder, "copy.db")];
  const ledger = openLedgerFiles(folder, createOwnKey(folder));
  const seam = await openSeam({ path, ledger });
  const member = await seam.project();
  const create = (count: number) => member.create({ content: `memory ${count}`, vector: unitVector(count) });
  for (let count = 1; count < 4; count++) await create(count);
  const end_time = new Date(seam.now()).toISOString();
  seam.passTime(60_000);
  for (let count = 4; count < 9; count++) await create(count);
  expect((await member.call("audit.checkpoint", {})).data).toMatchObject({ size: 8 });
  seam.passTime(60_000);
  const early = { start_time: "2020-01-01", end_time, format: "json" };
  expect((await member.call("audit.export", early)).data).toMatchObject({ estimated_records: 3 });
  for (const end of ["", "-wal"]) if (existsSync(path + end)) cpSync(path + end, copy + end);
  await seam.close();
  // A start that reads it refuses the chain.
  change(copy, (database) => database.exec("UPDATE audit_entry SET mac = zeroblob(16) WHERE seq = 5"));
  const again = await openSeam({ path: copy, ledger: { ...ledger, isKeyNew: false } });
  const same = await openMember(again, member.id);
  expect(await same.create({ content: "after", vector: unitVector(9) })).toMatchObject({ code: 1000 });
  await again.close();
});
