// Owns the decision whether the holder of the signing key has written the records of a chain (docs/engineer/AUDIT-FORMAT-2.md, "Evidence of
// the writer"). MACs say which record is foreign, the seal of the head that newer ones are missing. Only reads.

import { entryHash } from "../../../audit/chain.ts";
import { parseCheckpoint, parseTreeCheckpoint } from "../../../audit/checkpoint.ts";
import { openNote, type Signer } from "../../../audit/signed-note.ts";
import type { TreeStatement } from "../../../audit/tree.ts";
import { millisecondsOf, parseEntry } from "../../../audit/verify/entry-parser.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toHex } from "../../../platform/text/byte-text.ts";
import { isDiskFailure } from "../database-file/disk-failure.ts";
import type { ChainTrees } from "./chain-tree.ts";
import { createSealReader, type NamedHead } from "./head-seals.ts";

/** Why a chain is not continued. */
export interface ForeignRecord {
  /** The first record that the key in use does not confirm. */
  readonly seq: number;
  /** A clause about it. */
  readonly reason: string;
}

/** @returns null for a head up to which the key in use confirms every record after its newest checkpoint */
export type Confirmation = (head: NamedHead) => ForeignRecord | null;

interface RecordRow {
  readonly seq: number;
  readonly at: number;
  readonly entry: string;
  readonly hash: string;
  readonly mac: Uint8Array | null;
}

interface StoredNote {
  readonly size: number;
  readonly note: string;
}

/** The record that the next one follows. */
type Followed = Pick<RecordRow, "seq" | "hash" | "at">;

