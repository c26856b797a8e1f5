// Owns the SQL that reads chains, anchors and checkpoints for a verification. Checks them, and determines where each chain begins.

import { genesisHash } from "../../../audit/chain.ts";
import {
  type Anchor,
  type Checkpoint,
  parseAnchor,
  parseCheckpoint,
  parseTreeCheckpoint,
  type TreeCheckpoint,
} from "../../../audit/checkpoint.ts";
import { type ChainStart, checkAnchors } from "../../../audit/verify/chain-verification.ts";
import { millisecondsOf, parseCanonical } from "../../../audit/verify/entry-parser.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { NoteReader, SignedRoot } from "../../../audit/verify/note-reader.ts";
import { parseStatement, type StoredTree } from "../../../audit/verify/tree-verification.ts";
import { earlier, type Failure, UnusableInput } from "../../../audit/verify/verdict.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { LedgerSource } from "./source.ts";
import { hasVersion2, readTree, readTreeStart, storedRootAt } from "./version-2.ts";

/** A chain without its records. */
export interface ChainFrame {
  readonly number: number;
  readonly chain: string;
  readonly project: string | null;
  readonly genesisHash: string;
  readonly start: ChainStart;
  readonly anchors: number;
  /** The newest anchor, if its signature is valid. */
  readonly anchor: Anchor | null;
  /** The server considers payloads up to this record as removed; 0: none. Null: not checked, because older records are not read. */
  readonly payloadsThrough: number | null;
  /** Those in the database with valid signatures. */
  readonly checkpoints: readonly Checkpoint[];
  /** The same of version 2. */
  readonly roots: readonly SignedRoot[];
  /** Null: the chain has no tree. */
  readonly tree: StoredTree | null;
  readonly failure: Failure | null;
}

interface ChainRow {
  readonly number: number;
  readonly id: string;
  readonly serial: number | null;
  readonly project: string | null;
  readonly genesis: string;
  readonly hash: string;
  readonly payloads_through: number;
  readonly tree: string | null;
}

interface NoteRow {
  readonly seq: number;
  readonly at: number;
  readonly note: string;
}

/** By number. @throws UnusableInput when there are signatures but no key to check them */
export function readChains(source: LedgerSource, reader: NoteReader | null): ChainFrame[] {
  const rows = source.all(`${chainRows(source)} ORDER BY c.number`) as ChainRow[];
  return rows.map((row) => frameOf(source, reader, row));
}

function chainRows(source: LedgerSource): string {
  const tree = hasVersion2(source) ? "c.tree" : "NULL AS tree";
  return `SELECT c.number, c.id, c.project AS serial, p.id AS project, c.genesis, c.hash, c.payloads_through, ${tree}
    FROM audit_chain c NOT INDEXED LEFT JOIN project p NOT INDEXED ON p.serial = c.project`;
}

/** The chain with this number. */
export function readChain(source: LedgerSource, reader: NoteReader, number: number): ChainFrame {
  const [row] = source.all(`${chainRows(source)} WHERE c.number = ?`, number) as ChainRow[];
  if (row === undefined) throw new Error(`there is no chain ${number}`);
  return frameOf(source, reader, row);
}

function frameOf(source: LedgerSource, reader: NoteReader | null, row: ChainRow): ChainFrame {
  const anchors = readAnchors(source, reader, row);
  const statement = row.tree === null ? null : parseStatement(String(row.tree));
  const treeThrough = statement?.chain === row.id ? statement.through : null;
  const checkpoints = readCheckpoints(source, reader, row, treeThrough);
  const sizes = checkpoints.roots.map(({ leaves }) => leaves);
  const { number, id: chain, project, hash, payloads_through: payloadsThrough } = row;
  const start = anchors.start ?? { seq: 0, hash, at: null };
  const { tree, failure } = readTree(source, row, { anchors: anchors.good, start: start.seq, sizes });
  return {
    number,
    chain,
    project,
    genesisHash: hash,
    payloadsThrough,
    start,
    anchors: anchors.good.length,
    anchor: anchors.newest,
    checkpoints: checkpoints.good,
    roots: checkpoints.roots,
    tree,
    failure: [anchors.failure, checkpoints.failure, failure].reduce(earlier, checkGenesis(row)),
  };
}

function checkGenesis({ id, serial, project, genesis, hash }: ChainRow): Failure | null {
  const fail = (message: string): Failure => ({ seq: 0, check: "genesis", message });
  const value = parseCanonical(String(genesis));
  if (value === null || Object.keys(value).length !== 4)
    return fail("the genesis is not in the format of a genesis");
  const { chain, at, nonce } = value;
  if (typeof at !== "string" || millisecondsOf(at) === null) return fail("the genesis has no valid time");
  if (typeof nonce !== "string" || !/^[0-9a-f]{32}$/.test(nonce))
    return fail("the genesis has no valid nonce");
  if (chain !== id) return fail("the genesis belongs to another chain");
  if ((serial !== null && project === null) || value.project !== project) {
    return fail("the genesis belongs to another project");
  }
  if (genesisHash({ chain: id, project, at, nonce }) === hash) return null;
  return fail("the stored hash is not the hash of the genesis");
}

