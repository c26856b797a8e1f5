// Owns the signing of checkpoints: signs heads of chains, stores the signed notes in the database and appends them to files, which can
// be copied to other machines. Never signs a head that is not committed, and nothing of a chain that another process has changed.

import { join } from "node:path";
import type { ChainHead } from "../../../audit/chain.ts";
import { type Checkpoint, checkpointText } from "../../../audit/checkpoint.ts";
import {
  type CheckpointInterval,
  type CheckpointState,
  hasUnsigned,
  isCheckpointDue,
} from "../../../audit/checkpoint-schedule.ts";
import { createNoteAppender } from "../../../audit/note-file.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { SignedCheckpoint } from "../../../audit/store.ts";
import type { Clock } from "../../../clock.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import { createHeadReader, type KnownHeads } from "./known-heads.ts";

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
  /** Folder of the notes. */
  readonly notes: string;
  /** Absent: the usual one. */
  readonly interval?: CheckpointInterval | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Checkpoints {
  /** Of the key that signs. */
  readonly verifierKey: string;
  /**
   * Signs a head and stores the note, inside the transaction that writes the head.
   * @throws Refusal 1503 when another process has changed the chain.
   */
  sign(head: NumberedHead, now: number): SignedCheckpoint;
  /** Signs the heads of all chains; inside a transaction. @throws as sign does. */
  signAll(now: number): SignedCheckpoint[];
  /** Signs every head that is due; inside a transaction. */
  signDueBefore(now: number): void;
  /** Signs every head that is due, in its own transaction. With `everything`, also all heads that no checkpoint covers. */
  signDue(everything: boolean): void;
  /** Appends the notes of committed transactions to their files. */
  publish(): void;
  /** @returns a function that discards later notes, for a savepoint that is rolled back. */
  savepoint(): () => void;
  /** Discards the notes of a transaction that was rolled back. */
  forget(): void;
}

export function createCheckpoints({
  database,
  signer,
  knownHeads,
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
  const insert = database.prepare(
    "INSERT OR REPLACE INTO audit_checkpoint (chain, size, at, note) VALUES (?, ?, ?, ?)",
  );
  const projectOf = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();
  const headOf = createHeadReader(database);
  const append = createNoteAppender();
  let unpublished: SignedCheckpoint[] = [];

  const sign = ({ number, chain, seq, hash }: Omit<NumberedHead, "at">, now: number): SignedCheckpoint => {
    const newest = headOf(number);
    if (newest !== undefined) knownHeads.require(newest);
    const checkpoint: Checkpoint = { chain, size: seq, hash, at: now };
    const signed = {
      checkpoint,
      note: signer.sign(checkpointText(checkpoint)),
      verifierKey: signer.verifierKey,
    };
    insert.run(number, seq, now, signed.note);
    // A call may sign the same head twice. Ed25519 is deterministic, so both notes are equal; the file gets one.
    if (!unpublished.some(({ note }) => note === signed.note)) unpublished.push(signed);
    return signed;
  };

  const findDue = (now: number, everything: boolean): readonly ChainState[] => {
    const isDue = (chain: ChainState) =>
      isCheckpointDue(chain, now, interval) || (everything && hasUnsigned(chain));
    return chains.all().filter((chain) => knownHeads.isKnown(chain) && isDue(chain));
  };

  const publish = (): void => {
    const notesToWrite = unpublished;
    unpublished = [];
    for (const { checkpoint, note } of notesToWrite) {
      const { chain, size, hash } = checkpoint;
      const project = projectOf.get(chain) ?? null;
      try {
        append(join(notes, `${chain}.notes`), note);
      } catch (error) {
        const message = "a checkpoint could not be appended to its file; it is in the database";
        logger.error(message, { project, chain, error });
      }
      logger.info("checkpoint", { project, chain, size, hash });
    }
  };

  return {
    verifierKey: signer.verifierKey,
    sign,
    publish,
    signAll: (now) => chains.all().map((chain) => sign(chain, now)),
    signDueBefore(now) {
      for (const chain of findDue(now, false)) sign(chain, now);
    },
    signDue(everything) {
      const now = clock.now();
      const due = findDue(now, everything);
      if (due.length === 0) return;
      database.transaction(() => {
        for (const chain of due) sign(chain, now);
      })();
      publish();
    },
    savepoint() {
      const length = unpublished.length;
      return () => void unpublished.splice(length);
    },
    forget() {
      unpublished = [];
    },
  };
}
