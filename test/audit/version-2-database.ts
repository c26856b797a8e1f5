// Makes a small database of format 8 whose chains have records of both versions, with everything that version 2 of the record format
// has: parts, erasures, pseudonyms, a tree, checkpoints and an anchor. The same each time. Alone: bun test/audit/version-2-database.ts FOLDER

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../../src/audit/parts/parts.ts";
import type { Signer } from "../../src/audit/signed-note.ts";
import { migrate } from "../../src/engines/sqlite/schema/migrate.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import { runtime } from "./ledger.ts";
import {
  createChain2,
  type Draft2,
  type Forgery,
  idOf,
  type MadeChain2,
  signerFrom,
  startAt,
} from "./version-2.ts";

export interface Version2Options {
  /** Records of the chain of the first project; at least 20. Default: 300. */
  readonly records?: number;
  /** Up to here, retention has removed records of this chain; null: none. At least 14, and a record is left. Default: null. */
  readonly anchor?: number | null;
  /** Records between two checkpoints of version 2. Default: 50. */
  readonly checkpointEvery?: number;
  /** Of the first project's chain. */
  readonly forgery?: Forgery;
  readonly signer?: Signer;
  /** Work on the chains, before they are written. */
  readonly before?: (chains: readonly MadeChain2[]) => void;
}

export interface MadeVersion2 {
  readonly folder: string;
  readonly database: string;
  readonly signer: Signer;
  /** By number: the installation, then two projects. The second one has a tree that begins after an anchor. */
  readonly chains: readonly MadeChain2[];
}

/** Pseudonyms, with what is in their rows. */
export const alice = idOf("subject alice");
/** Erased. */
export const bob = idOf("subject bob");
export const talk = idOf("conversation talk");
const rows = [
  { id: alice, owner: null, kind: "subject", name: "alice" },
  { id: bob, owner: null, kind: "subject", name: null },
  { id: talk, owner: alice, kind: "conversation", name: "talk" },
];
const names = ["project one", "project two"];
const projects = names.map(idOf);
export const keyId = idOf("key");
export const memoryId = idOf("memory");

const sender = { ip_address: "192.0.2.7", user_agent: "=cmd|' /C calc'!A0" };
const senderAt = (...about: string[]): Place => ({ at: "/sender", about });

/** The records of the first project: four of version 1, then these. By seq from 5 on. */
const plan: readonly Draft2[] = [
  {
    ...{ action: "memory.create_batch", key: keyId, subject: alice },
    payload: {
      names: [{ pseudonym: alice, name: "alice" }],
      request_body: {
        memories: [{ content: "tea" }, { content: "Grüße\n😂" }, { content: "tea" }],
        note: null,
      },
      response_body: { data: { results: [{ id: memoryId }, { id: idOf("no memory") }, { id: memoryId }] } },
      sender,
    },
    places: [
      { at: "/names/0", about: [alice] },
      { at: "/request_body", about: [alice] },
      ...[0, 1, 2].map((index) => ({ at: `/request_body/memories/${index}`, about: [alice] })),
      senderAt(alice),
    ],
  },
  {
    ...{
      action: "memory.create",
      status: 201,
      key: keyId,
      memory: memoryId,
      subject: alice,
      conversation: talk,
    },
    payload: { names: [{ pseudonym: talk, name: "talk" }], request_body: { content: "tea" }, sender },
    places: [{ at: "/names/0", about: [talk] }, { at: "/request_body", about: [alice] }, senderAt(alice)],
  },
  {
    ...{ action: "memory.extract", key: keyId, subject: alice, conversation: talk },
    payload: {
      made_of: [{ memory: memoryId, record: idOf("project one record 6"), parts: [2] }],
      response_body: { data: { extracted: [{ id: memoryId, content: "tea" }] } },
    },
    places: [{ at: "/response_body", about: [alice] }],
  },
  {
    ...{ action: "memory.search", key: keyId },
    payload: {
      names: [{ pseudonym: bob, name: "bob" }],
      request_body: { query: "drinks" },
      response_body: {
        data: { results: [{ content: "tea" }, { content: "coffee" }], prompt: "tea, coffee" },
      },
      sender,
    },
    places: [
      { at: "/names/0", about: [bob] },
      { at: "/request_body", about: [] },
      { at: "/response_body/data/results/0", about: [alice] },
      { at: "/response_body/data/results/1", about: [bob] },
      { at: "/response_body/data/prompt", about: [alice, bob] },
      senderAt(),
    ],
  },
  {
    ...{ action: "gateway.chat", key: keyId, performed: true, subject: alice },
    payload: { told: { memories: [memoryId], sections: [idOf("section")] }, input_content: "Which drink?" },
    places: [
      { at: "/told", about: [alice] },
      { at: "/input_content", about: [alice] },
    ],
  },
  {
    ...{ action: "check.run", key: keyId, subject: bob },
    payload: { input_content: "of bob" },
    about: [bob],
  },
  { action: "memory.update", key: keyId, memory: memoryId, payload: { request_body: { content: "tea" } } },
  {
    action: "audit.redact",
    payload: {
      redacted: [3, 11],
      redacted_parts: [
        [8, [1, 4, 5]],
        [10, [0]],
      ],
      erased: [bob],
      request_body: { reason: "asked" },
    },
    places: [{ at: "/request_body", about: [] }],
  },
  { action: "audit.prune", payload: { payloads_through: 2 } },
];
/** Seqs of the first project's chain. */
export const redactSeq = 12;
export const pruneSeq = 13;
const version1Count = 4;

