// Builds ledgers as version 1 of the format describes them, record by record and without a server, so that tests can forge every part of one. Uses
// the product's own sealing and schema; writes files only into the folder it is given.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { genesisHash, genesisText } from "../../src/audit/chain.ts";
import { anchorText, checkpointText } from "../../src/audit/checkpoint.ts";
import type { RecordDraft } from "../../src/audit/record.ts";
import { createSigner, createSigningKey, type Signer } from "../../src/audit/signed-note.ts";
import { migrate } from "../../src/engines/sqlite/schema/migrate.ts";
import { createIdSource } from "../../src/platform/ids.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { prepareRuntime, type RuntimeFiles } from "../../src/platform/native/runtime.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";
import { sealPayload1, sealRecord1 } from "./version-1.ts";

export const runtime: RuntimeFiles = prepareRuntime("unused-from-source");

export interface MadeRecord {
  readonly number: number;
  readonly seq: number;
  readonly at: number;
  readonly entry: string;
  readonly hash: string;
  readonly salt: Uint8Array;
  readonly payload: string;
}

export interface MadeChain {
  readonly number: number;
  readonly chain: string;
  readonly project: string | null;
  readonly genesisHash: string;
  readonly records: readonly MadeRecord[];
  /** Signed: the chain had this head when it had this size. */
  checkpoint(size: number): string;
}

export interface MadeLedger {
  readonly folder: string;
  readonly database: string;
  readonly signer: Signer;
  /** By number: the installation, then the projects. */
  readonly chains: readonly MadeChain[];
}

interface LedgerPlan {
  readonly folder: string;
  /** Records of each chain: the installation's, then one for each project. */
  readonly sizes: readonly number[];
  /** Every so many records a checkpoint, in the database and beside it. */
  readonly checkpointEvery?: number;
  /** Of the first project: up to where an anchor removes records, ascending, by the seq of the record that says so. */
  readonly anchors?: Readonly<Record<number, number>>;
  /** Of the first project: what a record of this seq says was erased. */
  readonly redactions?: Readonly<Record<number, readonly number[]>>;
  /** Of the first project: up to where a record of this seq says that payloads were removed. */
  readonly prunes?: Readonly<Record<number, number>>;
  /** Bytes of text in each payload. */
  readonly contentLength?: number;
}

const startAt = Date.parse("2026-11-21T09:00:00.000Z");

export function buildLedger(plan: LedgerPlan): MadeLedger {
  const { folder, sizes, checkpointEvery = 10 } = plan;
  mkdirSync(join(folder, "checkpoints"), { recursive: true });
  const signer = createSigner(createSigningKey());
  const path = join(folder, "memledger.db");
  const database = openDatabase(path, runtime);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = OFF");
  migrate(database);
  const chains = database.transaction(() => {
    const opened = openChains(database, sizes.length);
    const records = appendAll(database, opened, plan);
    return opened.map((chain, index) => toChain(chain, records[index] ?? [], signer));
  })();
  for (const chain of chains) {
    const notes: string[] = [];
    for (let size = checkpointEvery; size <= chain.records.length; size += checkpointEvery) {
      const note = chain.checkpoint(size);
      notes.push(`${note}\n`);
      const at = chain.records[size - 1]?.at;
      database
        .prepare("INSERT INTO audit_checkpoint (chain, size, at, note) VALUES (?, ?, ?, ?)")
        .run(chain.number, size, at, note);
    }
    writeFileSync(join(folder, "checkpoints", `${chain.chain}.notes`), notes.join(""));
  }
  const [, first] = chains;
  if (first !== undefined) removeOld(database, first, plan, signer);
  const pruned = Object.values(plan.prunes ?? {}).at(-1) ?? 0;
  if (first !== undefined) {
    database.prepare("UPDATE audit_chain SET payloads_through = ? WHERE id = ?").run(pruned, first.chain);
  }
  database.close();
  writeFileSync(join(folder, "audit.pub"), `${signer.verifierKey}\n`);
  return { folder, database: path, signer, chains };
}

type OpenChain = Omit<MadeChain, "records" | "checkpoint">;

const createId = createIdSource();

