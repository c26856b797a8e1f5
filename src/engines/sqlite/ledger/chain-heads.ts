// Owns the heads of chains inside a transaction: read and checked when a chain is locked, moved with each record. The transaction holds
// the whole database (BEGIN IMMEDIATE), so no other connection can move a head that was read here.

import { randomBytes } from "node:crypto";
import { genesisHash, genesisText } from "../../../audit/chain.ts";
import type { IdSource } from "../../../platform/ids.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { serialsOf } from "../project-serials.ts";
import type { NumberedHead } from "./checkpoints.ts";
import type { KnownHeads } from "./known-heads.ts";

/** A project by its id; null: the installation. */
type Owner = string | null;

export interface ChainHeads {
  /**
   * Reads the head of a chain and compares it with what this process knows, unless that was done and no other connection has
   * committed since.
   * @throws LedgerChanged when another process has changed the chain; the transaction can continue with other chains.
   */
  lock(owner: Owner): void;
  /** The head of the chain; creates the chain if the owner has none. @throws as lock does. */
  open(owner: Owner, now: number): NumberedHead;
  /** A record was appended. */
  move(owner: Owner, head: NumberedHead): void;
  /** @returns a function that undoes every later `open` and `move`, for a savepoint that is rolled back. */
  savepoint(): () => void;
  committed(): void;
  rolledBack(): void;
}

interface HeadRow {
  readonly number: number;
  readonly chain: string;
  readonly seq: number | null;
  readonly hash: string;
  readonly at: number | null;
}

/** @param beginTree called with the head of a chain that is created */
export function createChainHeads(
  database: Database,
  knownHeads: KnownHeads,
  createId: IdSource,
  beginTree: (head: NumberedHead, now: number) => void,
): ChainHeads {
  const findHead = database.prepare<[number | null], HeadRow>(
    `SELECT c.number, c.id AS chain, e.seq, COALESCE(e.hash, c.hash) AS hash, e.at
     FROM audit_chain c
     LEFT JOIN audit_entry e ON e.chain = c.number AND e.seq = (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number)
     WHERE c.project IS ?`,
  );
  const insertChain = database.prepare(
    "INSERT INTO audit_chain (id, project, genesis, hash) VALUES (:id, :project, :genesis, :hash)",
  );
  const serialOf = serialsOf(database);
  const toSerial = (owner: Owner) => (owner === null ? null : serialOf(owner));
  /** Changes with every commit of another connection, and with no other. */
  const readDataVersion = database.prepare<[], number>("PRAGMA data_version").pluck();
  let dataVersion: number | undefined;
  let isCurrent = false;
  /** Of the chains that were locked while the data version is the same; null: there is no such chain yet. */
  const heads = new Map<Owner, NumberedHead | null>();
  const moves: { readonly owner: Owner; readonly before: NumberedHead | null }[] = [];

  /** Once in each transaction. */
  const forgetOutdated = (): void => {
    const found = readDataVersion.get();
    if (found !== dataVersion) heads.clear();
    dataVersion = found;
    isCurrent = true;
  };

  const lock = (owner: Owner): NumberedHead | null => {
    if (!isCurrent) forgetOutdated();
    const locked = heads.get(owner);
    if (locked !== undefined) return locked;
    const row = findHead.get(toSerial(owner));
    const head = row === undefined ? null : { ...row, seq: row.seq ?? 0, at: row.at ?? 0 };
    if (head !== null) knownHeads.require(head);
    heads.set(owner, head);
    return head;
  };

  const move = (owner: Owner, head: NumberedHead): void => {
    moves.push({ owner, before: heads.get(owner) ?? null });
    heads.set(owner, head);
    knownHeads.moved(head);
  };

  const begin = (owner: Owner, now: number): NumberedHead => {
    const chain = createId(now);
    const nonce = randomBytes(16).toString("hex");
    const genesis = { chain, project: owner, at: toTimestamp(now), nonce };
    const hash = genesisHash(genesis);
    const row = { id: chain, project: toSerial(owner), genesis: genesisText(genesis), hash };
    const number = Number(insertChain.run(row).lastInsertRowid);
    const head = { number, chain, seq: 0, hash, at: 0 };
    move(owner, head);
    beginTree(head, now);
    return head;
  };

  const end = (): void => {
    moves.length = 0;
    isCurrent = false;
  };

  return {
    lock: (owner) => void lock(owner),
    open: (owner, now) => lock(owner) ?? begin(owner, now),
    move,
    savepoint() {
      const length = moves.length;
      return () => {
        for (const { owner, before } of moves.splice(length).reverse()) {
          heads.set(owner, before);
          if (before !== null) knownHeads.moved(before);
        }
      };
    },
    committed() {
      knownHeads.committed();
      end();
    },
    rolledBack() {
      knownHeads.rolledBack();
      heads.clear();
      end();
    },
  };
}
