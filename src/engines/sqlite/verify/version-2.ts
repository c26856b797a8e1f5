// Owns the reading of what a database has of version 2 of the record format beside its records: statements and nodes of trees, and the rows
// of pseudonyms. Never writes.

import type { Anchor } from "../../../audit/checkpoint.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { createTreeHasher, statementHash, type TreeNode, type TreeReader } from "../../../audit/tree.ts";
import { hashBytes } from "../../../audit/verify/cryptography.ts";
import { endOf, parseHash, rootOfNodes } from "../../../audit/verify/tree-forest.ts";
import { nodesBefore, parseStatement, type StoredTree } from "../../../audit/verify/tree-verification.ts";
import type { Failure } from "../../../audit/verify/verdict.ts";
import { toHex } from "../../../platform/text/byte-text.ts";
import type { LedgerSource } from "./source.ts";

export const treeHasher = createTreeHasher(runtimeCryptography);

/** The first format whose tables have version 2. */
const firstFormat = 8;

export function hasVersion2(source: LedgerSource): boolean {
  return formatOf(source) >= firstFormat;
}

/** Whether it has a table for what third parties state about checkpoints. */
export function hasAttestations(source: LedgerSource): boolean {
  return formatOf(source) >= 10;
}

function formatOf(source: LedgerSource): number {
  const [header] = source.all("PRAGMA user_version") as { user_version: number }[];
  return header?.user_version ?? 0;
}

export interface TreeRow {
  readonly number: number;
  readonly id: string;
  /** The genesis hash. */
  readonly hash: string;
  /** The statement. */
  readonly tree: string | null;
}

type TreeStart = Pick<StoredTree, "through" | "removed" | "statement">;

export interface FoundTree {
  readonly tree: StoredTree | null;
  readonly failure: Failure | null;
}

interface TreeContext {
  readonly anchors: readonly Anchor[];
  /** The first records up to this one were removed. */
  readonly start: number;
  /** Numbers of leaves of checkpoints of the chain in the database. */
  readonly sizes: readonly number[];
}

/** The tree of a chain whose records are read from the first one on. */
export function readTree(
  source: LedgerSource,
  row: TreeRow,
  { anchors, start, sizes }: TreeContext,
): FoundTree {
  const { number, tree: text } = row;
  if (text === null) return { tree: null, failure: null };
  const fail = (message: string): FoundTree => ({ tree: null, failure: { seq: 0, check: "tree", message } });
  const statement = parseStatement(String(text));
  if (statement === null) return fail("the statement of the tree is not in the format of one");
  const { through, first, newer } = statement;
  if (!isStatementOf(row, statement, anchors))
    return fail("the statement of the tree is about another chain, genesis or anchor");
  const data = statementHash(text, runtimeCryptography);
  const newest = Math.max(start, newestOf(source, number));
  const missing =
    first > newest + 1
      ? "records before the first one of version 2 are"
      : sizes.includes(1)
        ? null
        : "the checkpoint of the statement is";
  const removed = start > through ? start - through + 1 : 0;
  const whole = {
    ...{
      through,
      first,
      statement: data,
      removed,
      newer,
      sizes,
      newest,
    },
    ...{ base: Math.max(1, removed), isWhole: true, stored: readNodes(source, number) },
  };
  const reader = createReader(source, number, whole);
  const nodes: readonly TreeNode[] | null =
    removed === 0
      ? [{ level: 0, position: 0, hash: treeHasher.leaf(data) }]
      : nodesBefore(removed, reader, treeHasher);
  const { failure } = missing === null ? { failure: null } : fail(`${missing} missing`);
  return { tree: { ...whole, start: nodes }, failure };
}

type Statement = NonNullable<ReturnType<typeof parseStatement>>;

function isStatementOf(
  { id, hash }: TreeRow,
  { chain, genesis, through, hash: before }: Statement,
  anchors: readonly Anchor[],
): boolean {
  const anchored = through === 0 ? hash : anchors.find((anchor) => anchor.through === through)?.hash;
  return chain === id && genesis === hash && before === anchored;
}

/** What is needed to compute a root; null: the chain has no tree, or its statement is that of another. */
export function readTreeStart(
  { tree: text, ...row }: TreeRow,
  { anchors, start }: Pick<TreeContext, "anchors" | "start">,
): TreeStart | null {
  const statement = text === null ? null : parseStatement(String(text));
  if (text === null || statement === null || !isStatementOf({ ...row, tree: text }, statement, anchors))
    return null;
  const { through } = statement;
  const removed = start > through ? start - through + 1 : 0;
  return { through, removed, statement: statementHash(text, runtimeCryptography) };
}

/** The tree as if the chain began after a record, which is not removed. */
export function treeAfter(source: LedgerSource, chain: number, tree: StoredTree, seq: number): StoredTree {
  const base = seq - tree.through + 1;
  const start = nodesBefore(base, createReader(source, chain, tree), treeHasher);
  const stored = tree.stored.filter((node) => endOf(node) > base);
  return { ...tree, base, start, stored, isWhole: false };
}

/** The root (hexadecimal) at a number of leaves, by what is stored; null: it cannot be computed. */
export function storedRootAt(
  source: LedgerSource,
  chain: number,
  tree: TreeStart,
  leaves: number,
): string | null {
  const nodes = nodesBefore(leaves, createReader(source, chain, tree), treeHasher);
  const root = nodes === null ? null : rootOfNodes(nodes, treeHasher);
  return root === null ? null : toHex(root);
}

/** In place of a hash that is none. The check of its record fails. */
const unreadable = new Uint8Array(hashBytes);

function newestOf(source: LedgerSource, chain: number): number {
  const sql = "SELECT MAX(seq) AS newest FROM audit_entry WHERE chain = ?";
  const [row] = source.all(sql, chain) as { newest: number | null }[];
  return row?.newest ?? 0;
}

/** Nodes with another length than that of a hash count as missing. */
function readNodes(source: LedgerSource, chain: number): TreeNode[] {
  const sql = "SELECT level, position, hash FROM audit_node WHERE chain = ? ORDER BY level, position";
  return (source.all(sql, chain) as TreeNode[]).filter(({ hash }) => hash.length === hashBytes);
}

function createReader(
  source: LedgerSource,
  chain: number,
  { through, removed, statement }: TreeStart,
): TreeReader {
  const leafSql = "SELECT hash FROM audit_entry WHERE chain = ? AND seq >= ? AND seq < ? ORDER BY seq";
  const nodeSql =
    "SELECT hash FROM audit_node WHERE chain = ? AND level = ? AND position >= ? AND position < ? ORDER BY position";
  return {
    removed,
    leaves(first, end) {
      const rows = source.all(leafSql, chain, through + Math.max(first, 1), through + end);
      const hashes = (rows as { hash: string }[]).map(({ hash }) => parseHash(String(hash)) ?? unreadable);
      return first === 0 ? [statement, ...hashes] : hashes;
    },
    nodes: (level, first, end) =>
      (source.all(nodeSql, chain, level, first, end) as { hash: Uint8Array }[])
        .map(({ hash }) => hash)
        .filter((hash) => hash.length === hashBytes),
  };
}
