// Owns the making of checkpoints: signs a head of a chain and stores the note, and begins a chain with the statement of its Merkle tree.
// Signs nothing of a chain that another process has changed. Everything is written in the transaction of the caller.

import type { SignedCheckpoint } from "../../../audit/checkpoint.ts";
import {
  type Checkpoint,
  checkpointText,
  parseAnchor,
  parseTreeCheckpoint,
  treeCheckpointText,
} from "../../../audit/checkpoint.ts";
import { addSignature, openNote, type Signer } from "../../../audit/signed-note.ts";
import { firstLog } from "../../../audit/verify/checkpoint-comparison.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { NoteReader } from "../../../audit/verify/note-reader.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toHex } from "../../../platform/text/byte-text.ts";
import type { ChainTrees } from "./chain-tree.ts";
import type { CheckpointFiles } from "./checkpoint-files.ts";
import type { NamedHead } from "./head-seals.ts";
import { createHeadReader, type KnownHeads } from "./known-heads.ts";
import { cosignedNote, createTreeRoots, isOfVersion2, newestRoot, newestStamp } from "./tree-roots.ts";

interface SigningOptions {
  readonly database: Database;
  readonly signer: Signer;
  readonly knownHeads: Pick<KnownHeads, "require" | "moved">;
  readonly trees: ChainTrees;
  readonly noteReader: NoteReader;
  readonly files: Pick<CheckpointFiles, "add">;
  readonly logger: Logger;
}

interface Signing {
  /** The key that is replaced now: it signs checkpoints of version 2, too. */
  readonly previous?: Signer | null;
  /** The name of the log from now on; absent: the one that the chain has. */
  readonly log?: string | undefined;
  /** False: the file of the notes will be replaced by one that is made from the database. Absent: true. */
  readonly isPublished?: boolean | undefined;
}

export interface CheckpointSigning {
  /** @throws Refusal 1503 when another process has changed the chain. */
  sign(head: NamedHead, at: number, signing?: Signing): SignedCheckpoint;
  /** As Checkpoints. */
  beginTree(head: NamedHead, at: number, signing?: Signing): void;
  /** As Checkpoints. */
  accept(head: NamedHead, log: string, isLost: boolean, now: number): void;
  /** Whether complete nodes of the tree are to be stored. */
  isUngrown(head: NamedHead): boolean;
  /** Stores nodes of at most 65,536 records. @returns whether there are more */
  growTree(head: NamedHead): boolean;
  /** The transaction was rolled back. */
  forget(): void;
}

