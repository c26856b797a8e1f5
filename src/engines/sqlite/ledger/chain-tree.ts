// Owns the Merkle tree of a chain in the database (format version 2): reads its leaves and nodes, and stores nodes. Appending a record writes
// no node: those that a checkpoint needs are stored before it is signed, so a chain that is moved over is completed in the same way.

import { entryHash } from "../../../audit/chain.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import {
  appendLeaf,
  createTreeHasher,
  emptyFrontier,
  type Frontier,
  frontierAt,
  nodesAtCut,
  rootOf,
  statementHash,
  statementText,
  type TreeNode,
  type TreeReader,
  type TreeStatement,
} from "../../../audit/tree.ts";
import { levelsPerStored } from "../../../audit/verify/node-places.ts";
import { isObject, readJson } from "../../../json/json.ts";
import type { Database } from "../../../native/sqlite.ts";

/** Takes some tenths of a second. */
export const growStepLeaves = 65_536;
const leavesPerNode = 2 ** levelsPerStored;
const hasher = createTreeHasher(runtimeCryptography);
const leafZero = (statement: string) => statementHash(statement, runtimeCryptography);

/** The trees of all chains. Everything is read and written in the transaction of the caller. */
export interface ChainTrees {
  hasTree(chain: number): boolean;
  /** @throws Error for a chain without a statement */
  statementOf(chain: number): TreeStatement;
  /** Writes the statement of a chain that has none. */
  begin(chain: number, statement: TreeStatement): void;
  /**
   * Stores the complete nodes of the first `leaves` leaves, but those of at most `leavesMax` leaves in one call.
   * @returns the root; null: there are more leaves to do
   * @throws Error for a chain without a statement, and for an entry that is missing or has another hash than the one in its row
   */
  grow(chain: number, leaves: number, leavesMax: number): Uint8Array | null;
  /** Replaces the nodes that stand for removed leaves by those for `removed` leaves, before these are removed. @throws as grow does */
  cut(chain: number, removed: number, checkpointSizes: readonly number[]): void;
  /** The nodes into which the leaves before that of a record are divided, the largest first. @throws as grow does */
  nodesBefore(chain: number, seq: number): readonly Uint8Array[];
  /** For proofs. @throws Error for a chain without a statement */
  reader(chain: number): TreeReader;
}

interface EntryRow {
  readonly entry: string;
  readonly hash: string;
}

export function createChainTrees(database: Database): ChainTrees {
  const findTree = database
    .prepare<[number], string | null>("SELECT tree FROM audit_chain WHERE number = ?")
    .pluck();
  const setTree = database.prepare("UPDATE audit_chain SET tree = ? WHERE number = ?");
  const findAnchor = database
    .prepare<[number], number | null>("SELECT MAX(through) FROM audit_anchor WHERE chain = ?")
    .pluck();
  const entries = database.prepare<[number, number, number], EntryRow>(
    "SELECT entry, hash FROM audit_entry WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq",
  );
  const nodes = database
    .prepare<[number, number, number, number], Uint8Array>(
      "SELECT hash FROM audit_node WHERE chain = ? AND level = ? AND position >= ? AND position < ? ORDER BY position",
    )
    .pluck();
  const newestNode = database
    .prepare<[number, number], number | null>(
      "SELECT MAX(position) FROM audit_node WHERE chain = ? AND level = ?",
    )
    .pluck();
  const insertNode = database.prepare(
    "INSERT OR REPLACE INTO audit_node (chain, level, position, hash) VALUES (?, ?, ?, ?)",
  );
  const deleteCutNodes = database.prepare("DELETE FROM audit_node WHERE chain = ? AND level < ?");

  const reader = (chain: number): TreeReader => {
    const statement = readStatement(findTree.get(chain) ?? null, chain);
    const { through } = statement;
    const anchored = findAnchor.get(chain) ?? 0;
    return {
      removed: anchored > through ? anchored - through + 1 : 0,
      leaves(first, end) {
        const seq = through + Math.max(1, first);
        const rows = entries.all(chain, seq, through + end - 1);
        const hashes = rows.map(({ entry, hash }, index) => {
          const hashed = entryHash(entry);
          if (hashed !== hash) throw new Error(`record ${seq + index} of chain ${chain} has another hash`);
          return new Uint8Array(Buffer.from(hash, "hex"));
        });
        const all = first === 0 ? [leafZero(statementText(statement)), ...hashes] : hashes;
        if (all.length !== end - first) throw new Error(`a record of chain ${chain} is missing`);
        return all;
      },
      nodes: (level, first, end) => nodes.all(chain, level, first, end),
    };
  };
  const store = (chain: number, { level, position, hash }: TreeNode): void => {
    insertNode.run(chain, level, position, hash);
  };

  return {
    reader,
    nodesBefore(chain, seq) {
      const { through } = readStatement(findTree.get(chain) ?? null, chain);
      return frontierAt(seq - through, reader(chain), hasher).hashes;
    },
    hasTree: (chain) => (findTree.get(chain) ?? null) !== null,
    statementOf: (chain) => readStatement(findTree.get(chain) ?? null, chain),
    begin: (chain, statement) => void setTree.run(statementText(statement), chain),
    grow(chain, leaves, leavesMax) {
      const source = reader(chain);
      const stored = ((newestNode.get(chain, levelsPerStored) ?? -1) + 1) * leavesPerNode;
      const aligned = Math.min(stored, leaves - (leaves % leavesPerNode));
      const start = leaves < source.removed ? aligned : Math.max(aligned, source.removed);
      let frontier: Frontier = start === 0 ? emptyFrontier : frontierAt(start, source, hasher);
      while (frontier.size < leaves) {
        if (frontier.size - start >= leavesMax) return null;
        const end = Math.min(frontier.size + leavesPerNode, leaves);
        for (const data of source.leaves(frontier.size, end)) {
          const appended = appendLeaf(frontier, data, hasher);
          for (const node of appended.completed) store(chain, node);
          frontier = appended.frontier;
        }
      }
      return rootOf(frontier, hasher);
    },
    cut(chain, removed, checkpointSizes) {
      const kept = nodesAtCut(removed, checkpointSizes, reader(chain), hasher);
      deleteCutNodes.run(chain, levelsPerStored);
      for (const node of kept) store(chain, node);
    },
  };
}

function readStatement(statement: string | null, chain: number): TreeStatement {
  const value = statement === null ? undefined : readJson(statement);
  if (!isObject(value)) throw new Error(`chain ${chain} has no Merkle tree`);
  const { chain: id, first, genesis, hash, through } = value;
  return {
    chain: String(id),
    first: Number(first),
    genesis: String(genesis),
    hash: String(hash),
    through: Number(through),
  };
}
