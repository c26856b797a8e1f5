// Forges databases: each a copy of an honest data directory with one lie in it. Must never touch the honest one.

import { cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { entryHash, genesisHash, genesisText } from "../../src/audit/chain.ts";
import { rotationText } from "../../src/audit/key-rotation.ts";
import { createSigner, createSigningKey, type Signer } from "../../src/audit/signed-note.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import type { Database } from "../../src/platform/native/sqlite.ts";
import { hiddenBytes } from "../attack/forge-bytes.ts";
import { forgedOwners } from "../attack/forge-owners.ts";
import { forgedRemovals } from "../attack/forge-removals.ts";
import { forgedSchemas } from "../attack/forge-schema.ts";
import type { Base, Specimen } from "./forge.ts";
import { alter, at, broken, type Case, contradicted, payloadOf } from "./forge-case.ts";

const forger = createSigner(createSigningKey());

const changes: readonly Case[] = [
  {
    name: "entry",
    lie: `UPDATE audit_entry SET entry = replace(entry, '"duration":15.125', '"duration":15.126') WHERE ${at(15)}`,
    expected: broken("hash", 15),
  },
  {
    name: "entry-space",
    lie: `UPDATE audit_entry SET entry = entry || ' ' WHERE ${at(15)}`,
    expected: broken("form", 15),
  },
  {
    name: "hash",
    lie: `UPDATE audit_entry SET hash = '0' || substr(hash, 2, 62) || 'g' WHERE ${at(15)}`,
    expected: broken("hash", 15),
  },
  {
    name: "id",
    lie: `UPDATE audit_entry SET id = 'f' || substr(id, 2) WHERE ${at(15)}`,
    expected: broken("columns", 15),
  },
  { name: "at", lie: `UPDATE audit_entry SET at = at + 1 WHERE ${at(15)}`, expected: broken("columns", 15) },
  {
    name: "action",
    lie: `UPDATE audit_entry SET action = 'memory.read' WHERE ${at(15)}`,
    expected: broken("columns", 15),
  },
  {
    name: "status",
    lie: `UPDATE audit_entry SET status = 200 WHERE ${at(14)}`,
    expected: broken("columns", 14),
  },
  { name: "key", lie: `UPDATE audit_entry SET key = NULL WHERE ${at(15)}`, expected: broken("columns", 15) },
  {
    name: "memory",
    lie: `UPDATE audit_entry SET memory = NULL WHERE ${at(15)}`,
    expected: broken("columns", 15),
  },
  { name: "seq", lie: `UPDATE audit_entry SET seq = 99 WHERE ${at(15)}`, expected: broken("seq", 15) },
  { name: "last-seq", lie: `UPDATE audit_entry SET seq = 46 WHERE ${at(45)}`, expected: broken("seq", 45) },
  {
    name: "other-chain",
    lie: `UPDATE audit_entry SET chain = 3, seq = 26 WHERE ${at(45)}`,
    expected: broken("link", 26),
  },
  { name: "payload", lie: (database) => setPayload(database, 15, "{}"), expected: broken("payload", 15) },
  {
    name: "payload-garbage",
    lie: `UPDATE audit_payload SET text = x'00112233' WHERE ${payloadOf(15)}`,
    expected: broken("payload", 15),
  },
  {
    name: "payload-bomb",
    lie: `UPDATE audit_payload SET text = x'28b52ffde0ffffffffffffff00010000' WHERE ${payloadOf(15)}`,
    expected: broken("payload", 15),
  },
  {
    name: "salt",
    lie: `UPDATE audit_payload SET salt = zeroblob(16) WHERE ${payloadOf(15)}`,
    expected: broken("payload", 15),
  },
  { name: "salt-border", lie: moveSalt, expected: broken("payload", 15) },
  {
    name: "payload-deleted",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(16)}`,
    expected: broken("payload", 16),
  },
  {
    name: "redaction-deleted",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(20)}`,
    expected: broken("payload", 10),
  },
  {
    name: "prune-deleted",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(30)}`,
    expected: broken("payload", 7),
  },
  { name: "payload-swap", lie: swapPayloads, expected: broken("payload", 15) },
];

const order: readonly Case[] = [
  {
    name: "deletion",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(15)}; DELETE FROM audit_entry WHERE ${at(15)}`,
    expected: broken("seq", 15),
  },
  {
    name: "first-deleted",
    lie: `DELETE FROM audit_payload WHERE ${payloadOf(7)}; DELETE FROM audit_entry WHERE ${at(7)}`,
    expected: broken("seq", 7),
  },
  { name: "swap-numbers", lie: swapNumbers, expected: broken("seq", 15) },
  {
    name: "swap-contents",
    lie: `UPDATE audit_entry SET seq = -1 WHERE ${at(15)}; UPDATE audit_entry SET seq = 15 WHERE ${at(16)}; UPDATE audit_entry SET seq = 16 WHERE ${at(-1)}`,
    expected: broken("seq", 15),
  },
  {
    name: "doubled",
    lie: `DROP INDEX audit_entry_by_seq; INSERT INTO audit_entry SELECT NULL, chain, seq, 'x', at, action, status, entry, hash, key, memory, mac FROM audit_entry WHERE ${at(15)}`,
    expected: broken("seq", 15),
  },
  {
    name: "repeated-at-end",
    lie: `INSERT INTO audit_entry SELECT NULL, chain, 46, 'x', at, action, status, entry, hash, key, memory, mac FROM audit_entry WHERE ${at(15)}`,
    expected: broken("link", 46),
  },
  { name: "deletion-restamped", lie: (database) => deleteRestamped(database), expected: contradicted },
  { name: "insertion-restamped", lie: (database) => insertRestamped(database), expected: contradicted },
  {
    name: "rewrite-restamped",
    lie: (database) => restamp(database, 15, 2, only({ status: 200, code: 1000 })),
    expected: contradicted,
  },
  {
    name: "time-restamped",
    lie: (database) => restamp(database, 15, 2, only({ at: "2026-11-21T09:00:01.000Z" })),
    expected: broken("time", 15),
  },
  {
    name: "member-restamped",
    lie: (database) => restamp(database, 15, 2, only({ more: 1 })),
    expected: broken("form", 15),
  },
  {
    name: "project-restamped",
    lie: (database) => restamp(database, 15, 2, only({ project: null })),
    expected: broken("chain", 15),
  },
  { name: "truncated", lie: cut(35), expected: contradicted },
  { name: "truncated-with-checkpoints", lie: cut(35, true), expected: contradicted },
  { name: "truncated-without-notes", lie: cut(35, true), files: removeNotes, expected: contradicted },
  {
    name: "truncated-alone",
    lie: cut(35, true),
    files: removeNotes,
    expected: { verdict: "unattested" },
    with: { outside: false },
  },
  { name: "emptied", lie: cut(6), expected: broken("anchor", 6) },
  { name: "old-copy", lie: oldCopy, expected: contradicted },
  { name: "replaced-chain", lie: replaceChain, expected: contradicted },
  {
    name: "replaced-chain-known-beside",
    lie: replaceChain,
    expected: contradicted,
    with: { outside: false },
  },
];

