// Owns the heads that the writer knows: those that a server with this key has made, and those that an administrator has accepted. Any
// program that can write the file can append a record with correct hashes, so no other head may be signed or appended to.

import { createSigner, type Signer } from "../../../audit/signed-note.ts";
import { Refusal } from "../../../errors.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import type { LedgerFiles } from "../../../storage/engine.ts";
import { createHeadCheck, createHeadSealer, type NamedHead } from "./head-seals.ts";
import { findUncoveredRemovals } from "./uncovered-removals.ts";

/** Another program has written the ledger, while this process was using it or before. */
export class LedgerChanged extends Refusal {
  constructor(project: string | null) {
    const whose = whoseLedger(project);
    super(
      1503,
      `Nothing was done, because another process has changed the ledger of ${whose}. The operator must ${remedy}.`,
    );
  }
}

export interface KnownHeads {
  /** A transaction of this process has made this head. */
  moved(head: NamedHead): void;
  /** Stores the seals of the heads that the transaction has made; inside it. */
  seal(): void;
  committed(): void;
  /** Discards the heads that the transaction has made. */
  rolledBack(): void;
  /** @throws LedgerChanged when the head in the database is not the one that this process knows. */
  require(head: NamedHead): void;
  /** The same without throwing. Logs the first difference of each chain. */
  isKnown(head: NamedHead): boolean;
  /** From now on, the heads in the database are those that this process knows; inside a transaction. @returns those that it did not know */
  accept(): readonly NamedHead[];
  /** Seals all known heads again, because the key has changed; inside a transaction. */
  sealAll(): void;
  /** Why nothing more may be signed, as a clause for messages; null while no difference was found. */
  cause(): string | null;
}

interface KnownHeadsOptions {
  readonly database: Database;
  readonly signer: Signer;
  readonly ledger: Pick<LedgerFiles, "verifierKeys" | "formerSigningKey" | "acceptsHeads">;
  readonly logger: Logger;
}

/**
 * Reads all heads in one snapshot, and knows those that a server with this key has made. Heads of chains with a removal that no checkpoint
 * covers stay unknown.
 */
export function readKnownHeads({ database, signer, ledger, logger }: KnownHeadsOptions): KnownHeads {
  const seal = createHeadSealer(database, signer);
  const known = new Map<number, string>();
  const moved = new Map<number, NamedHead>();
  const changed = new Set<string>();
  const projectOf = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();

  const placeOfKnown = (number: number): string | undefined => {
    const head = moved.get(number);
    return head === undefined ? known.get(number) : placeOf(head);
  };
  const isKnown = (head: NamedHead): boolean => {
    if (placeOfKnown(head.number) === placeOf(head)) return true;
    if (changed.has(head.chain)) return false;
    changed.add(head.chain);
    const project = projectOf.get(head.chain) ?? null;
    logger.error(`another process has changed the ledger of ${whoseLedger(project)}; ${remedy}`, {
      project,
      chain: head.chain,
    });
    return false;
  };
  const removable = () =>
    new Set(findUncoveredRemovals(database, ledger.verifierKeys).map(({ chain }) => chain));
  const accept = (): readonly NamedHead[] => {
    const uncovered = removable();
    const accepted = readHeads(database).filter((head) => !isKnown(head) && !uncovered.has(head.chain));
    for (const head of accepted) moved.set(head.number, head);
    return accepted;
  };
  const formerSigners = ledger.formerSigningKey === undefined ? [] : [createSigner(ledger.formerSigningKey)];
  database.transaction(() => {
    const isMade = createHeadCheck(database, [signer, ...formerSigners]);
    const uncovered = removable();
    for (const head of readHeads(database)) {
      if (uncovered.has(head.chain)) continue;
      if (isMade(head)) known.set(head.number, placeOf(head));
      // Sealed with the first transaction, which records the decision of the operator.
      else if (ledger.acceptsHeads === true) moved.set(head.number, head);
      else isKnown(head);
    }
  })();

  return {
    isKnown,
    accept,
    require(head) {
      if (!isKnown(head)) throw new LedgerChanged(projectOf.get(head.chain) ?? null);
    },
    moved(head) {
      moved.set(head.number, head);
    },
    seal() {
      for (const head of moved.values()) seal(head);
    },
    sealAll() {
      for (const head of readHeads(database).filter(isKnown)) seal(head);
    },
    committed() {
      for (const [number, head] of moved) {
        known.set(number, placeOf(head));
        changed.delete(head.chain);
      }
      moved.clear();
    },
    rolledBack() {
      moved.clear();
    },
    cause: () => (changed.size === 0 ? null : causeOfChange),
  };
}

const remedy =
  "stop the server and run memledger audit verify; then restore a backup, or accept the records with memledger audit accept";
const causeOfChange =
  "another process has changed the ledger; stop the server and run memledger audit verify";

function whoseLedger(project: string | null): string {
  return project === null ? "the installation" : `project ${project}`;
}

/** The heads of all chains in the database. */
function readHeads(database: Database): NamedHead[] {
  return database.prepare<[], NamedHead>(headsQuery).all();
}

const headsQuery = `SELECT c.number, c.id AS chain, COALESCE(e.seq, 0) AS seq, COALESCE(e.hash, c.hash) AS hash
  FROM audit_chain c
  LEFT JOIN audit_entry e ON e.chain = c.number AND e.seq = (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number)`;

/** @returns a function that reads the head of the chain with this number. */
export function createHeadReader(database: Database): (number: number) => NamedHead | undefined {
  const find = database.prepare<[number], NamedHead>(`${headsQuery} WHERE c.number = ?`);
  return (number) => find.get(number);
}

function placeOf({ seq, hash }: Pick<NamedHead, "seq" | "hash">): string {
  return `${seq} ${hash}`;
}