function openChains(database: Database, count: number): OpenChain[] {
  return Array.from({ length: count }, (_, index) => {
    const project = index === 0 ? null : createId(startAt);
    const serial =
      project === null
        ? null
        : Number(
            database
              .prepare(
                "INSERT INTO project (id, name, plan, subscription, created_at) VALUES (?, ?, 'custom', 'active', ?)",
              )
              .run(project, `project ${index}`, startAt).lastInsertRowid,
          );
    const genesis = { chain: createId(startAt), project, at: toTimestamp(startAt), nonce: createId(startAt) };
    const row = [genesis.chain, serial, genesisText(genesis), genesisHash(genesis)];
    const number = Number(
      database.prepare("INSERT INTO audit_chain (id, project, genesis, hash) VALUES (?, ?, ?, ?)").run(...row)
        .lastInsertRowid,
    );
    if (serial !== null) insertContents(database, serial, index);
    return { number, chain: genesis.chain, project, genesisHash: genesisHash(genesis) };
  });
}

const keyOf = (index: number) => "0".repeat(31) + index;
const memoryOf = (index: number) => "e".repeat(31) + index;
const listedMemoryOf = (index: number) => "b".repeat(31) + index;

/** The key and the memories that the records of a project name. */
function insertContents(database: Database, project: number, index: number): void {
  database
    .prepare(
      "INSERT INTO api_key (id, project, name, secret_digest, permissions, created_at) VALUES (?, ?, 'key', ?, '[]', ?)",
    )
    .run(keyOf(index), project, Buffer.from([index]), startAt);
  const insertMemory = database.prepare(
    `INSERT INTO memory (id, project, memory_type, epoch, revision, content, importance, is_active, created_at, updated_at)
     VALUES (?, ?, 'fact', 0, 0, 'content', 0.5, 1, ?, ?)`,
  );
  for (const id of [memoryOf(index), listedMemoryOf(index)]) insertMemory.run(id, project, startAt, startAt);
}

/** Chains take turns, as they do in life, until each has its size. */
function appendAll(database: Database, chains: readonly OpenChain[], plan: LedgerPlan): MadeRecord[][] {
  const made: MadeRecord[][] = chains.map(() => []);
  const longest = Math.max(...plan.sizes);
  const projects = chains.flatMap(({ project }) => (project === null ? [] : [project]));
  for (let turn = 1; turn <= longest; turn++) {
    for (const [index, chain] of chains.entries()) {
      const records = made[index] ?? [];
      if (turn <= (plan.sizes[index] ?? 0))
        records.push(append(database, chain, records.at(-1), draft(chain, turn, index, plan, projects)));
    }
  }
  return made;
}

