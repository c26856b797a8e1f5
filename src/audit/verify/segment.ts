// Owns the checks along one segment of a chain. Segments can be checked separately, in any order and in any thread;
// chain-verification.ts joins them. Must never stop at a failure: records of removals and requested hashes may follow.

import type { TreeHasher, TreeNode } from "../tree.ts";
import { type Entry, parseEntry } from "./entry-parser.ts";
import { isOwn } from "./own-records.ts";
import { erasedParts, type ParsedParts } from "./part-lines.ts";
import {
  checkRecord,
  type ErasedParts,
  type FoundRecord,
  type RecordOptions,
  type Removal,
  readParts,
  readRemoval,
  removalActions,
} from "./record-checks.ts";
import { type Forest, parseHash, pushNode } from "./tree-forest.ts";
import { type Check, earlier, type Failure } from "./verdict.ts";

interface SegmentOptions<Found extends FoundRecord> extends RecordOptions<Found> {
  /** Seqs whose hashes are requested, ascending. */
  readonly wanted: readonly number[];
  /** Null: the chain has no tree. */
  readonly tree: SegmentTree | null;
  /** Whether records may be left out, as in some exports. */
  readonly hasGaps?: boolean;
}

interface SegmentTree {
  /** Leaf i is the record with the seq through + i. */
  readonly through: number;
  /** Seqs at which the root is requested, ascending. */
  readonly roots: readonly number[];
  readonly hasher: TreeHasher;
}

/** Both ends are included. */
type SeqRange = readonly [from: number, through: number];

/** The result for one segment, with what its neighbours need. Plain data. */
export interface Segment {
  readonly records: number;
  /** Of these, the ones that clients have appended. */
  readonly appended: number;
  readonly first: { readonly seq: number; readonly prev: string | null };
  /** Time of the first valid entry. */
  readonly firstAt: string | null;
  readonly last: { readonly seq: number; readonly hash: string | null };
  readonly lastAt: string | null;
  readonly failure: Failure | null;
  readonly missing: readonly SeqRange[];
  readonly removals: readonly Removal[];
  readonly hashes: readonly (readonly [seq: number, hash: string | null])[];
  /** Of records of version 2. */
  readonly erased: readonly ErasedParts[];
  /** Number of parts that are withheld. */
  readonly withheld: number;
  /** Null: no record of version 2. */
  readonly firstOfVersion2: number | null;
  /** Records that a later release has written. */
  readonly newer: readonly NewerRecord[];
  /** Of the records as leaves of the tree; null: the chain has no tree, or a hash cannot be read. */
  readonly forest: Forest | null;
  /** What the forest was at the requested seqs. */
  readonly frontiers: readonly (readonly [seq: number, nodes: readonly TreeNode[]])[];
}

/** A record with a member that this version does not know. */
export interface NewerRecord {
  readonly seq: number;
  readonly release: string;
  readonly member: string;
}

export interface SegmentVerifier<Found extends FoundRecord> {
  take(record: Found): void;
  /** Null when no record was taken. */
  finish(): Segment | null;
}

