// Owns the signing of checkpoints: signs heads of chains, stores the signed notes in the database and appends them to files, which can
// be copied to other machines. A chain begins here with the statement of its Merkle tree. Never signs a head that is not committed, and
// nothing of a chain that another process has changed.

import { join } from "node:path";
import type { ChainHead } from "../../../audit/chain.ts";
import {
  type Checkpoint,
  checkpointText,
  parseAnchor,
  parseTreeCheckpoint,
  treeCheckpointText,
} from "../../../audit/checkpoint.ts";
import {
  type CheckpointInterval,
  type CheckpointState,
  hasUnsigned,
  isCheckpointDue,
} from "../../../audit/checkpoint-schedule.ts";
import { createNoteAppender } from "../../../audit/note-file.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { SignedCheckpoint } from "../../../audit/store.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { NoteReader } from "../../../audit/verify/note-reader.ts";
import type { Clock } from "../../../clock.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import { toHex } from "../../../text/byte-text.ts";
import { type ChainTrees, growStepLeaves } from "./chain-tree.ts";
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
  readonly trees: ChainTrees;
  readonly noteReader: NoteReader;
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
  /**
   * Writes the statement with which the tree of a chain begins, and signs it; inside a transaction. Records that the chain has already are
   * covered by a checkpoint of version 1. @throws as sign does.
   */
  beginTree(head: NumberedHead, now: number): void;
  /** The same for every chain without a tree whose head is known: it was made by a former version. */
  beginTrees(now: number): void;
  /**
   * Stores nodes of trees that were begun on chains with records, in a transaction of its own: those of at most 65,536 records.
   * @returns whether there are more
   */
  growTrees(): boolean;
  /** Stores the nodes that stand for the records up to `through` of a chain, before these are removed; inside a transaction. */
  cutTree(number: number, through: number): void;
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

/** Of a row of audit_checkpoint: the first line of its note names a log after the chain. */
export const isOfVersion2 = "substr(note, 43, 1) = '/'";
/** The log of a chain that has never lost records (docs/engineer/AUDIT-FORMAT-2.md, "Checkpoints"). */
const firstLog = "2";

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
  const insert = database.prepare(
    "INSERT OR REPLACE INTO audit_checkpoint (chain, size, at, note) VALUES (?, ?, ?, ?)",
  );
  const projectOf = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();
  const findNotes = database
    .prepare<[number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? ORDER BY size DESC")
    .pluck();
  const signedSizes = database
    .prepare<[number], number>(`SELECT size FROM audit_checkpoint WHERE chain = ? AND ${isOfVersion2}`)
    .pluck();
  const findGenesis = database
    .prepare<[number], string>("SELECT hash FROM audit_chain WHERE number = ?")
    .pluck();
  const findAnchor = database
    .prepare<[number], string>("SELECT note FROM audit_anchor WHERE chain = ? ORDER BY through DESC LIMIT 1")
    .pluck();
  const headOf = createHeadReader(database);
  const append = createNoteAppender();
  let unpublished: SignedCheckpoint[] = [];

  const store = (number: number, checkpoint: Checkpoint, text: string): SignedCheckpoint => {
    const signed = { checkpoint, note: signer.sign(text), verifierKey: signer.verifierKey };
    insert.run(number, checkpoint.size, checkpoint.at, signed.note);
    // A call may sign the same head twice. Ed25519 is deterministic, so both notes are equal; the file gets one.
    if (!unpublished.some(({ note }) => note === signed.note)) unpublished.push(signed);
    return signed;
  };

  const sign = ({ number, chain, seq, hash }: Omit<NumberedHead, "at">, now: number): SignedCheckpoint => {
    const newest = headOf(number);
    if (newest !== undefined) knownHeads.require(newest);
    const checkpoint: Checkpoint = { chain, size: seq, hash, at: now };
    const leaves = seq - trees.statementOf(number).through + 1;
    const root = trees.grow(number, leaves, growStepLeaves);
    const text =
      root === null
        ? checkpointText(checkpoint)
        : treeCheckpointText({ chain, log: logOf(number), leaves, root: toHex(root) });
    return store(number, checkpoint, text);
  };

  /** The name of the log that the newest checkpoint of version 2 has. */
  const logOf = (number: number): string => {
    for (const note of findNotes.iterate(number)) {
      const checkpoint = parseTreeCheckpoint(textOfNote(note));
      if (checkpoint !== null) return checkpoint.log;
    }
    return firstLog;
  };

  const beginTree = ({ number, chain, seq, hash }: Omit<NumberedHead, "at">, now: number): void => {
    if (seq > 0) {
      const checkpoint = { chain, size: seq, hash, at: now };
      store(number, checkpoint, checkpointText(checkpoint));
    }
    const genesis = findGenesis.get(number) ?? "";
    const note = findAnchor.get(number);
    const anchor = note === undefined ? null : parseAnchor(noteReader.open(note) ?? "");
    const { through, hash: before } = anchor ?? { through: 0, hash: genesis };
    trees.begin(number, { chain, first: seq + 1, genesis, hash: before, through });
    const root = toHex(trees.grow(number, 1, 1) ?? new Uint8Array());
    const text = treeCheckpointText({ chain, log: firstLog, leaves: 1, root });
    store(number, { chain, size: through, hash: before, at: now }, text);
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
    beginTree,
    beginTrees(now) {
      for (const chain of chains.all())
        if (!trees.hasTree(chain.number) && knownHeads.isKnown(chain)) beginTree(chain, now);
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
      const step = database.transaction((number: number, seq: number) =>
        trees.grow(number, seq - trees.statementOf(number).through + 1, growStepLeaves),
      );
      const grown = chains.all().filter(({ number }) => trees.hasTree(number));
      return grown.some(({ number, seq }) => step(number, seq) === null);
    },
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