const frame: readonly Case[] = [
  {
    name: "genesis",
    lie: `UPDATE audit_chain SET genesis = replace(genesis, '09:00:00', '09:00:01') WHERE number = 2`,
    expected: broken("genesis", 0),
  },
  {
    name: "genesis-form",
    lie: `UPDATE audit_chain SET genesis = genesis || ' ' WHERE number = 2`,
    expected: broken("genesis", 0),
  },
  {
    name: "genesis-hash",
    lie: `UPDATE audit_chain SET hash = replace(hash, substr(hash, 1, 1), 'g') WHERE number = 2`,
    expected: broken("genesis", 0),
  },
  {
    name: "chain-id",
    lie: `UPDATE audit_chain SET id = 'f' || substr(id, 2) WHERE number = 2`,
    expected: broken("genesis", 0),
  },
  {
    name: "chain-number",
    lie: `UPDATE audit_chain SET number = 9, payloads_through = 0 WHERE number = 2`,
    expected: broken("orphan", null),
  },
  {
    name: "chain-project",
    lie: `UPDATE audit_chain SET project = 77 WHERE number = 2`,
    expected: broken("genesis", 0),
  },
  {
    name: "project-id",
    lie: `UPDATE project SET id = 'f' || substr(id, 2) WHERE serial = 1`,
    expected: broken("genesis", 0),
  },
  {
    name: "anchor-note",
    lie: `UPDATE audit_anchor SET note = replace(note, 'retention', 'erasure') WHERE through = 6`,
    expected: broken("signature", 6),
  },
  {
    name: "anchor-through",
    lie: `UPDATE audit_anchor SET through = 9 WHERE through = 6`,
    expected: broken("anchor", 9),
  },
  {
    name: "anchor-deleted",
    lie: `DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE chain = 2 AND seq <= 6); DELETE FROM audit_entry WHERE chain = 2 AND seq <= 6; DELETE FROM audit_anchor WHERE through = 6`,
    expected: broken("seq", 4),
  },
  {
    name: "anchor-first-deleted",
    lie: `DELETE FROM audit_anchor WHERE through = 3`,
    expected: broken("anchor", 6),
  },
  {
    name: "anchor-moved",
    lie: `UPDATE audit_anchor SET chain = 3 WHERE through = 6; DELETE FROM audit_anchor WHERE through = 3`,
    expected: broken("seq", 1),
  },
  {
    name: "checkpoint-note",
    lie: `UPDATE audit_checkpoint SET note = replace(note, 'Z', 'z') WHERE chain = 2 AND size = 20`,
    expected: broken("signature", 20),
  },
  {
    name: "checkpoint-size",
    lie: `UPDATE audit_checkpoint SET size = 21 WHERE chain = 2 AND size = 20`,
    expected: broken("checkpoint", 21),
  },
  {
    name: "checkpoint-at",
    lie: `UPDATE audit_checkpoint SET at = at + 1 WHERE chain = 2 AND size = 20`,
    expected: broken("checkpoint", 20),
  },
  {
    name: "checkpoint-moved",
    lie: `UPDATE audit_checkpoint SET chain = 3, size = 21 WHERE chain = 2 AND size = 20`,
    expected: broken("checkpoint", 21),
  },
  {
    name: "stray-payload",
    lie: `INSERT INTO audit_payload VALUES (40000, zeroblob(16), x'00')`,
    expected: broken("orphan", null),
  },
  {
    name: "stray-payload-between",
    lie: `UPDATE audit_payload SET entry = -5 WHERE ${payloadOf(16)}`,
    expected: broken("payload", 16),
  },
  {
    name: "stray-entry",
    lie: `INSERT INTO audit_entry SELECT NULL, 9, 1, 'x', at, action, status, entry, hash, key, memory, mac FROM audit_entry WHERE ${at(15)}`,
    expected: broken("orphan", null),
  },
  {
    name: "stray-checkpoint",
    lie: `UPDATE audit_checkpoint SET chain = 9 WHERE chain = 2 AND size = 20`,
    expected: broken("orphan", null),
  },
  {
    name: "own-key",
    lie: signAnew,
    files: (folder) => writeFileSync(join(folder, "audit.pub"), `${forger.verifierKey}\n`),
    expected: broken("signature", null),
  },
  { name: "own-key-known", lie: signAnew, expected: broken("signature", 10), with: { key: true } },
];

