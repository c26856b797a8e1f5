// Owns the heads that the writer knows: those that it read at its start, and those that its own transactions made. Any program that can
// write the file can append a record with correct hashes, so no other head may be signed or appended to. Only reads the database.

import type { ChainHead } from "../../../audit/chain.ts";
import { Refusal } from "../../../errors.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import { findUncoveredRemovals } from "./uncovered-removals.ts";

/** Another process has written the ledger while this one was using it. */
export class LedgerChanged extends Refusal {
  constructor(project: string | null) {
    const whose = whoseLedger(project);
    super(
      1503,
      `Nothing was done, because another process has changed the ledger of ${whose}. Stop the server and run memledger audit verify.`,
    );
  }
}

type Head = Pick<ChainHead, "chain" | "seq" | "hash"> & { readonly number: number };

export interface KnownHeads {
  /** A transaction of this process has made this head. */
  moved(head: Head): void;
  committed(): void;
  /** Discards the heads that the transaction has made. */
  rolledBack(): void;
  /** @throws LedgerChanged when the head in the database is not the one that this process knows. */
  require(head: Head): void;
  /** The same without throwing. Logs the first difference of each chain. */
  isKnown(head: Head): boolean;
  /** Why nothing more may be signed, as a clause for messages; null while no difference was found. */
  cause(): string | null;
}

/** Reads all heads in one snapshot. Heads of chains with a removal that no checkpoint covers stay unknown. */
export function readKnownHeads(
  database: Database,
  verifierKeys: readonly string[],
  logger: Logger,
): KnownHeads {
  const heads = database.transaction(() => {
    const uncovered = new Set(findUncoveredRemovals(database, verifierKeys).map(({ chain }) => chain));
    return readHeads(database).filter(({ chain }) => !uncovered.has(chain));
  })();
  const known = new Map(heads.map(({ number, seq, hash }) => [number, placeOf({ seq, hash })]));
  const moved = new Map<number, string>();
  const changed = new Set<string>();
  const projectOf = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();

  const isKnown = (head: Head): boolean => {
    if ((moved.get(head.number) ?? known.get(head.number)) === placeOf(head)) return true;
    if (changed.has(head.chain)) return false;
    changed.add(head.chain);
    const project = projectOf.get(head.chain) ?? null;
    logger.error(
      `another process has changed the ledger of ${whoseLedger(project)}; stop the server and run memledger audit verify`,
      { project, chain: head.chain },
    );
    return false;
  };
  return {
    isKnown,
    require(head) {
      if (!isKnown(head)) throw new LedgerChanged(projectOf.get(head.chain) ?? null);
    },
    moved(head) {
      moved.set(head.number, placeOf(head));
    },
    committed() {
      for (const [number, place] of moved) known.set(number, place);
      moved.clear();
    },
    rolledBack() {
      moved.clear();
    },
    cause: () => (changed.size === 0 ? null : causeOfChange),
  };
}

function whoseLedger(project: string | null): string {
  return project === null ? "the installation" : `project ${project}`;
}

const causeOfChange =
  "another process has changed the ledger; stop the server and run memledger audit verify";

/** The heads of all chains in the database. */
function readHeads(database: Database): Head[] {
  return database.prepare<[], Head>(headsQuery).all();
}

const headsQuery = `SELECT c.number, c.id AS chain, COALESCE(e.seq, 0) AS seq, COALESCE(e.hash, c.hash) AS hash
  FROM audit_chain c
  LEFT JOIN audit_entry e ON e.chain = c.number AND e.seq = (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number)`;

/** @returns a function that reads the head of the chain with this number. */
export function createHeadReader(database: Database): (number: number) => Head | undefined {
  const find = database.prepare<[number], Head>(`${headsQuery} WHERE c.number = ?`);
  return (number) => find.get(number);
}

function placeOf({ seq, hash }: Pick<Head, "seq" | "hash">): string {
  return `${seq} ${hash}`;
}