/** @param path the folder, which gets memledger.db, audit.pub and checkpoints/ */
export function makeVersion2Database(path: string, options: Version2Options = {}): MadeVersion2 {
  const signer = options.signer ?? signerFrom(0);
  const chains = [installation(signer), first(signer, options), second(signer)];
  options.before?.(chains);
  mkdirSync(join(path, "checkpoints"), { recursive: true });
  const file = join(path, "memledger.db");
  const database = openDatabase(file, runtime);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = OFF");
  migrate(database);
  database.transaction(() => {
    insertOwners(database);
    for (const chain of chains) insertChain(database, chain);
  })();
  database.close();
  for (const { chain, notes } of chains) {
    const texts = [...notes.values()].map(({ note }) => `${note}\n`);
    writeFileSync(join(path, "checkpoints", `${chain}.notes`), texts.join(""));
  }
  writeFileSync(join(path, "audit.pub"), `${signer.verifierKey}\n`);
  return { folder: path, database: file, signer, chains };
}

/** The record of a project that was created, of either version. */
function creation(index: number): Draft2 {
  const data: JsonObject = { id: projects[index] ?? "", name: names[index] ?? "" };
  const places = [{ at: "/response_body/data/name", about: [] }];
  return { action: "project.create", status: 201, payload: { response_body: { data } }, places };
}

function installation(signer: Signer): MadeChain2 {
  const chain = createChain2({ number: 1, name: "installation", project: null, signer });
  chain.append1(creation(0));
  chain.sign1(1);
  chain.begin();
  chain.append2(creation(1));
  chain.sign2(2);
  return chain;
}

function first(
  signer: Signer,
  { records = 300, anchor = null, checkpointEvery = 50, forgery = {} }: Version2Options,
) {
  const chain = createChain2({ number: 2, name: "project one", project: projects[0] ?? "", signer, forgery });
  for (let seq = 1; seq <= version1Count; seq++) chain.append1(usual(seq));
  chain.sign1(version1Count);
  chain.begin();
  for (const draft of plan) chain.append2(draft);
  for (const seq of [1, 2, 3, 11]) chain.removePayload(seq);
  chain.erase(8, [1, 4, 5]);
  chain.erase(10, [0]);
  chain.sign2(pruneSeq);
  for (let seq = pruneSeq + 1; seq <= records; seq++) {
    chain.append2(seq === records - 1 && anchor !== null ? claim(anchor) : usual(seq));
    if (seq === 16) chain.sign1(seq);
    if (seq % checkpointEvery === 0 || seq === records) chain.sign2(seq);
  }
  if (anchor !== null) chain.anchor(anchor);
  return chain;
}

function claim(through: number, before = 0): Draft2 {
  return { action: "audit.prune", payload: { through, count: through - before, cause: "retention" } };
}

/** A tree that begins after an anchor of version 1. */
function second(signer: Signer): MadeChain2 {
  const chain = createChain2({ number: 3, name: "project two", project: projects[1] ?? "", signer });
  for (let seq = 1; seq <= 5; seq++) chain.append1({ ...usual(seq), key: null, memory: null });
  chain.append1(claim(2));
  chain.sign1(6);
  chain.anchor(2);
  chain.begin();
  for (let seq = 7; seq <= 12; seq++) chain.append2({ ...usual(seq), key: null, memory: null });
  chain.append2(claim(4, 2));
  chain.sign2(13);
  chain.anchor(4);
  return chain;
}

function usual(seq: number): Draft2 {
  const payload = { request_body: { content: `word ${seq}` }, response_body: { code: 1000 }, sender };
  const places = [{ at: "/request_body", about: [] }, senderAt()];
  return { action: "memory.read", key: keyId, memory: memoryId, payload, places };
}