/** @param signer of the key in use */
export function createConfirmation(
  database: Database,
  signer: Signer,
  trees: Pick<ChainTrees, "hasTree" | "statementOf" | "rootAt">,
): Confirmation {
  const readSeal = createSealReader(database, signer);
  const confirmVersion1 = createConfirmationVersion1(database, signer, readSeal);
  const columns = "SELECT seq, at, entry, hash, mac FROM audit_entry WHERE chain = ?";
  const findRecord = database.prepare<[number, number], RecordRow>(`${columns} AND seq = ?`);
  const later = database.prepare<[number, number], RecordRow>(`${columns} AND seq > ? ORDER BY seq`);
  // Sizes do not say which is the newest: an administrator may have accepted that records are missing.
  const checkpoints = database.prepare<[number], StoredNote>(
    "SELECT size, note FROM audit_checkpoint WHERE chain = ? ORDER BY at DESC, size DESC",
  );
  // Of the same records or more: an export of early records signs a small size, and the clock may have been set back.
  const larger = database.prepare<[number, number, number], StoredNote>(
    "SELECT size, note FROM audit_checkpoint WHERE chain = ? AND size > ? AND size <= ? ORDER BY size DESC",
  );
  const findAnchored = database
    .prepare<[number], number | null>("SELECT MAX(through) FROM audit_anchor WHERE chain = ?")
    .pluck();

  const isOwn = ({ chain }: NamedHead, { hash, mac }: RecordRow): boolean =>
    mac !== null && Buffer.compare(signer.macOf(chain)(hash), mac) === 0;

  /** Whether a record is what the server has written after `previous`. */
  const isNext = (head: NamedHead, record: RecordRow, previous: Followed, { first }: TreeStatement) => {
    const entry = parseEntry(record.entry);
    return (
      entry !== null &&
      record.seq === previous.seq + 1 &&
      entryHash(record.entry) === record.hash &&
      entry.chain === head.chain &&
      entry.seq === record.seq &&
      entry.prev === previous.hash &&
      millisecondsOf(entry.at) === record.at &&
      record.at >= previous.at &&
      (record.seq < first ? entry.v2 === null : entry.v2 !== null && isOwn(head, record))
    );
  };

  /** Whether the checkpoint is about this record. A MAC takes less than a root. */
  const isCovered = (
    head: NamedHead,
    note: string,
    place: Followed,
    record: RecordRow | undefined,
    { through }: TreeStatement,
  ): boolean => {
    const [former, root] = [parseCheckpoint(note), parseTreeCheckpoint(note)];
    if (former !== null)
      return former.chain === head.chain && former.size === place.seq && former.hash === place.hash;
    if (root?.chain !== head.chain || root.leaves !== place.seq - through + 1) return false;
    if (record !== undefined && isOwn(head, record) && isEntryOf(head, record)) return true;
    return toHex(trees.rootAt(head.number, root.leaves)) === root.root;
  };

  /** The record that a checkpoint of this key covers; null: the key has not signed it, or it is about another record. */
  const placeOf = (
    head: NamedHead,
    statement: TreeStatement,
    { size, note }: StoredNote,
  ): Followed | null => {
    const text = openNote(note, signer.verifierKey);
    const record = findRecord.get(head.number, size);
    const place = size === statement.through ? { ...statement, seq: size, at: 0 } : record;
    if (text === null || place === undefined) return null;
    return isCovered(head, text, place, record, statement) ? place : null;
  };

  /** The last record that a checkpoint of this key covers. */
  const findCovered = (head: NamedHead, statement: TreeStatement): Followed | ForeignRecord => {
    const anchored = findAnchored.get(head.number) ?? 0;
    for (const stored of checkpoints.iterate(head.number)) {
      const { size } = stored;
      if (openNote(stored.note, signer.verifierKey) === null) continue;
      if (size > head.seq) return { seq: size, reason: "a checkpoint covers it, but it is missing" };
      for (const other of larger.iterate(head.number, size, head.seq)) {
        const place = placeOf(head, statement, other);
        if (place !== null) return place;
      }
      const place = placeOf(head, statement, stored);
      if (place !== null) return place;
      // Signed before the clock was set back, and retention has removed the record since.
      if (size > anchored) return { seq: size, reason: "the newest checkpoint states another record" };
    }
    return { seq: head.seq, reason: "the key in use has signed no checkpoint of the chain" };
  };

  const confirm = (head: NamedHead): ForeignRecord | null => {
    if (!trees.hasTree(head.number)) return confirmVersion1(head);
    const statement = trees.statementOf(head.number);
    let previous = findCovered(head, statement);
    if ("reason" in previous) return previous;
    for (const record of later.iterate(head.number, previous.seq)) {
      if (!isNext(head, record, previous, statement))
        return { seq: record.seq, reason: "the key in use does not confirm it" };
      previous = record;
    }
    const seal = readSeal(head);
    return seal?.seq === head.seq && seal.hash === head.hash ? null : unsealed(head, seal);
  };

  return (head) => {
    try {
      return confirm(head);
    } catch (error) {
      if (isDiskFailure(error)) throw error;
      // What is stored of the tree was changed.
      return { seq: head.seq, reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Of a chain without a tree, as version 1 does: version 0.1 wrote no seals. A chain without records has nothing to forge. */
function createConfirmationVersion1(
  database: Database,
  signer: Signer,
  readSeal: ReturnType<typeof createSealReader>,
): Confirmation {
  const findNote = database
    .prepare<[number, number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? AND size = ?")
    .pluck();
  return (head) => {
    const seal = readSeal(head);
    if (seal?.seq === head.seq && seal.hash === head.hash) return null;
    // A previous version has written records after the seal. Fewer records than the seal states were removed.
    const isBehind = seal === null || seal.seq < head.seq;
    const note = findNote.get(head.number, head.seq);
    const checkpoint = parseCheckpoint(openNote(note ?? "", signer.verifierKey) ?? "");
    const isSigned =
      checkpoint?.chain === head.chain && checkpoint.size === head.seq && checkpoint.hash === head.hash;
    return isBehind && (head.seq === 0 || isSigned) ? null : unsealed(head, seal);
  };
}

function isEntryOf({ chain }: NamedHead, { seq, entry, hash }: RecordRow): boolean {
  const parsed = parseEntry(entry);
  return parsed?.chain === chain && parsed.seq === seq && entryHash(entry) === hash;
}

function unsealed(head: NamedHead, seal: Pick<NamedHead, "seq" | "hash"> | null): ForeignRecord {
  return seal !== null && seal.seq > head.seq
    ? { seq: head.seq + 1, reason: "it is missing" }
    : { seq: head.seq, reason: "no seal of the key in use says that it is the newest" };
}
