// Owns the heads that the writer knows: those that a server with this key has made, and those that an administrator has accepted. Any
// program that can write the file can append a record with correct hashes, so no other head may be signed or appended to.

import type { Signer } from "../../../audit/signed-note.ts";
import type { LedgerFiles } from "../../../calls/storage/engine.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { ChainTrees } from "./chain-tree.ts";
import { createConfirmation, type ForeignRecord } from "./confirmed-records.ts";
import { createHeadSealer, type NamedHead } from "./head-seals.ts";
import { findUncoveredRemovals } from "./uncovered-removals.ts";

/** Another program has written the ledger, while this process was using it or before. */
export class LedgerChanged extends Refusal {
  constructor(whose: string) {
    super(
      1503,
      `Nothing was done, because another process has changed the ledger of ${whose}. The operator must ${remedy}.`,
    );
  }
}

/** A chain waits for acceptance while the key is to be changed: the new key would confirm what the previous one did not. */
export class RotationRefused extends Refusal {
  constructor(whose: string) {
    super(
      1503,
      `The key was not changed, because another process has changed the ledger of ${whose}. Run memledger audit verify; then restore a backup, or accept the records with memledger audit accept. Then change the key.`,
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
  /** Before the key is changed: the same for all chains. @throws RotationRefused */
  requireAll(): void;
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
  readonly trees: ChainTrees;
  /** Of the key that is to be replaced: the one in use. Null: `signer` is, or the key in use is lost. */
  readonly previousSigner: Signer | null;
  readonly ledger: Pick<LedgerFiles, "verifierKeys" | "acceptsHeads" | "isKeyNew">;
  readonly logger: Logger;
}

/**
 * Reads all heads in one snapshot, and knows those up to which the key in use confirms all records. Heads of chains with a removal that no
 * checkpoint covers stay unknown.
 */
export function readKnownHeads(options: KnownHeadsOptions): KnownHeads {
  const { database, signer, previousSigner, trees, ledger, logger } = options;
  const seal = createHeadSealer(database, signer);
  const known = new Map<number, string>();
  const moved = new Map<number, NamedHead>();
  /** By the id of the chain: what was found at the start, or null. */
  const changed = new Map<string, ForeignRecord | null>();
  const findProject = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();
  const projectOf = ({ chain }: NamedHead) => findProject.get(chain) ?? null;

  const isSame = (head: NamedHead): boolean => {
    const made = moved.get(head.number);
    return (made === undefined ? known.get(head.number) : placeOf(made)) === placeOf(head);
  };
  const report = (head: NamedHead, found: ForeignRecord | null): void => {
    if (changed.has(head.chain)) return;
    changed.set(head.chain, found);
    logger.error(`another process has changed the ledger of ${whose(head)}; ${remedy}`, {
      project: projectOf(head),
      chain: head.chain,
    });
  };
  const whose = (head: NamedHead): string => {
    const [project, found] = [projectOf(head), changed.get(head.chain) ?? null];
    const name = project === null ? "the installation" : `project ${project}`;
    return found === null ? name : `${name} (record ${found.seq}: ${found.reason})`;
  };
  const isKnown = (head: NamedHead): boolean => {
    if (isSame(head)) return true;
    report(head, null);
    return false;
  };
  const removable = () =>
    new Set(findUncoveredRemovals(database, ledger.verifierKeys).map(({ chain }) => chain));
  const accept = (): readonly NamedHead[] => {
    const uncovered = removable();
    const accepted = readHeads(database).filter((head) => !isSame(head) && !uncovered.has(head.chain));
    for (const head of accepted) moved.set(head.number, head);
    return accepted;
  };
  const isToBeAccepted = ledger.acceptsHeads === true || ledger.isKeyNew === true;
  database.transaction(() => {
    const confirm = createConfirmation(database, previousSigner ?? signer, trees);
    const uncovered = removable();
    for (const head of readHeads(database)) {
      const found = confirm(head);
      if (found === null && !uncovered.has(head.chain)) known.set(head.number, placeOf(head));
      else if (!isToBeAccepted) report(head, found);
    }
  })();

  return {
    isKnown,
    accept,
    require(head) {
      if (!isKnown(head)) throw new LedgerChanged(whose(head));
    },
    requireAll() {
      const unknown = readHeads(database).find((head) => !isSame(head));
      if (unknown !== undefined) throw new RotationRefused(whose(unknown));
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

/** The heads of all chains in the database. */
export function readHeads(database: Database): NamedHead[] {
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
