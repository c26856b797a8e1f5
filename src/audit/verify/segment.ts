// Owns the checks along one segment of a chain. Segments can be checked separately, in any order and in any thread;
// chain-verification.ts joins them. Must never stop at a failure: records of removals and requested hashes may follow.

import { type Entry, parseEntry } from "./entry-parser.ts";
import { isOwn } from "./own-records.ts";
import {
  checkRecord,
  type FoundRecord,
  type RecordOptions,
  type Removal,
  readRemoval,
  removalActions,
} from "./record-checks.ts";
import { type Check, earlier, type Failure } from "./verdict.ts";

interface SegmentOptions<Found extends FoundRecord> extends RecordOptions<Found> {
  /** Seqs whose hashes are requested, ascending. */
  readonly wanted: readonly number[];
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

  const fail = (seq: number, check: Check, message: string): void => {
    failure = earlier(failure, { seq, check, message });
  };

  const follow = (seq: number, entry: Entry | null): void => {
    if (seq !== lastSeq + 1) fail(Math.min(seq, lastSeq + 1), "seq", gapMessage(lastSeq + 1, seq));
    else if (entry !== null && entry.prev !== lastHash) fail(seq, "link", linkMessage);
    else if (entry !== null && lastAt !== null && entry.at < lastAt) fail(seq, "time", timeMessage);
  };

  const miss = (seq: number): void => {
    const range = missing.at(-1);
    if (range !== undefined && range[1] === seq - 1) range[1] = seq;
    else missing.push([seq, seq]);
  };

  return {
    take(record) {
      const entry = record.entry === null ? null : parseEntry(record.entry);
      const seq = record.seq ?? entry?.seq ?? record.expectedSeq ?? lastSeq + 1;
      if (first === null) first = { seq, prev: entry?.prev ?? null };
      else follow(seq, entry);
      const wrong = entry === null ? notAnEntry : checkRecord(record, entry, options);
      if (wrong !== null) fail(seq, wrong.check, wrong.message);
      if (entry !== null && wrong?.check !== "payload" && record.payload === "missing") miss(seq);
      if (entry !== null && removalActions.has(entry.action)) {
        const removal = readRemoval(record, entry, seq, options.sha256);
        if (removal !== null) removals.push(removal);
      }
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
      return { records, appended, first, firstAt, last, lastAt, failure, missing, removals, hashes };
    },
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