function readAnchors(
  source: LedgerSource,
  reader: NoteReader | null,
  { number, id }: ChainRow,
): { start: ChainStart | null; newest: Anchor | null; good: Anchor[]; failure: Failure | null } {
  const rows = notesOf(
    source,
    "SELECT through AS seq, at, note FROM audit_anchor WHERE chain = ? ORDER BY through",
    number,
  );
  let failure: Failure | null = null;
  const good: Anchor[] = [];
  for (const { seq, note } of rows) {
    const text = openNote(reader, note);
    const anchor = text === null ? null : parseAnchor(text);
    if (text === null) failure = earlier(failure, unsigned(seq));
    else if (anchor === null || anchor.chain !== id || anchor.through !== seq) {
      failure = earlier(failure, {
        seq,
        check: "anchor",
        message: "the anchor does not match the columns of its row",
      });
    } else good.push(anchor);
  }
  const newest = rows.at(-1);
  if (newest === undefined) return { start: null, newest: null, good, failure };
  const last = good.find(({ through }) => through === newest.seq);
  const at = last === undefined ? null : toTimestamp(last.lastAt);
  const start = { seq: newest.seq, hash: last?.hash ?? null, at };
  if (good.length === rows.length) failure = earlier(failure, checkAnchors(good));
  return { start, newest: last ?? null, good, failure };
}

function readCheckpoints(
  source: LedgerSource,
  reader: NoteReader | null,
  { number, id }: ChainRow,
  treeThrough: number | null,
): { good: Checkpoint[]; roots: SignedRoot[]; failure: Failure | null } {
  const rows = notesOf(
    source,
    "SELECT size AS seq, at, note FROM audit_checkpoint WHERE chain = ? ORDER BY size",
    number,
  );
  let failure: Failure | null = null;
  const good: Checkpoint[] = [];
  const roots: SignedRoot[] = [];
  for (const { seq, at, note } of rows) {
    const text = openNote(reader, note);
    const checkpoint = text === null ? null : parseCheckpoint(text);
    const root = text === null ? null : parseTreeCheckpoint(text);
    // Without a tree, there is nothing with which the size can be compared.
    const isRoot = root?.chain === id && (treeThrough === null || root.leaves + treeThrough - 1 === seq);
    if (text === null) failure = earlier(failure, unsigned(seq));
    else if (root !== null && isRoot) roots.push({ ...root, signers: reader?.signersOf(String(note)) ?? [] });
    else if (
      checkpoint === null ||
      checkpoint.chain !== id ||
      checkpoint.size !== seq ||
      checkpoint.at !== at
    ) {
      failure = earlier(failure, {
        seq,
        check: "checkpoint",
        message: "the checkpoint does not match the columns of its row",
      });
    } else good.push(checkpoint);
  }
  return { good, roots, failure };
}

/** The newest record that a signed checkpoint in the database covers with its hash; 0 when there is none. Starts with the newest checkpoint. */
export function coveredThrough(
  source: LedgerSource,
  reader: NoteReader,
  { number, chain }: { readonly number: number; readonly chain: string },
): number {
  const next =
    "SELECT size, note FROM audit_checkpoint WHERE chain = ? AND size < ? ORDER BY size DESC LIMIT 1";
  const hashAt = "SELECT hash FROM audit_entry WHERE chain = ? AND seq = ?";
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const [row] = source.all(next, number, below) as { size: number; note: string }[];
    if (row === undefined) return 0;
    const text = reader.open(row.note);
    const checkpoint = text === null ? null : parseCheckpoint(text);
    const [entry] = source.all(hashAt, number, row.size) as { hash: string }[];
    const root = text === null ? null : parseTreeCheckpoint(text);
    if (root?.chain === chain && isStored(source, number, row.size, root)) return row.size;
    if (checkpoint?.chain === chain && checkpoint.size === row.size && checkpoint.hash === entry?.hash) {
      return row.size;
    }
    below = row.size;
  }
}

/** Whether what is stored of the tree gives this root. */
function isStored(
  source: LedgerSource,
  number: number,
  size: number,
  { leaves, root }: TreeCheckpoint,
): boolean {
  const [row] = source.all(`${chainRows(source)} WHERE c.number = ?`, number) as ChainRow[];
  if (row === undefined) return false;
  const anchors = source.all(
    "SELECT note FROM audit_anchor WHERE chain = ? ORDER BY through",
    number,
  ) as NoteRow[];
  const parsed = anchors
    .map(({ note }) => parseAnchor(textOfNote(String(note))))
    .filter((one) => one !== null);
  const tree = readTreeStart(row, { anchors: parsed, start: parsed.at(-1)?.through ?? 0 });
  return (
    tree !== null && leaves + tree.through - 1 === size && storedRootAt(source, number, tree, leaves) === root
  );
}

function notesOf(source: LedgerSource, sql: string, chain: number): NoteRow[] {
  return source.all(sql, chain) as NoteRow[];
}

function openNote(reader: NoteReader | null, note: string): string | null {
  if (reader !== null) return reader.open(String(note));
  throw new UnusableInput(
    "The ledger is signed, but audit.pub is missing next to the database. Set the public key with --public-key FILE.",
  );
}

function unsigned(seq: number): Failure {
  return { seq, check: "signature", message: "a signed note was changed, or signed by another key" };
}
