// Owns the Merkle tree of a chain in the database (format version 2): reads its leaves and nodes, and stores nodes. Appending a record writes
// no node: those that a checkpoint needs are stored before it is signed, so a migrated chain is completed in the same way.

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
  TreeDifference,
  type TreeNode,
  type TreeReader,
  type TreeStatement,
} from "../../../audit/tree.ts";
import { levelsPerStored } from "../../../audit/verify/node-places.ts";
import { isObject, readJson } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createTreeEnds, type TreeEnds } from "./tree-ends.ts";

/** Takes some tenths of a second. */
export const growStepLeaves = 65_536;
const leavesPerNode = 2 ** levelsPerStored;
const hasher = createTreeHasher(runtimeCryptography);
const leafZero = (statement: string) => statementHash(statement, runtimeCryptography);

/** The trees of all chains. Everything is read and written in the transaction of the caller. */
export interface ChainTrees extends Pick<TreeEnds, "follow" | "forget"> {
  hasTree(chain: number): boolean;
  /** @throws Error for a chain without a statement */
  statementOf(chain: number): TreeStatement;
  /** Writes the statement of a chain that has none. */
  begin(chain: number, statement: TreeStatement): void;
  /** Whether `grow` would store a node of these leaves. Reads none of them. @throws Error for a chain without a statement */
  lacksNodes(chain: number, leaves: number): boolean;
  /**
   * Stores the complete nodes of the first `leaves` leaves, but those of at most `leavesMax` leaves in one call.
   * @returns the root; null: there are more leaves to do
   * @throws Error for a chain without a statement; TreeDifference
   */
  grow(chain: number, leaves: number, leavesMax: number): Uint8Array | null;
  /** Replaces the nodes that stand for removed leaves by those for `removed` leaves, before these are removed. @throws as grow does */
  cut(chain: number, removed: number, checkpointSizes: readonly number[]): void;
  /** The nodes into which the leaves before that of a record are divided, the largest first. @throws as grow does */
  nodesBefore(chain: number, seq: number): readonly Uint8Array[];
  /** The root of the first leaves, the last of which is read again. Writes nothing. @throws as grow does */
  rootAt(chain: number, leaves: number): Uint8Array;
  /** Removes the nodes of leaves that are gone. */
  truncate(chain: number, leaves: number): void;
  /** For proofs. @throws Error for a chain without a statement */
  reader(chain: number): TreeReader;
}

interface Grown {
  readonly frontier: Frontier;
  /** The data of the last leaf that was added. */
  readonly newest: Uint8Array | undefined;
}

interface EntryRow {
  readonly seq: number;
  readonly entry: string;
  readonly hash: string;
}

export function createChainTrees(database: Database): ChainTrees {
  const { hasTree, statementOf, reader, storedLeaves } = createTreeReading(database);
  const setTree = database.prepare("UPDATE audit_chain SET tree = ? WHERE number = ?");
  const insertNode = database.prepare(
    "INSERT OR REPLACE INTO audit_node (chain, level, position, hash) VALUES (?, ?, ?, ?)",
  );
  const deleteNodesAfter = database.prepare(
    "DELETE FROM audit_node WHERE chain = ? AND (position + 1) << level > ?",
  );
  const deleteCutNodes = database.prepare(
    "DELETE FROM audit_node WHERE chain = ? AND level < ? AND position << level >= ?",
  );

  const store = (chain: number, { level, position, hash }: TreeNode): void => {
    insertNode.run(chain, level, position, hash);
  };

  const ends = createTreeEnds();
  const append = (chain: number, frontier: Frontier, leaves: readonly Uint8Array[]): Frontier => {
    let grown = frontier;
    for (const data of leaves) {
      const appended = appendLeaf(grown, data, hasher);
      for (const node of appended.completed) store(chain, node);
      grown = appended.frontier;
    }
    return grown;
  };

  /** From what is stored on. Null: there are more leaves to do. */
  const growStored = (chain: number, leaves: number, leavesMax: number): Grown | null => {
    const source = reader(chain);
    const aligned = Math.min(storedLeaves(chain), leaves - (leaves % leavesPerNode));
    const start = leaves < source.removed ? aligned : Math.max(aligned, source.removed);
    let frontier: Frontier = start === 0 ? emptyFrontier : frontierAt(start, source, hasher);
    let newest: Uint8Array | undefined;
    while (frontier.size < leaves) {
      if (frontier.size - start >= leavesMax) return null;
      const end = Math.min(frontier.size + leavesPerNode, leaves);
      const next = source.leaves(frontier.size, end);
      frontier = append(chain, frontier, next);
      newest = next.at(-1);
    }
    return { frontier, newest };
  };

  const grow: ChainTrees["grow"] = (chain, leaves, leavesMax) => {
    const end = ends.find(chain, leaves);
    const grown: Grown | null =
      end === undefined
        ? growStored(chain, leaves, leavesMax)
        : { frontier: append(chain, end.frontier, end.appended), newest: end.appended.at(-1) };
    if (grown === null) return null;
    const { frontier, newest } = grown;
    if (newest !== undefined) ends.keep(chain, frontier, newest.toHex());
    return rootOf(frontier, hasher);
  };

  return {
    reader,
    nodesBefore(chain, seq) {
      const { through } = statementOf(chain);
      return frontierAt(seq - through, reader(chain), hasher).hashes;
    },
    hasTree,
    statementOf,
    rootAt(chain, leaves) {
      const source = reader(chain);
      const aligned = leaves - 1 - ((leaves - 1) % leavesPerNode);
      const start = Math.min(leaves, Math.max(aligned, source.removed));
      let frontier: Frontier = start === 0 ? emptyFrontier : frontierAt(start, source, hasher);
      for (const data of source.leaves(start, leaves)) frontier = appendLeaf(frontier, data, hasher).frontier;
      return rootOf(frontier, hasher);
    },
    truncate(chain, leaves) {
      ends.discard(chain);
      deleteNodesAfter.run(chain, leaves);
    },
    begin(chain, statement) {
      const text = statementText(statement);
      setTree.run(text, chain);
      if (statement.first > statement.through + 1) return;
      const { frontier } = appendLeaf(emptyFrontier, leafZero(text), hasher);
      ends.keep(chain, frontier, statement.hash);
    },
    follow: ends.follow,
    forget: ends.forget,
    lacksNodes: (chain, leaves) => leaves >= storedLeaves(chain) + leavesPerNode,
    grow,
    cut(chain, removed, checkpointSizes) {
      // Nothing can store them later. Of a chain with damage, a step of growth may have stored less.
      grow(chain, removed, Number.POSITIVE_INFINITY);
      const source = reader(chain);
      // The nodes of checkpoints in earlier blocks stay as they are.
      const block = source.removed - (source.removed % leavesPerNode);
      const sizes = checkpointSizes.filter((size) => size > block);
      const kept = nodesAtCut(removed, sizes, source, hasher);
      deleteCutNodes.run(chain, levelsPerStored, block);
      for (const node of kept) store(chain, node);
    },
  };
}