export function createCheckpointSigning({
  database,
  signer,
  knownHeads,
  trees,
  noteReader,
  files,
  logger,
}: SigningOptions): CheckpointSigning {
  const store = createNoteStore(database, signer, files);
  const headOf = createHeadReader(database);
  const roots = createTreeRoots(database, headOf, trees, logger);
  const { leavesOf } = roots;
  const findNewestRoot = database.prepare<[number], { readonly note: string }>(newestRoot);
  const findLimits = database.prepare<[number], { readonly size: number | null; readonly at: number | null }>(
    "SELECT MAX(size) AS size, MAX(at) AS at FROM audit_checkpoint WHERE chain = ?",
  );
  const findGenesis = database
    .prepare<[number], string>("SELECT hash FROM audit_chain WHERE number = ?")
    .pluck();
  const findAnchor = database
    .prepare<[number], string>("SELECT note FROM audit_anchor WHERE chain = ? ORDER BY through DESC LIMIT 1")
    .pluck();
  /** The logs of chains, because the newest checkpoint of version 2 is not found by its size. */
  const logs = new Map<number, string>();

  const logOf = (number: number): string => {
    const log =
      logs.get(number) ??
      parseTreeCheckpoint(textOfNote(findNewestRoot.get(number)?.note ?? ""))?.log ??
      firstLog;
    logs.set(number, log);
    return log;
  };

  const storeRoot = (
    head: NamedHead,
    tree: { readonly leaves: number; readonly root: Uint8Array },
    at: number,
    signing: Signing,
  ): SignedCheckpoint => {
    const { number, chain, seq: size, hash } = head;
    const log = signing.log ?? logOf(number);
    logs.set(number, log);
    const text = treeCheckpointText({ chain, log, leaves: tree.leaves, root: toHex(tree.root) });
    return store(number, { chain, size, hash, at }, text, signing);
  };

  const signLeaf = (number: number, chain: string, at: number, signing: Signing): void => {
    const { through: seq, hash } = trees.statementOf(number);
    storeRoot({ number, chain, seq, hash }, { leaves: 1, root: trees.rootAt(number, 1) }, at, signing);
  };

  const signVersion1 = ({ number, chain, seq, hash }: NamedHead, at: number, { isPublished }: Signing) => {
    const checkpoint = { chain, size: seq, hash, at };
    return store(number, checkpoint, checkpointText(checkpoint), { isPublished });
  };

  const sign = (head: NamedHead, at: number, signing: Signing = {}): SignedCheckpoint => {
    const { number, chain, seq } = head;
    const newest = headOf(number);
    if (newest !== undefined) knownHeads.require(newest);
    const root = roots.find(head, Math.max(seq, newest?.seq ?? 0));
    if (root !== null) return storeRoot(head, { leaves: leavesOf(number, seq), root }, at, signing);
    // The log has the new name from now on. The last note of the file is that of the newest record.
    if (signing.log !== undefined) signLeaf(number, chain, at, signing);
    return signVersion1(head, at, signing);
  };

  const beginTree = (head: NamedHead, at: number, signing: Signing = {}): void => {
    const { number, chain, seq } = head;
    const genesis = findGenesis.get(number) ?? "";
    const note = findAnchor.get(number);
    const anchor = note === undefined ? null : parseAnchor(noteReader.open(note) ?? "");
    const { through, hash: before } = anchor ?? { through: 0, hash: genesis };
    trees.begin(number, { chain, first: seq + 1, genesis, hash: before, through });
    // A chain with a tree needs the seal of its head, and version 0.1 wrote none.
    knownHeads.moved(head);
    signLeaf(number, chain, at, { log: firstLog, ...signing });
    if (seq > 0) signVersion1(head, at, signing);
  };

  return {
    sign,
    beginTree,
    accept(head, log, isLost, now) {
      const { number, seq } = head;
      // The newest one, also after the clock was set back.
      const at = Math.max(now, (findLimits.get(number)?.at ?? 0) + 1);
      const renamed = isLost ? { log, isPublished: false } : {};
      if (!trees.hasTree(number)) {
        beginTree(head, at, renamed);
        return;
      }
      const isSame = roots.holdsLargest(head);
      const continuesLog = isSame && (findLimits.get(number)?.size ?? 0) <= seq;
      // Nodes of other records are made again.
      trees.truncate(number, isSame ? leavesOf(number, seq) : trees.reader(number).removed);
      sign(head, at, isLost || continuesLog ? renamed : { log });
    },
    isUngrown: roots.isUngrown,
    growTree: roots.grow,
    forget() {
      logs.clear();
      trees.forget();
    },
  };
}

/** @returns a function that signs the text of a checkpoint, unless a row has its note, and stores it */
function createNoteStore(database: Database, signer: Signer, files: SigningOptions["files"]) {
  // A row of version 2 is never replaced by one of version 1, and keeps the time that says which log is the newest.
  const insert = database.prepare(
    `INSERT INTO audit_checkpoint (chain, size, at, note) VALUES (:number, :size, :at, :note)
     ON CONFLICT (chain, size) DO UPDATE SET note = :note,
       at = CASE WHEN ${isOfVersion2} THEN MAX(at, :at) ELSE :at END WHERE NOT (${isOfVersion2}) OR substr(:note, 43, 1) = '/'`,
  );
  const findNote = database
    .prepare<[number, number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? AND size = ?")
    .pluck();
  const findAttested = database.prepare<[number, number], Pick<SignedCheckpoint, "note" | "timestamp">>(
    `SELECT ${cosignedNote} AS note, ${newestStamp} AS timestamp FROM audit_checkpoint p WHERE p.chain = ? AND p.size = ?`,
  );
  return (
    number: number,
    checkpoint: Checkpoint,
    text: string,
    { previous, isPublished = true }: Signing,
  ): SignedCheckpoint => {
    const { size, at } = checkpoint;
    const { verifierKey } = signer;
    const stored = findNote.get(number, size);
    const isStored =
      stored !== undefined && textOfNote(stored) === text && openNote(stored, verifierKey) !== null;
    // One that the previous key has signed, too, is kept.
    const own = isStored ? stored : signer.sign(text);
    const note = previous && openNote(own, previous.verifierKey) === null ? addSignature(own, previous) : own;
    insert.run({ number, size, at, note });
    const signed = { checkpoint, note, timestamp: null, verifierKey };
    if (note !== stored && isPublished) files.add(signed);
    const attested = findAttested.get(number, size);
    // A row of version 2 stays in place of a note of version 1.
    return attested?.note.startsWith(note) ? { ...signed, ...attested } : signed;
  };
}
