// Tests from which record on a start confirms a chain, and what an acceptance of other records makes of its tree.

import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entryHash } from "../../../src/audit/chain.ts";
import { parseTreeCheckpoint } from "../../../src/audit/checkpoint.ts";
import { textOfNote } from "../../../src/audit/verify/note.ts";
import { findNewerCheckpoints } from "../../../src/engines/sqlite/ledger/ledger-copies.ts";
import { canonical } from "../../../src/platform/json/hash.ts";
import { type Database, openDatabase } from "../../../src/platform/native/sqlite.ts";
import { toHex } from "../../../src/platform/text/byte-text.ts";
import { createOwnKey, openLedgerFiles } from "../../../src/server/ledger/ledger-files.ts";
import { naiveRoot, sha256 } from "../../audit/naive-tree.ts";
import { openMember, openSeam, runtime, unitVector } from "../../calls/storage/seam.ts";
import { makeDatabase } from "./schema-text.ts";

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

/** The records from `first` on, as another program writes them: with other times of the call, but links and hashes that fit. */
function rewriteFrom(database: Database, chain: number, first: number): void {
  const rows = database
    .prepare<[number, number], { number: number; entry: string; hash: string }>(
      "SELECT number, entry, hash FROM audit_entry WHERE chain = ? AND seq >= ? ORDER BY seq",
    )
    .all(chain, first - 1);
  let prev = rows[0]?.hash;
  const update = database.prepare("UPDATE audit_entry SET entry = ?, hash = ?, mac = NULL WHERE number = ?");
  for (const { number, entry } of rows.slice(1)) {
    const rewritten = canonical({ ...JSON.parse(entry), prev, code: 1001 });
    prev = entryHash(rewritten);
    update.run(rewritten, prev, number);
  }
}

test("after other records were accepted, checkpoints have the root of the records that are there", async () => {
  const path = join(folder, "accepted.db");
  const root = mkdtempSync(join(folder, "accepted-"));
  const ledger = openLedgerFiles(root, createOwnKey(root));
  const seam = await openSeam({ path, ledger });
  const member = await seam.project();
  const made = Array.from({ length: 300 }, (_, n) => ({
    content: `memory ${n}`,
    vector: unitVector(n % 200),
  }));
  await Promise.all(made.map(member.create));
  expect((await member.call("audit.checkpoint", {})).data).toMatchObject({ size: 300 });
  await seam.close();
  change(path, (database) => rewriteFrom(database, 2, 250));
  const again = await openSeam({ path, ledger: { ...ledger, isKeyNew: false, acceptsHeads: true } });
  expect(await again.administer("audit.accept", {})).toMatchObject({ code: 1000 });
  const { data } = await (await openMember(again, member.id)).call("audit.checkpoint", {});
  await again.close();
  const database = openDatabase(path, runtime, { readonly: true });
  const hashes = database
    .prepare<[number], string>("SELECT hash FROM audit_entry WHERE chain = 2 AND seq <= ? ORDER BY seq")
    .pluck()
    .all(Number(data.size));
  const statement = database
    .prepare<[], string>("SELECT tree FROM audit_chain WHERE number = 2")
    .pluck()
    .get();
  database.close();
  const leaves = [
    sha256(Buffer.from(`memledger/tree/v2\0${statement}`)),
    ...hashes.map((hash) => new Uint8Array(Buffer.from(hash, "hex"))),
  ];
  const signed = parseTreeCheckpoint(textOfNote(String(data.note)));
  expect(signed).toMatchObject({ leaves: leaves.length, root: toHex(naiveRoot(leaves)) });
  expect(signed?.log).toHaveLength(32);
});

test("notes that are restored to a file end with the newest one, also if larger ones were of lost records", () => {
  const database = makeDatabase(8);
  database.exec(`INSERT INTO audit_chain (number, id, genesis, hash) VALUES (1, 'c', '', '');
    INSERT INTO audit_checkpoint (chain, size, at, note) VALUES (1, 4, 2, 'accepted'), (1, 9, 1, 'lost')`);
  expect(findNewerCheckpoints(database, []).map(({ note }) => note)).toEqual(["lost", "accepted"]);
});