/** What is stored of the trees. */
function createTreeReading(database: Database) {
  const findTree = database
    .prepare<[number], string | null>("SELECT tree FROM audit_chain WHERE number = ?")
    .pluck();
  const findAnchor = database
    .prepare<[number], number | null>("SELECT MAX(through) FROM audit_anchor WHERE chain = ?")
    .pluck();
  const entries = database.prepare<[number, number, number], EntryRow>(
    "SELECT seq, entry, hash FROM audit_entry WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq",
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
  const statementOf = (chain: number) => readStatement(findTree.get(chain) ?? null, chain);
  const reader = (chain: number): TreeReader => {
    const statement = statementOf(chain);
    const { through } = statement;
    const anchored = findAnchor.get(chain) ?? 0;
    return {
      removed: anchored > through ? anchored - through + 1 : 0,
      leaves(first, end) {
        const seq = through + Math.max(1, first);
        const rows = entries.all(chain, seq - 1, through + end - 1);
        // Retention may have removed the record before the first leaf.
        const before = rows[0]?.seq === seq - 1 ? rows.shift()?.hash : undefined;
        const hashes = followEach(rows, seq, seq === through + 1 ? statement.hash : before);
        const all = first === 0 ? [leafZero(statementText(statement)), ...hashes] : hashes;
        if (all.length !== end - first) throw new TreeDifference(`a record of chain ${chain} is missing`);
        return all;
      },
      nodes: (level, first, end) => nodes.all(chain, level, first, end),
    };
  };
  return {
    statementOf,
    reader,
    hasTree: (chain: number) => (findTree.get(chain) ?? null) !== null,
    /** How many leaves the stored nodes stand for. */
    storedLeaves: (chain: number) => ((newestNode.get(chain, levelsPerStored) ?? -1) + 1) * leavesPerNode,
  };
}

/**
 * The hashes of records that follow each other.
 * @param before the hash of the record before the first one; absent: it was removed
 */
function followEach(rows: readonly EntryRow[], first: number, before: string | undefined): Uint8Array[] {
  let previous = before;
  return rows.map(({ seq, entry, hash }, index) => {
    // The members are in order, and in a text each quotation mark has a backslash before it.
    const isNext =
      seq === first + index &&
      entry.includes(`,"seq":${seq},`) &&
      (previous === undefined || entry.includes(`,"prev":"${previous}",`));
    if (!isNext || entryHash(entry) !== hash)
      throw new TreeDifference(`record ${seq} does not follow the one before it, or has another hash`);
    previous = hash;
    return Uint8Array.fromHex(hash);
  });
}

function readStatement(statement: string | null, chain: number): TreeStatement {
  const value = statement === null ? undefined : readJson(statement);
  if (!isObject(value)) throw new TreeDifference(`chain ${chain} has no Merkle tree`);
  const { chain: id, first, genesis, hash, through } = value;
  return {
    chain: String(id),
    first: Number(first),
    genesis: String(genesis),
    hash: String(hash),
    through: Number(through),
  };
}