const files: readonly Case[] = [
  { name: "honest", expected: { verdict: "intact" } },
  { name: "honest-kept-key", expected: { verdict: "intact" }, with: { key: true } },
  { name: "honest-alone", expected: { verdict: "unattested" }, with: { outside: false } },
  { name: "honest-without-notes", files: removeNotes, expected: { verdict: "intact" } },
  {
    name: "honest-with-garbage-notes",
    files: (folder) =>
      writeFileSync(join(folder, "checkpoints/x.notes"), "memledger/x\n1\n\n— memledger AAAA\n\n"),
    expected: { verdict: "intact" },
  },
  {
    name: "without-key",
    files: (folder) => rmSync(join(folder, "audit.pub")),
    expected: { verdict: "unusable" },
    with: { outside: false },
  },
  {
    name: "cut-file",
    files: (folder) => truncateSync(join(folder, "memledger.db"), 40_000),
    expected: { verdict: "unusable" },
  },
  {
    name: "empty-file",
    files: (folder) => truncateSync(join(folder, "memledger.db"), 0),
    expected: { verdict: "unusable" },
  },
  {
    name: "text-file",
    files: (folder) => writeFileSync(join(folder, "memledger.db"), "What is this?\n".repeat(99)),
    expected: { verdict: "unusable" },
  },
  { name: "foreign-database", lie: "PRAGMA application_id = 7", expected: { verdict: "unusable" } },
  {
    name: "newer-format",
    isRaw: true,
    lie: "PRAGMA user_version = 9000",
    expected: { verdict: "unusable" },
  },
  {
    name: "older-format",
    isRaw: true,
    lie: "PRAGMA user_version = 1",
    expected: { verdict: "unusable" },
  },
];