export function createSegmentVerifier<Found extends FoundRecord>(
  options: SegmentOptions<Found>,
): SegmentVerifier<Found> {
  let records = 0;
  let appended = 0;
  let first: Segment["first"] | null = null;
  let firstAt: string | null = null;
  let lastSeq = 0;
  let lastHash: string | null = null;
  let lastAt: string | null = null;
  let failure: Failure | null = null;
  let nextWanted = 0;
  const missing: [number, number][] = [];
  const removals: Removal[] = [];
  const hashes: [number, string | null][] = [];
  const erased: ErasedParts[] = [];
  let withheld = 0;
  const newer: NewerRecord[] = [];
  let firstOfVersion2: number | null = null;
  const leaves = options.tree === null ? null : createLeaves(options.tree);

  const fail = (seq: number, check: Check, message: string): void => {
    failure = earlier(failure, { seq, check, message });
  };

  const follow = (seq: number, entry: Entry | null): void => {
    if (options.hasGaps === true && seq > lastSeq + 1) return;
    if (seq !== lastSeq + 1) fail(Math.min(seq, lastSeq + 1), "seq", gapMessage(lastSeq + 1, seq));
    else if (entry !== null && entry.prev !== lastHash) fail(seq, "link", linkMessage);
    else if (entry !== null && lastAt !== null && entry.at < lastAt) fail(seq, "time", timeMessage);
  };

  const miss = (seq: number): void => {
    const range = missing.at(-1);
    if (range !== undefined && range[1] === seq - 1) range[1] = seq;
    else missing.push([seq, seq]);
  };

  const takeVersion2 = (seq: number, { v2 }: Entry, parts: ParsedParts | null): void => {
    if (v2 === null) return;
    firstOfVersion2 ??= seq;
    if (v2.newer !== null) {
      const others = parts?.headers.flatMap((header) => header?.others ?? []) ?? [];
      const [member] = [...v2.newer.members, ...others];
      if (member !== undefined) newer.push({ seq, release: v2.newer.release, member });
    }
    if (parts === null) return;
    const gone = erasedParts(parts);
    if (gone.length > 0) erased.push([seq, gone]);
    for (const header of parts.headers) if (header === null) withheld += 1;
  };

  return {
    take(record) {
      const entry = record.entry === null ? null : parseEntry(record.entry);
      const seq = record.seq ?? entry?.seq ?? record.expectedSeq ?? lastSeq + 1;
      if (first === null) first = { seq, prev: entry?.prev ?? null };
      else follow(seq, entry);
      const parts = entry === null || entry.v2 === null ? null : readParts(record, entry, options);
      const wrong = entry === null ? notAnEntry : checkRecord(record, entry, parts, options);
      if (wrong !== null) fail(seq, wrong.check, wrong.message);
      if (entry !== null && wrong?.check !== "payload" && record.payload === "missing") miss(seq);
      if (entry !== null && removalActions.has(entry.action)) {
        const removal = readRemoval(record, entry, parts, options);
        if (removal !== null) removals.push({ seq, ...removal });
      }
      if (entry !== null) takeVersion2(seq, entry, parts);
      leaves?.take(seq, record.hash);
      while ((options.wanted[nextWanted] ?? seq) < seq) nextWanted += 1;
      if (options.wanted[nextWanted] === seq) hashes.push([seq, record.hash]);
      records += 1;
      if (entry !== null && !isOwn(entry)) appended += 1;
      lastSeq = seq;
      lastHash = record.hash;
      if (entry === null) return;
      firstAt ??= entry.at;
      lastAt = entry.at;
    },
    finish() {
      if (first === null) return null;
      const last = { seq: lastSeq, hash: lastHash };
      const found = { records, appended, first, firstAt, last, lastAt, failure, missing, removals, hashes };
      const { forest = null, frontiers = [] } = leaves?.finish() ?? {};
      return { ...found, erased, withheld, firstOfVersion2, newer, forest, frontiers };
    },
  };
}

/** Hashes the records as leaves of the tree. */
function createLeaves({ through, roots, hasher }: SegmentTree) {
  const nodes: TreeNode[] = [];
  const completed: TreeNode[] = [];
  const frontiers: [number, readonly TreeNode[]][] = [];
  let next: number | null = null;
  let isWhole = true;
  let nextRoot = 0;
  return {
    take(seq: number, hash: string | null): void {
      const data = parseHash(hash ?? "");
      isWhole &&= data !== null && seq === (next ?? seq) && seq > through;
      next = seq + 1;
      if (!isWhole || data === null) return;
      pushNode(nodes, { level: 0, position: seq - through, hash: hasher.leaf(data) }, hasher, completed);
      while ((roots[nextRoot] ?? seq) < seq) nextRoot += 1;
      if (roots[nextRoot] === seq) frontiers.push([seq, [...nodes]]);
    },
    finish: () => ({ forest: isWhole ? { nodes, completed } : null, frontiers }),
  };
}

export const linkMessage =
  "the record does not link to the previous record: one of the two was changed or replaced";
export const timeMessage = "the record is older than the previous record";
const notAnEntry = { check: "form", message: "the entry is not in the format of an entry" } as const;

export function gapMessage(expected: number, found: number): string {
  return found > expected
    ? `found record ${found} instead of record ${expected}: records are missing or out of order`
    : `found record ${found} instead of record ${expected}: records are duplicated or out of order`;
}