function append(
  database: Database,
  chain: OpenChain,
  previous: MadeRecord | undefined,
  { payload: content, ...made }: PlainDraft,
): MadeRecord {
  const head = {
    chain: chain.chain,
    seq: previous?.seq ?? 0,
    hash: previous?.hash ?? chain.genesisHash,
    at: previous?.at ?? 0,
  };
  const payload = sealPayload1(content);
  const { seq, id, at, entry, hash } = sealRecord1(head, { ...made, payload }, createId);
  const { action, status, keyId, memoryId } = made;
  const insert = database.prepare(
    `INSERT INTO audit_entry (chain, seq, id, at, action, status, key, memory, entry, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const row = [chain.number, seq, id, at, action, status, keyId, memoryId, entry, hash];
  const number = Number(insert.run(...row).lastInsertRowid);
  database
    .prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)")
    .run(number, payload.salt, payload.compressed);
  return { number, seq, at, entry, hash, salt: payload.salt, payload: payload.text };
}

/** Before its payload is sealed. */
type PlainDraft = Omit<RecordDraft, "payload"> & { readonly payload: JsonObject };

const usual = { credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
/** What spreadsheets, CSV and JSON trip over. */
const awkward = [
  "=1+1",
  "-2",
  'say "hi", twice',
  "line\r\nbreak",
  "Grüße \u{1f600} \u2028",
  "'quoted",
  "plain",
];

function draft(
  { project }: OpenChain,
  seq: number,
  index: number,
  plan: LedgerPlan,
  projects: readonly string[],
): PlainDraft {
  const base = {
    project,
    now: startAt + seq * 1000,
    keyId: index === 0 ? null : keyOf(index),
  };
  const server = { ...base, status: 200, code: 1000, memoryId: null, numbers: { duration: null, ...usual } };
  const redacted = index === 1 ? plan.redactions?.[seq] : undefined;
  if (redacted !== undefined) return { ...server, action: "audit.redact", payload: { redacted } };
  const anchored = index === 1 ? claimOf(plan, seq) : undefined;
  if (anchored !== undefined) return { ...server, action: "audit.prune", payload: anchored };
  const through = index === 1 ? plan.prunes?.[seq] : undefined;
  if (through !== undefined)
    return { ...server, action: "audit.prune", payload: { payloads_through: through } };
  const created = index === 0 ? projects[seq - 1] : undefined;
  if (created !== undefined) {
    const data = { id: created, name: `project ${seq}` };
    return { ...server, action: "project.create", status: 201, payload: { response_body: { data } } };
  }
  return { ...base, ...call(seq, index, plan.contentLength ?? 40) };
}

/** What the record of an anchor says. */
function claimOf({ anchors = {} }: LedgerPlan, seq: number): JsonObject | undefined {
  const throughs = Object.values(anchors);
  const through = anchors[seq];
  if (through === undefined) return undefined;
  const before = throughs[throughs.indexOf(through) - 1] ?? 0;
  return { through, count: through - before, cause: "retention" };
}

function call(
  seq: number,
  index: number,
  contentLength: number,
): Omit<PlainDraft, "project" | "now" | "keyId"> {
  const content = `${awkward[seq % awkward.length]} ${seq} ${"word ".repeat(contentLength / 5)}`;
  const origin = { ip_address: "127.0.0.1", user_agent: awkward[seq % awkward.length] ?? "" };
  if (seq % 7 === 3) {
    const tokens = { prompt_tokens: seq, completion_tokens: 2, total_tokens: seq + 2 };
    const numbers = { duration: null, ...usual, balance_consumed_usd: 1.5e-7, tokens };
    const payload: JsonObject = {
      ...origin,
      model_id: "model-1",
      gateway_id: "edge",
      rag_query: [content],
      input_content: { "10": 1, "9": content },
    };
    return { action: "gateway.chat", status: 200, code: null, memoryId: null, numbers, payload };
  }
  const numbers = { duration: seq + 0.125, ...usual };
  if (seq % 5 === 4) {
    const payload = { ...origin, error_msg: "The memory does not exist.", request_body: { content } };
    return { action: "memory.update", status: 404, code: 2100, memoryId: "f".repeat(32), numbers, payload };
  }
  if (seq % 22 === 0) {
    const results = [{ index: 0, status: "created", id: listedMemoryOf(index) }];
    const payload = { ...origin, response_body: { success: true, data: { results } } };
    return { action: "memory.create_batch", status: 200, code: 1000, memoryId: null, numbers, payload };
  }
  const data = { id: memoryOf(index), content, importance: 0.5 };
  const response = { success: true, code: 1000, message: "created", data };
  const payload = {
    ...origin,
    metadata: { a: [1, null, true] },
    request_body: { content },
    response_body: response,
  };
  return { action: "memory.create", status: 201, code: 1000, memoryId: data.id, numbers, payload };
}

function toChain(chain: OpenChain, records: readonly MadeRecord[], signer: Signer): MadeChain {
  const { number, project, genesisHash: start } = chain;
  return {
    number,
    chain: chain.chain,
    project,
    genesisHash: start,
    records,
    checkpoint(size) {
      const record = records[size - 1];
      const [hash, at] = [record?.hash ?? start, record?.at ?? startAt];
      return signer.sign(checkpointText({ chain: chain.chain, size, hash, at }));
    },
  };
}

/** What retention and erasure leave behind. */
function removeOld(
  database: Database,
  { chain, number, records }: MadeChain,
  plan: LedgerPlan,
  signer: Signer,
): void {
  let from = 0;
  for (const through of Object.values(plan.anchors ?? {})) {
    const [first, last] = [records[from], records[through - 1]];
    if (first === undefined || last === undefined) throw new Error("no such record");
    const facts = { through, hash: last.hash, firstAt: first.at, lastAt: last.at, count: through - from };
    const note = signer.sign(anchorText({ chain, ...facts, cause: "retention" }));
    database
      .prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (?, ?, ?, ?)")
      .run(number, through, last.at, note);
    // The newest anchor's records are still about to be deleted.
    if (from > 0) remove(database, number, from);
    from = through;
  }
  const gone = Object.values(plan.redactions ?? {}).flat();
  const pruned = Math.max(0, ...Object.values(plan.prunes ?? {}));
  for (const { number: entry, seq, entry: text } of records) {
    const isLasting = /"action":"audit\.(prune|redact)"/.test(text);
    if (gone.includes(seq) || (seq <= pruned && !isLasting)) {
      database.prepare("DELETE FROM audit_payload WHERE entry = ?").run(entry);
    }
  }
}

function remove(database: Database, chain: number, through: number): void {
  database
    .prepare(
      "DELETE FROM audit_payload WHERE entry IN (SELECT number FROM audit_entry WHERE chain = ? AND seq <= ?)",
    )
    .run(chain, through);
  database.prepare("DELETE FROM audit_entry WHERE chain = ? AND seq <= ?").run(chain, through);
}
