// Owns which heads of chains are signed, and when. Never signs a head that is not committed, and nothing of a chain that another process has
// changed.

import type { ChainHead } from "../../../audit/chain.ts";
import type { SignedCheckpoint } from "../../../audit/checkpoint.ts";
import {
  type CheckpointInterval,
  type CheckpointState,
  hasUnsigned,
  isCheckpointDue,
} from "../../../audit/checkpoint-schedule.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { NoteReader } from "../../../audit/verify/note-reader.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { isKeyInUse as isInUse } from "./audit-key.ts";
import type { ChainTrees } from "./chain-tree.ts";
import { type CheckpointFiles, createCheckpointFiles } from "./checkpoint-files.ts";
import { createCheckpointSigning } from "./checkpoint-signing.ts";
import type { NamedHead } from "./head-seals.ts";
import type { KnownHeads } from "./known-heads.ts";
import { isOfVersion2 } from "./tree-roots.ts";

export type NumberedHead = ChainHead & { readonly number: number };

interface ChainState extends CheckpointState {
  readonly number: number;
  readonly chain: string;
  readonly hash: string;
}

interface CheckpointOptions {
  readonly database: Database;
  readonly signer: Signer;
  readonly knownHeads: KnownHeads;
  readonly trees: ChainTrees;
  readonly noteReader: NoteReader;
  /** Folder of the notes. */
  readonly notes: string;
  /** Absent: the usual one. */
  readonly interval?: CheckpointInterval | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Checkpoints extends Pick<CheckpointFiles, "publish" | "savepoint" | "forget"> {
  /** Of the key that signs. */
  readonly verifierKey: string;
  /** False before a change of the key to this one is committed: nothing may be signed with it. */
  isKeyInUse(): boolean;
  /**
   * Signs a head and stores the note, inside the transaction that writes the head.
   * @throws Refusal 1503 when another process has changed the chain.
   */
  sign(head: NumberedHead, now: number): SignedCheckpoint;
  /** Signs the heads of all chains; inside a transaction. @throws as sign does. */
  signAll(now: number): SignedCheckpoint[];
  /**
   * Signs the heads of all chains that are known, because the key has changed; inside a transaction. Begins the trees of those that have
   * none. @param previous signs those of version 2, too; null: the previous key is lost
   */
  signWith(previous: Signer | null, now: number): void;
  /**
   * Signs a head that an administrator has accepted, and begins the tree of a chain that has none; inside a transaction.
   * @param log the record of the acceptance: the name of the log from now on if the chain lacks what a checkpoint covers
   * @param isLost a checkpoint that is not in the database covers missing records
   */
  accept(head: NamedHead, log: string, isLost: boolean, now: number): void;
  /**
   * Writes the statement with which the tree of a chain begins, and signs it; inside a transaction. Records that the chain has already are
   * covered by a checkpoint of version 1. @throws as sign does.
   */
  beginTree(head: NumberedHead, now: number): void;
  /** The same for every chain without a tree whose head is known: it was made by a previous version. */
  beginTrees(now: number): void;
  /**
   * Stores nodes of trees that were begun on chains with records, in a transaction of its own: those of one chain, of at most 65,536 records.
   * @returns false: nothing was left to do
   */
  growTrees(): boolean;
  /** Stores the nodes that stand for the records up to `through` of a chain, before these are removed; inside a transaction. */
  cutTree(number: number, through: number): void;
  /** Signs every head that is due; inside a transaction. */
  signDueBefore(now: number): void;
  /** Signs every head that is due, in its own transaction. With `everything`, also all heads that no checkpoint covers. */
  signDue(everything: boolean): void;
}

export function createCheckpoints({
  database,
  signer,
  knownHeads,
  trees,
  noteReader,
  notes,
  interval,
  clock,
  logger,
}: CheckpointOptions): Checkpoints {
  const chains = database.prepare<[], ChainState>(
    `SELECT c.number, c.id AS chain, COALESCE(e.seq, 0) AS seq, COALESCE(e.hash, c.hash) AS hash, p.size, p.at AS signedAt
     FROM audit_chain c
     LEFT JOIN audit_entry e ON e.chain = c.number AND e.seq = (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number)
     LEFT JOIN audit_checkpoint p ON p.chain = c.number AND p.size = (SELECT MAX(size) FROM audit_checkpoint WHERE chain = c.number)`,
  );
  const signedSizes = database
    .prepare<[number], number>(`SELECT size FROM audit_checkpoint WHERE chain = ? AND ${isOfVersion2}`)
    .pluck();
  const files = createCheckpointFiles(database, notes, logger);
  const signing = createCheckpointSigning({ database, signer, knownHeads, trees, noteReader, files, logger });

  const findDue = (now: number, everything: boolean): readonly ChainState[] => {
    const isDue = (chain: ChainState) =>
      isCheckpointDue(chain, now, interval) || (everything && hasUnsigned(chain));
    return chains.all().filter((chain) => knownHeads.isKnown(chain) && isDue(chain));
  };

  const forget = (): void => {
    files.forget();
    signing.forget();
  };
  const isKeyInUse = () => isInUse(database, signer.verifierKey);
  /** Chains whose trees lack nodes. */
  let ungrown: ChainState[] = [];
  const knownChains = () => chains.all().filter(knownHeads.isKnown);
  return {
    verifierKey: signer.verifierKey,
    publish: files.publish,
    sign: (head, now) => signing.sign(head, now),
    accept: signing.accept,
    signWith(previous, now) {
      for (const chain of knownChains()) {
        if (trees.hasTree(chain.number)) signing.sign(chain, now, { previous });
        else signing.beginTree(chain, now, { previous });
      }
    },
    beginTree: (head, now) => signing.beginTree(head, now),
    beginTrees(now) {
      for (const chain of knownChains()) if (!trees.hasTree(chain.number)) signing.beginTree(chain, now);
    },
    cutTree(number, through) {
      if (!trees.hasTree(number)) return;
      const before = trees.statementOf(number).through - 1;
      trees.cut(
        number,
        through - before,
        signedSizes.all(number).map((size) => size - before),
      );
    },
    growTrees() {
      if (ungrown.length === 0) ungrown = knownChains().filter(signing.isUngrown);
      const next = ungrown.at(-1);
      if (next !== undefined && !signing.growTree(next)) ungrown.pop();
      return next !== undefined;
    },
    signAll: (now) => chains.all().map((chain) => signing.sign(chain, now)),
    signDueBefore(now) {
      for (const chain of findDue(now, false)) signing.sign(chain, now);
    },
    isKeyInUse,
    signDue(everything) {
      if (!isKeyInUse()) return;
      const now = clock.now();
      const due = findDue(now, everything);
      if (due.length === 0) return;
      try {
        database.transaction(() => {
          for (const chain of due) signing.sign(chain, now);
        })();
      } catch (error) {
        forget();
        throw error;
      }
      files.publish();
    },
    savepoint() {
      const undo = files.savepoint();
      return () => {
        undo();
        signing.forget();
      };
    },
    forget,
  };
}