function insertOwners(database: Database): void {
  for (const [index, id] of projects.entries())
    database
      .prepare(
        "INSERT INTO project (id, name, plan, subscription, created_at) VALUES (?, ?, 'custom', 'active', ?)",
      )
      .run(id, names[index], startAt);
  database
    .prepare(
      "INSERT INTO api_key (id, project, name, secret_digest, permissions, created_at) VALUES (?, 1, 'key', x'00', '[]', ?)",
    )
    .run(keyId, startAt);
  database
    .prepare(
      `INSERT INTO memory (id, project, memory_type, epoch, revision, content, importance, is_active, created_at, updated_at)
       VALUES (?, 1, 'fact', 0, 0, 'tea', 0.5, 1, ?, ?)`,
    )
    .run(memoryId, startAt, startAt);
  for (const { id, owner, kind, name } of rows)
    database
      .prepare(
        "INSERT INTO pseudonym (id, project, owner, kind, name) VALUES (?, 1, (SELECT serial FROM pseudonym WHERE id = ?), ?, ?)",
      )
      .run(id, owner, kind, name);
}

function insertChain(database: Database, made: MadeChain2): void {
  const { number, chain, project, genesis, genesisHash, records, anchors, notes, tree } = made;
  const pruned = number === 2 ? 2 : 0;
  database
    .prepare(
      `INSERT INTO audit_chain (number, id, project, genesis, hash, payloads_through, tree)
       VALUES (?, ?, (SELECT serial FROM project WHERE id = ?), ?, ?, ?, ?)`,
    )
    .run(number, chain, project, genesis, genesisHash, pruned, tree?.text ?? null);
  for (const record of records) insertRecord(database, made, record);
  for (const { through: last, at, note } of anchors)
    database
      .prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (?, ?, ?, ?)")
      .run(number, last, at, note);
  for (const { size, at, note } of notes.values())
    database
      .prepare("INSERT INTO audit_checkpoint (chain, size, at, note) VALUES (?, ?, ?, ?)")
      .run(number, size, at, note);
  for (const { level, position, hash } of made.nodes())
    database
      .prepare("INSERT INTO audit_node (chain, level, position, hash) VALUES (?, ?, ?, ?)")
      .run(number, level, position, hash);
  const removed = `SELECT number FROM audit_entry WHERE chain = ${number} AND seq <= ${anchors.at(-1)?.through ?? 0}`;
  database.exec(`DELETE FROM audit_pseudonym WHERE entry IN (${removed}); DELETE FROM audit_payload WHERE entry IN (${removed});
    DELETE FROM audit_entry WHERE number IN (${removed})`);
}

function insertRecord(database: Database, made: MadeChain2, record: MadeChain2["records"][number]): void {
  const { seq, id, at, action, status, key, memory, entry, hash, mac, payload } = record;
  const { lastInsertRowid: number } = database
    .prepare(
      `INSERT INTO audit_entry (chain, seq, id, at, action, status, key, memory, entry, hash, mac) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(made.number, seq, id, at, action, status, key, memory, entry, hash, mac);
  if (payload !== null)
    database
      .prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)")
      .run(number, payload.salt, Bun.zstdCompressSync(new Uint8Array(payload.content), { level: 1 }));
  for (const pseudonym of made.pseudonymsOf(record))
    database
      .prepare("INSERT INTO audit_pseudonym (pseudonym, entry) SELECT serial, ? FROM pseudonym WHERE id = ?")
      .run(number, pseudonym);
}

/** What the golden files have of a made chain: texts that must come out the same for ever. */
export function goldenTexts({ chains, signer }: MadeVersion2): Readonly<Record<string, string>> {
  const [, chain] = chains;
  if (chain === undefined) throw new Error("there is no chain of a project");
  const records = chain.records.slice(0, pruneSeq).map(({ entry, hash, mac, payload }) => ({
    ...{ entry, hash, mac: mac && Buffer.from(mac).toString("hex") },
    salt: payload && Buffer.from(payload.salt).toString("hex"),
    content: payload && Buffer.from(payload.content).toString(),
  }));
  const nodes = chain.nodes().map((node) => ({ ...node, hash: Buffer.from(node.hash).toString("hex") }));
  return {
    "audit.pub": `${signer.verifierKey}\n`,
    "chain.json": `${JSON.stringify({ genesis: chain.genesis, tree: chain.tree?.text, records, nodes }, null, 2)}\n`,
    "checkpoints.notes": [...chain.notes.values()].map(({ note }) => `${note}\n`).join(""),
  };
}

if (import.meta.main) {
  const [folder, golden] = process.argv.slice(2);
  if (folder === undefined)
    throw new Error("bun test/audit/version-2-database.ts FOLDER [FOLDER OF GOLDEN FILES]");
  const made = makeVersion2Database(folder);
  for (const [name, text] of Object.entries(golden === undefined ? {} : goldenTexts(made)))
    writeFileSync(join(golden ?? "", name), text);
}
