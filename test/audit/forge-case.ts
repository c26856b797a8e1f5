// Owns what a forged database is made from: one lie, what must be found, and the hands of a forger who knows the format. Must never
// touch an honest file.

import { hashRecord } from "../../src/audit/chain.ts";
import { encodePayload } from "../../src/audit/parts/payload.ts";
import { createIdSource } from "../../src/platform/ids.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { type Database, openDatabase } from "../../src/platform/native/sqlite.ts";
import type { Base, Specimen } from "./forge.ts";
import { runtime } from "./ledger.ts";
import { tamper } from "./tamper.ts";
import { sealPayload1, sealRecord1 } from "./version-1.ts";

export type Expected = Pick<Specimen, "verdict"> & Partial<Pick<Specimen, "seq" | "check">>;

export interface Case {
  readonly name: string;
  readonly expected: Expected;
  /** SQL, or work on the opened copy. */
  readonly lie?: string | ((database: Database, base: Base) => void);
  /** The lie is about the schema, or has it restored itself. */
  readonly isRaw?: boolean;
  /** Work on the files of the copy, after the database. */
  readonly files?: (folder: string, base: Base) => void;
  /** Default: the outside checkpoints, and the key from beside. */
  readonly with?: { readonly outside?: boolean; readonly key?: boolean };
}

/** The first project's chain, and a record in its middle. */
export const at = (seq: number) => `chain = 2 AND seq = ${seq}`;
export const payloadOf = (seq: number) => `entry = (SELECT number FROM audit_entry WHERE ${at(seq)})`;
export const broken = (check: NonNullable<Specimen["check"]>, seq: number | null): Expected => ({
  verdict: "broken",
  check,
  seq,
});
export const contradicted: Expected = { verdict: "contradicted" };

/** Tells the lie to a copy. */
export function alter(path: string, { lie, isRaw = false }: Case, base: Base): void {
  if (lie === undefined) return;
  const tell = (database: Database) => {
    if (typeof lie === "string") database.exec(lie);
    else lie(database, base);
  };
  if (!isRaw) {
    tamper(path, (database) => database.transaction(tell)(database));
    return;
  }
  const database = openDatabase(path, runtime);
  database.pragma("synchronous = OFF");
  tell(database);
  database.close();
}

const createId = createIdSource();

/** Appends a record to the first project's chain with everything that needs no signing key. @returns its seq */
export function appendForged(database: Database, action: string, payload: JsonObject): number {
  const head = database
    .prepare<[], { chain: string; seq: number; hash: string; at: number; project: string }>(
      `SELECT c.id AS chain, e.seq, e.hash, e.at, p.id AS project FROM audit_entry e
       JOIN audit_chain c ON c.number = e.chain JOIN project p ON p.serial = c.project
       WHERE e.chain = 2 ORDER BY e.seq DESC LIMIT 1`,
    )
    .get();
  if (head === undefined) throw new Error("the chain is empty");
  const numbers = { duration: null, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
  const origin = { project: head.project, now: head.at, keyId: null };
  const draft = {
    ...origin,
    action,
    status: 200,
    code: 1000,
    memoryId: null,
    numbers,
    payload: sealPayload1(payload),
  };
  const record = sealRecord1(head, draft, createId);
  const { lastInsertRowid } = database
    .prepare(
      "INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash) VALUES (2, ?, ?, ?, ?, 200, ?, ?)",
    )
    .run(record.seq, record.id, record.at, action, record.entry, record.hash);
  database
    .prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)")
    .run(lastInsertRowid, draft.payload.salt, draft.payload.compressed);
  return record.seq;
}

/** What makes the MAC of a forged record. */
export type MacOf = (hash: string, database: Database) => Uint8Array | null;

/** The same with a record of version 2. */
export function appendForged2(database: Database, macOf: MacOf): number {
  const head = database
    .prepare<[], { chain: string; seq: number; hash: string; at: number; project: string }>(
      `SELECT c.id AS chain, e.seq, e.hash, e.at, p.id AS project FROM audit_entry e
       JOIN audit_chain c ON c.number = e.chain JOIN project p ON p.serial = c.project
       WHERE e.chain = 2 ORDER BY e.seq DESC LIMIT 1`,
    )
    .get();
  if (head === undefined) throw new Error("the chain is empty");
  const numbers = { duration: null, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
  const payload = encodePayload({ request_body: { content: "forged" } });
  const [keyId, memoryId, action] = [null, null, "memory.read"];
  const draft = { project: head.project, now: head.at, action, status: 200, code: 1000, keyId, memoryId };
  const { seq, id, at, entry, hash } = hashRecord(head, { ...draft, numbers, payload }, createId);
  const { lastInsertRowid } = database
    .prepare(
      "INSERT INTO audit_entry (chain, seq, id, at, action, status, entry, hash, mac) VALUES (2, ?, ?, ?, ?, 200, ?, ?, ?)",
    )
    .run(seq, id, at, action, entry, hash, macOf(hash, database));
  database
    .prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)")
    .run(lastInsertRowid, payload.salt, payload.compressed);
  return seq;
}
