// Owns the comparison of a chain's records with its Merkle tree, for checkpoints: the roots of its records, and the report of records that
// are not those that were written. Signs nothing.

import { parseTreeCheckpoint } from "../../../audit/checkpoint.ts";
import { TreeDifference } from "../../../audit/tree.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toHex } from "../../../platform/text/byte-text.ts";
import { type ChainTrees, growStepLeaves } from "./chain-tree.ts";
import type { NamedHead } from "./head-seals.ts";
import type { createHeadReader } from "./known-heads.ts";

/** Of a row of audit_checkpoint: the first line of its note names a log after the chain. */
export const isOfVersion2 = "substr(note, 43, 1) = '/'";

/** Of a row `p` of audit_checkpoint: its note, with the signature lines of witnesses after our own. */
export const cosignedNote = `p.note || COALESCE((SELECT group_concat(a.content || char(10), '' ORDER BY a.at, a.source)
  FROM audit_attestation a WHERE a.chain = p.chain AND a.size = p.size AND a.kind = 'cosignature'), '')`;

/** Of a row `p` of audit_checkpoint: the Base64 of its newest time stamp, or null. */
export const newestStamp = `(SELECT a.content FROM audit_attestation a
  WHERE a.chain = p.chain AND a.size = p.size AND a.kind = 'timestamp' ORDER BY a.at DESC LIMIT 1)`;

/** Of a chain. By time, because an older database may have been accepted after larger ones were signed. */
export const newestRoot = `SELECT p.size, ${cosignedNote} AS note FROM audit_checkpoint p
  WHERE p.chain = ? AND ${isOfVersion2} ORDER BY p.at DESC, p.size DESC LIMIT 1`;

export function createTreeRoots(
  database: Database,
  headOf: ReturnType<typeof createHeadReader>,
  trees: ChainTrees,
  logger: Logger,
) {
  const findLargestRoot = database
    .prepare<[number, number], string>(
      `SELECT note FROM audit_checkpoint WHERE chain = ? AND size <= ? AND ${isOfVersion2} ORDER BY size DESC LIMIT 1`,
    )
    .pluck();
  /** Numbers of chains whose records differ from what they were signed as. */
  const different = new Set<number>();

  const leavesOf = (number: number, seq: number) => seq - trees.statementOf(number).through + 1;

  /**
   * Null: the tree does not reach the newest record yet, or the records do not follow each other. Then checkpoints are of version 1.
   */
  const find = ({ number, chain, seq }: NamedHead, newest: number): Uint8Array | null => {
    try {
      const root = trees.grow(number, leavesOf(number, newest), growStepLeaves);
      return root === null || seq === newest ? root : trees.rootAt(number, leavesOf(number, seq));
    } catch (error) {
      reportDifference(number, chain, error);
      return null;
    }
  };

  /** @throws the error if it is another one */
  const reportDifference = (number: number, chain: string, error: unknown): void => {
    if (!(error instanceof TreeDifference)) throw error;
    if (different.has(number)) return;
    different.add(number);
    logger.error("the records of a chain are not those that were written; run memledger audit verify", {
      chain,
      error,
    });
  };

  /** Whether the chain has what the largest checkpoint in the database covers, of those that are not larger than the chain. */
  const holdsLargest = ({ number, seq }: NamedHead): boolean => {
    const largest = parseTreeCheckpoint(textOfNote(findLargestRoot.get(number, seq) ?? ""));
    try {
      return largest === null || toHex(trees.rootAt(number, largest.leaves)) === largest.root;
    } catch (error) {
      if (!(error instanceof TreeDifference)) throw error;
      return false;
    }
  };

  const growTree = database.transaction((number: number) => {
    const seq = headOf(number)?.seq ?? 0;
    return trees.grow(number, leavesOf(number, seq), growStepLeaves) === null;
  });

  return {
    leavesOf,
    find,
    holdsLargest,
    isUngrown: ({ number, seq }: NamedHead) =>
      trees.hasTree(number) && !different.has(number) && trees.lacksNodes(number, leavesOf(number, seq)),
    grow({ number, chain }: NamedHead): boolean {
      try {
        return growTree(number);
      } catch (error) {
        trees.forget();
        reportDifference(number, chain, error);
        return false;
      }
    },
  };
}
