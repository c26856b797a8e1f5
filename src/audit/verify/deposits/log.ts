// Owns the checks along the deposits of one log: that their entries are one chain, and the roots of its tree. Pure; must never open a file.

import { fromBase64 } from "../../../platform/text/byte-text.ts";
import type { DepositHead } from "../../deposit.ts";
import { createTreeHasher, statementHash, type TreeNode } from "../../tree.ts";
import type { KnownRoot } from "../checkpoint-comparison.ts";
import type { Cryptography } from "../cryptography.ts";
import { type Entry, parseEntry } from "../entry-parser.ts";
import { checkNotes, type NoteReader } from "../note-reader.ts";
import { isOwn } from "../own-records.ts";
import { entryDigest } from "../record-checks.ts";
import { gapMessage, linkMessage, timeMessage } from "../segment.ts";
import { parseHash, pushNode, rootOfNodes } from "../tree-forest.ts";
import { type ParsedStatement, parseStatement, placeNodes } from "../tree-verification.ts";
import type { Check, Failure } from "../verdict.ts";

/** A record of a deposit, with the hash of its entry. */
export interface DepositedRecord extends Pick<Entry, "chain" | "seq"> {
  readonly entry: string;
  readonly hash: string;
  /** Name of the file. */
  readonly file: string;
}

/** A failure ends the verification of a log. */
export class Failed extends Error {
  readonly failure: Failure;
  constructor(seq: number | null, check: Check, message: string) {
    super(message);
    this.failure = { seq, check, message };
  }
}

/** The nodes of the leaves before the first record; null: the head does not have them. */
function nodesBefore(
  { first, tree, before }: DepositHead,
  through: number,
  cryptography: Cryptography,
): TreeNode[] | null {
  const leaves = first - through;
  const statement = createTreeHasher(cryptography).leaf(statementHash(tree, cryptography));
  if (leaves <= 1) return [{ level: 0, position: 0, hash: statement }];
  const hashes = before.flatMap((text) => fromBase64(text) ?? []);
  const bits = [...leaves.toString(2)].filter((bit) => bit === "1").length;
  return hashes.length === bits ? placeNodes(leaves, hashes) : null;
}

interface LogOptions {
  readonly cryptography: Cryptography;
  /** External checkpoints with valid signatures. */
  readonly roots: readonly KnownRoot[];
  /** Called for each record, in order, before the checkpoint that covers it is compared. */
  readonly onRecord?: (record: DepositedRecord) => void;
}

/** What is known of the records of a log so far. Its methods throw Failed. */
export function createLog({ cryptography, roots: outside, onRecord }: LogOptions) {
  const hasher = createTreeHasher(cryptography);
  const sha256 = cryptography.createSha256();
  const found = new Map<number, Uint8Array | null>();
  const given: KnownRoot[] = [];
  const wanted = new Set(outside.map(({ leaves }) => leaves));
  let start: Pick<DepositHead, "chain" | "project" | "log" | "tree"> | null = null;
  let statement: ParsedStatement | null = null;
  let nodes: TreeNode[] = [];
  let [firstSeq, lastSeq, records, appended] = [0, 0, 0, 0];
  let last: { readonly hash: string; readonly at: string } | null = null;

  const through = () => statement?.through ?? 0;
  const fail = (seq: number | null, check: Check, message: string): never => {
    throw new Failed(seq, check, message);
  };
  const noteRoot = () => {
    if (lastSeq >= through()) found.set(lastSeq - through() + 1, rootOfNodes(nodes, hasher));
  };

  return {
    /** The last record that was read; 0: none. */
    through: () => lastSeq,

    begin(head: DepositHead, name: string, reader: NoteReader): string | null {
      const { chain, project, log, tree, first } = head;
      statement ??= parseStatement(tree);
      if (statement === null || statement.chain !== chain || (start !== null && start.tree !== tree))
        fail(first, "tree", `${name} has another statement of the tree`);
      if (start !== null && start.project !== project) fail(first, "chain", `${name} is of another project`);
      const isGap = start !== null && first > lastSeq + 1;
      const skipped = isGap
        ? `Chain ${chain}: the records from ${lastSeq + 1} to ${first - 1} are not there. Either a file is missing, or retention had removed them before they were kept.`
        : null;
      if (start === null) firstSeq = first;
      if (start === null || isGap) {
        const before = nodesBefore(head, through(), cryptography);
        nodes = before ?? fail(first, "tree", `${name} lacks nodes of the tree`);
        last = first === through() + 1 && statement !== null ? { hash: statement.hash, at: "" } : null;
        lastSeq = first - 1;
      }
      start = { chain, project, log, tree };
      const notes = checkNotes(
        head.checkpoints.map(({ note }) => note),
        reader,
      );
      if (notes.refused > 0)
        fail(head.last, "signature", `${name} has a checkpoint that no accepted key has signed`);
      for (const root of notes.roots) {
        if (root.chain !== chain || root.log !== log)
          fail(head.last, "checkpoint", `${name} has a checkpoint of another chain or log`);
        given.push({ ...root, isOutside: false, source: name });
        wanted.add(root.leaves);
      }
      noteRoot();
      return skipped;
    },

    take(line: string, head: DepositHead, file: string): void {
      const seq = lastSeq + 1;
      const entry = parseEntry(line);
      if (entry === null) throw new Failed(seq, "form", `${file} has a line that is not an entry`);
      if (entry.seq !== seq || seq > head.last) fail(seq, "seq", gapMessage(seq, entry.seq));
      if (entry.chain !== head.chain || entry.project !== head.project)
        fail(seq, "chain", "the entry belongs to another chain or project");
      if (last !== null && entry.prev !== last.hash) fail(seq, "link", linkMessage);
      if (last !== null && entry.at < last.at) fail(seq, "time", timeMessage);
      const hash = entryDigest(line, entry.v2, sha256);
      onRecord?.({ chain: entry.chain, seq, entry: line, hash, file });
      if (seq > through())
        pushNode(
          nodes,
          { level: 0, position: seq - through(), hash: hasher.leaf(parseHash(hash) ?? new Uint8Array()) },
          hasher,
        );
      [lastSeq, last] = [seq, { hash, at: entry.at }];
      records += 1;
      if (!isOwn(entry)) appended += 1;
      if (wanted.has(seq - through() + 1)) noteRoot();
    },

    end(head: DepositHead | null, name: string): void {
      if (head === null) throw new Failed(null, "file", `${name} is empty`);
      if (lastSeq < head.last) fail(lastSeq + 1, "file", `${name} ends before this record: it was cut off`);
    },

    /** What was read. */
    summary: () => ({
      ...{ project: start?.project ?? null, firstSeq, lastSeq, records, appended, given, through: through() },
      /** The root at a number of leaves; undefined: it was not asked for. */
      rootAt: (leaves: number) => found.get(leaves),
    }),
  };
}