const [second, third] = [createSigner(createSigningKey()), createSigner(createSigningKey())];
const rotatedAt = Date.parse("2026-11-22T00:00:00.000Z");

/** A statement that `successor` signs from now on, by whoever signs it. */
function statementBy(by: Signer, former: Signer, successor: Signer): string {
  const { verifierKey } = successor;
  return `${by.sign(rotationText({ former: former.verifierKey, successor: verifierKey, at: rotatedAt }))}\n`;
}

const writeRotations = (folder: string, ...statements: string[]) =>
  writeFileSync(join(folder, "audit.rotations"), statements.join(""));

/** Notes of a later key, and what is said about how it followed the kept one. */
const rotations: readonly Case[] = [
  {
    name: "rotated",
    lie: signAnew,
    files: (folder, { ledger: { signer } }) => writeRotations(folder, statementBy(signer, signer, forger)),
    expected: { verdict: "intact" },
    with: { key: true },
  },
  {
    name: "rotated-three-times",
    lie: signAnew,
    files: (folder, { ledger: { signer } }) =>
      writeRotations(
        folder,
        statementBy(third, third, forger),
        statementBy(second, second, third),
        "memledger-rotation/v1\n\n— memledger torn\n\n",
        statementBy(signer, signer, second),
      ),
    expected: { verdict: "intact" },
    with: { key: true },
  },
  {
    name: "rotated-without-former-key",
    lie: signAnew,
    files: (folder, { ledger: { signer } }) => writeRotations(folder, statementBy(forger, signer, forger)),
    expected: broken("signature", 10),
    with: { key: true },
  },
  {
    name: "rotated-by-another-key",
    lie: signAnew,
    files: (folder, { ledger: { signer } }) => writeRotations(folder, statementBy(second, signer, forger)),
    expected: broken("signature", 10),
    with: { key: true },
  },
  {
    name: "rotated-from-other-key",
    lie: signAnew,
    files: (folder) => writeRotations(folder, statementBy(second, second, forger)),
    expected: broken("signature", 10),
    with: { key: true },
  },
  {
    name: "rotated-with-gap",
    lie: signAnew,
    files: (folder, { ledger: { signer } }) =>
      writeRotations(folder, statementBy(signer, signer, second), statementBy(third, third, forger)),
    expected: broken("signature", 10),
    with: { key: true },
  },
];

