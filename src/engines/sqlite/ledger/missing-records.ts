// Compares the database with checkpoints that were published before: an older copy of a database lacks records that they cover.
// Only reads.

import { sizeOfCheckpoint, type TreeCheckpoint, treeCheckpointText } from "../../../audit/checkpoint.ts";
import { TreeDifference } from "../../../audit/tree.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { MissingRecords, PublishedState } from "../../../calls/storage/stored-ledger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toHex } from "../../../platform/text/byte-text.ts";
import { type ChainTrees, createChainTrees } from "./chain-tree.ts";

interface ChainRow {
  readonly number: number;
  readonly newest: number;
}

/** The checkpoints that cover more records than the database has, or other records. */
export function findMissingRecords<Published extends PublishedState>(
  database: Database,
  checkpoints: readonly Published[],
): MissingRecords<Published>[] {
  const find = database.prepare<[string], ChainRow>(
    `SELECT number, MAX(COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0),
                        COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = c.number), 0)) AS newest
     FROM audit_chain c WHERE c.id = ?`,
  );
  const findHash = database
    .prepare<[number, number], string>("SELECT hash FROM audit_entry WHERE chain = ? AND seq = ?")
    .pluck();
  const findNote = database
    .prepare<[number, number], string>("SELECT note FROM audit_checkpoint WHERE chain = ? AND size = ?")
    .pluck();
  const sizeOf = createSizeReader(database);
  /** A database of a previous format has no trees. */
  let trees: ChainTrees | null = null;

  /** What can no longer be computed, because retention has removed records, can no longer be compared. */
  const isRootOf = (number: number, size: number, checkpoint: TreeCheckpoint): boolean => {
    if (textOfNote(findNote.get(number, size) ?? "") === treeCheckpointText(checkpoint)) return true;
    trees ??= createChainTrees(database);
    if (!trees.hasTree(number)) return false;
    try {
      return toHex(trees.rootAt(number, checkpoint.leaves)) === checkpoint.root;
    } catch (error) {
      if (error instanceof TreeDifference) return true;
      throw error;
    }
  };

  return checkpoints.flatMap((checkpoint): MissingRecords<Published>[] => {
    const found = find.get(checkpoint.chain);
    const size = sizeOf(checkpoint);
    if (found === undefined) return [{ checkpoint, size, newest: null }];
    const { number, newest } = found;
    const isSame =
      "root" in checkpoint
        ? () => isRootOf(number, size, checkpoint)
        : () => [undefined, checkpoint.hash].includes(findHash.get(number, size));
    return size <= newest && isSame() ? [] : [{ checkpoint, size, newest }];
  });
}

/** @returns how many records a checkpoint covers; of version 2 at least so many if the chain has no tree in the database */
export function createSizeReader(database: Database): (checkpoint: PublishedState) => number {
  const prepare = () =>
    database
      .prepare<[string], number | null>(
        "SELECT json_extract(tree, '$.through') FROM audit_chain WHERE id = ? AND json_valid(tree)",
      )
      .pluck();
  /** A database of a previous format has no such column. */
  let findThrough: ReturnType<typeof prepare> | null = null;
  return (checkpoint) => {
    if ("size" in checkpoint) return checkpoint.size;
    findThrough ??= prepare();
    return sizeOfCheckpoint(checkpoint, Number(findThrough.get(checkpoint.chain) ?? 0));
  };
}