export function forgeDatabases(base: Base, folder: string): Specimen[] {
  const attacks = [...forgedOwners, ...forgedRemovals, ...forgedSchemas, ...hiddenBytes];
  return [...changes, ...order, ...frame, ...files, ...rotations, ...attacks].map((one) => {
    const copy = join(folder, `database-${one.name}`);
    cpSync(base.ledger.folder, copy, { recursive: true });
    const path = join(copy, "memledger.db");
    alter(path, one, base);
    one.files?.(copy, base);
    const { outside = true, key = false } = one.with ?? {};
    return {
      name: `database-${one.name}`,
      path,
      seq: null,
      check: null,
      ...one.expected,
      checkpoints: outside ? [base.outside] : [],
      publicKey: key ? base.publicKey : null,
    };
  });
}

function setPayload(database: Database, seq: number, text: string): void {
  database
    .prepare(`UPDATE audit_payload SET text = ? WHERE ${payloadOf(seq)}`)
    .run(Bun.zstdCompressSync(text));
}

/** The same bytes in all, with another border between salt and text. */
function moveSalt(database: Database, { ledger }: Base): void {
  const record = ledger.chains[1]?.records[14];
  if (record === undefined) throw new Error("no such record");
  const text = Buffer.concat([record.salt.subarray(15), Buffer.from(record.payload)]);
  database
    .prepare(`UPDATE audit_payload SET salt = ?, text = ? WHERE ${payloadOf(15)}`)
    .run(record.salt.subarray(0, 15), Bun.zstdCompressSync(text));
}

function swapPayloads(database: Database): void {
  const numbers = database
    .prepare(`SELECT number FROM audit_entry WHERE ${at(15)} OR ${at(16)} ORDER BY seq`)
    .pluck()
    .all();
  swap(database, "audit_payload", "entry", numbers);
}

function swapNumbers(database: Database): void {
  const numbers = database
    .prepare(`SELECT number FROM audit_entry WHERE ${at(15)} OR ${at(16)} ORDER BY seq`)
    .pluck()
    .all();
  swap(database, "audit_entry", "number", numbers);
  swap(database, "audit_payload", "entry", numbers);
}

function swap(database: Database, table: string, column: string, [one, other]: readonly unknown[]): void {
  for (const [from, to] of [
    [one, -1],
    [other, one],
    [-1, other],
  ]) {
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(to, from);
  }
}

/** Recomputes entries, hashes and links from a seq on, as someone does who knows the format. `chain` is its number. */
function restamp(
  database: Database,
  seq: number,
  chain: number,
  change: (entry: JsonObject, isFirst: boolean) => JsonObject = (entry) => entry,
): void {
  const rows = database
    .prepare<unknown[], { number: number; seq: number; entry: string }>(
      "SELECT number, seq, entry FROM audit_entry WHERE chain = ? AND seq >= ? ORDER BY seq",
    )
    .all(chain, seq);
  const before = database.prepare(
    "SELECT hash FROM audit_entry WHERE chain = :chain AND seq = :seq UNION ALL SELECT hash FROM audit_chain WHERE number = :chain AND :seq = 0",
  );
  let prev = before.pluck().get({ chain, seq: seq - 1 });
  for (const [index, row] of rows.entries()) {
    const entry = canonicalize(change({ ...JSON.parse(row.entry), seq: row.seq, prev }, index === 0)) ?? "";
    const { at: time, status, id } = JSON.parse(entry);
    prev = entryHash(entry);
    const update = database.prepare(
      "UPDATE audit_entry SET entry = ?, hash = ?, at = ?, status = ?, id = ? WHERE number = ?",
    );
    update.run(entry, prev, Date.parse(time), status, id, row.number);
  }
}

/** A change of the first record that is stamped again. */
const only =
  (members: JsonObject) =>
  (entry: JsonObject, isFirst: boolean): JsonObject =>
    isFirst ? { ...entry, ...members } : entry;

function deleteRestamped(database: Database): void {
  database.exec(`DELETE FROM audit_payload WHERE ${payloadOf(15)}; DELETE FROM audit_entry WHERE ${at(15)}`);
  for (let seq = 16; seq <= 45; seq++) database.exec(`UPDATE audit_entry SET seq = seq - 1 WHERE ${at(seq)}`);
  restamp(database, 15, 2);
}

function insertRestamped(database: Database): void {
  for (let seq = 45; seq >= 16; seq--) {
    database.exec(`UPDATE audit_payload SET entry = entry + 1000 WHERE ${payloadOf(seq)};
      UPDATE audit_entry SET seq = seq + 1, number = number + 1000 WHERE ${at(seq)}`);
  }
  database.exec(`INSERT INTO audit_entry SELECT 500, chain, 16, 'x', at, action, status, entry, hash, key, memory, mac FROM audit_entry WHERE ${at(15)};
    INSERT INTO audit_payload SELECT 500, salt, text FROM audit_payload WHERE ${payloadOf(15)}`);
  restamp(database, 16, 2, only({ id: "d".repeat(32) }));
}

function deleteOf(rows: string): string {
  return `DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE ${rows}); DELETE FROM audit_entry WHERE ${rows};`;
}

function cut(through: number, withCheckpoints = false): string {
  const checkpoints = `DELETE FROM audit_checkpoint WHERE chain = 2 AND size > ${through};`;
  return `${deleteOf(`chain = 2 AND seq > ${through}`)} ${withCheckpoints ? checkpoints : ""}`;
}

/** The database as it was when every chain had ten records: nothing was removed yet. */
function oldCopy(database: Database, base: Base): void {
  restoreRecords(database, base);
  database.exec(
    `${deleteOf("seq > 10")} DELETE FROM audit_checkpoint WHERE size > 10; DELETE FROM audit_anchor;
     UPDATE audit_chain SET payloads_through = 0`,
  );
}

/** Brings back what retention and erasure have removed. */
function restoreRecords(database: Database, { ledger }: Base): void {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO audit_entry (number, chain, seq, id, at, action, status, key, memory, entry, hash)
     VALUES (?, 2, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertPayload = database.prepare(
    "INSERT OR IGNORE INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)",
  );
  for (const record of ledger.chains[1]?.records ?? []) {
    const { id, action, status, key, memory } = JSON.parse(record.entry);
    const { number, seq, at: time, entry, hash, salt, payload } = record;
    insert.run(number, seq, id, time, action, status, key, memory, entry, hash);
    insertPayload.run(number, salt, Bun.zstdCompressSync(payload));
  }
}

/** A new chain for the same project, with a history of its own. */
function replaceChain(database: Database, base: Base): void {
  restoreRecords(database, base);
  database.exec(`${deleteOf("chain = 2 AND seq <= 6")}
    DELETE FROM audit_anchor; DELETE FROM audit_checkpoint WHERE chain = 2;
    UPDATE audit_chain SET payloads_through = 0 WHERE number = 2`);
  for (let seq = 7; seq <= 45; seq++) database.exec(`UPDATE audit_entry SET seq = seq - 6 WHERE ${at(seq)}`);
  const chain = "c".repeat(32);
  const project = base.ledger.chains[1]?.project ?? null;
  const genesis = { chain, project, at: "2026-11-21T09:00:00.000Z", nonce: "a".repeat(32) };
  const values = [chain, genesisText(genesis), genesisHash(genesis)];
  database.prepare("UPDATE audit_chain SET id = ?, genesis = ?, hash = ? WHERE number = 2").run(...values);
  restamp(database, 1, 2, (entry) => ({ ...entry, chain }));
}

/** Every note says what it said, but is signed by someone else. */
function signAnew(database: Database): void {
  for (const table of ["audit_checkpoint", "audit_anchor"]) {
    const notes = database.prepare(`SELECT note FROM ${table}`).pluck().all().map(String);
    for (const note of notes) {
      const text = note.slice(0, note.indexOf("\n\n") + 1);
      database.prepare(`UPDATE ${table} SET note = ? WHERE note = ?`).run(forger.sign(text), note);
    }
  }
}

function removeNotes(folder: string): void {
  for (const name of readdirSync(join(folder, "checkpoints"))) rmSync(join(folder, "checkpoints", name));
}
