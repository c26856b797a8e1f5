// Owns the checks of every single record, along one stretch of one chain. Stretches can be checked apart, in any order and in
// any thread; chain-verification.ts joins them. Must never stop at a failure: excuses and attested hashes may follow it.

import { isObject, type JsonObject } from "../../json/json.ts";
import { type Entry, parseEntry } from "./entry-parser.ts";
import { type Check, earlier, type Failure } from "./verdict.ts";

/** A payload as it was found. `unreadable`: there is something, but it cannot be unpacked. */
export type FoundPayload =
  | { readonly salt: Uint8Array; readonly text: Uint8Array | string }
  | "missing"
  | "unreadable";

/** A record as it was found, before anything of it is believed. */
export interface FoundRecord {
  /** Null: the position is known from the entry only. */
  readonly seq: number | null;
  /** Where the first record stands when it does not say so itself. */
  readonly expectedSeq?: number | null;
  /** Null: there is no text. */
  readonly entry: string | null;
  readonly hash: string | null;
  readonly payload: FoundPayload;
}

export interface SegmentOptions<Found extends FoundRecord> {
  readonly chain: string;
  readonly project: string | null;
  /** Seqs whose hashes are wanted, ascending. */
  readonly wanted: readonly number[];
  /** Times that records must not lie outside of; null: any. */
  readonly span: readonly [from: string, to: string] | null;
  /** Whether the copies beside an entry agree with it. */
  readonly columnsAgree: (record: Found, entry: Entry) => boolean;
}

/** Both included. */
export type SeqRange = readonly [from: number, through: number];

/** A record that says what has been removed. Plain data. */
export interface Removal {
  readonly seq: number;
  /** Seqs whose payloads it removed. */
  readonly redacted: readonly number[];
  /** It removed the payloads up to this seq; 0: none. */
  readonly payloadsThrough: number;
  /** The anchor that it set; null: none. */
  readonly anchor: RecordedAnchor | null;
}

/** What a record of audit.prune says about the anchor that was signed with it. */
export interface RecordedAnchor {
  readonly through: number;
  readonly count: number;
  readonly cause: string;
}

/** What a stretch shows to its neighbours. Plain data. */
export interface Segment {
  readonly records: number;
  readonly first: { readonly seq: number; readonly prev: string | null };
  /** Of the first entry that can be read. */
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

const removing: ReadonlySet<string> = new Set(["audit.redact", "audit.prune"]);

export function createSegmentVerifier<Found extends FoundRecord>(
  options: SegmentOptions<Found>,
): SegmentVerifier<Found> {
  let records = 0;
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
    if (seq !== lastSeq + 1) fail(Math.min(seq, lastSeq + 1), "seq", gap(lastSeq + 1, seq));
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
      const wrong = entry === null ? notAnEntry : checkEntry(record, entry, options);
      if (wrong !== null) fail(seq, wrong.check, wrong.message);
      if (entry !== null && wrong?.check !== "payload" && record.payload === "missing") miss(seq);
      if (entry !== null && removing.has(entry.action)) {
        const removal = readRemoval(record, entry, seq);
        if (removal !== null) removals.push(removal);
      }
      while ((options.wanted[nextWanted] ?? seq) < seq) nextWanted += 1;
      if (options.wanted[nextWanted] === seq) hashes.push([seq, record.hash]);
      records += 1;
      lastSeq = seq;
      lastHash = record.hash;
      if (entry === null) return;
      firstAt ??= entry.at;
      lastAt = entry.at;
    },
    finish() {
      if (first === null) return null;
      const last = { seq: lastSeq, hash: lastHash };
      return { records, first, firstAt, last, lastAt, failure, missing, removals, hashes };
    },
  };
}

export const linkMessage = "it does not continue the record before: one of the two was changed or replaced";
export const timeMessage = "it is older than the record before";
const notAnEntry = { check: "form", message: "its entry is not written as the format demands" } as const;

export function gap(expected: number, found: number): string {
  return found > expected
    ? `record ${found} follows where ${expected} is expected: records are missing or out of order`
    : `record ${found} appears where ${expected} is expected: records are doubled or out of order`;
}

type RecordFault = Pick<Failure, "check" | "message">;

/** Everything about a record that needs no neighbour. */
function checkEntry<Found extends FoundRecord>(
  record: Found,
  entry: Entry,
  { chain, project, span, columnsAgree }: SegmentOptions<Found>,
): RecordFault | null {
  if (entry.chain !== chain || entry.project !== project) {
    return { check: "chain", message: "its entry belongs to another chain or project" };
  }
  if (span !== null && (entry.at < span[0] || entry.at > span[1])) {
    return { check: "time", message: "its time lies outside of what was exported" };
  }
  if (!hashHolds(record)) return { check: "hash", message: "its entry is not the text that was hashed" };
  if (!payloadAllowed(record, entry)) {
    return { check: "payload", message: "its payload is not the one that the entry commits to" };
  }
  if (columnsAgree(record, entry)) return null;
  return { check: "columns", message: "what is shown beside its entry is not what the entry says" };
}

/** A payload may be missing when a later record says so, unless the record itself says what has been removed. */
function payloadAllowed(record: FoundRecord, entry: Entry): boolean {
  return record.payload === "missing" ? !removing.has(entry.action) : payloadHolds(record, entry);
}

const hasher = new Bun.CryptoHasher("sha256");
const saltBytes = 16;

function hashHolds({ entry, hash }: FoundRecord): boolean {
  if (entry === null) return false;
  return hasher.update("memledger/entry/v1\0").update(entry).digest("hex") === hash;
}

function payloadHolds({ payload }: FoundRecord, entry: Entry): boolean {
  if (typeof payload === "string" || payload.salt.length !== saltBytes) return false;
  hasher.update("memledger/payload/v1\0").update(payload.salt).update(payload.text);
  return hasher.digest("hex") === entry.payloadHash;
}

/** Null when the record removed nothing, or cannot be believed. */
function readRemoval(record: FoundRecord, entry: Entry, seq: number): Removal | null {
  if (entry.status !== 200 || !hashHolds(record) || !payloadHolds(record, entry)) return null;
  if (typeof record.payload === "string") return null;
  const payload = parsePayload(record.payload.text);
  if (payload === null) return null;
  const { redacted, payloads_through, through, count, cause } = payload;
  const isRedaction = entry.action === "audit.redact";
  const anchor =
    !isRedaction && isSeq(through) && isSeq(count) && typeof cause === "string"
      ? { through, count, cause }
      : null;
  return {
    seq,
    redacted: isRedaction && Array.isArray(redacted) ? redacted.filter(isSeq) : [],
    payloadsThrough: !isRedaction && isSeq(payloads_through) ? payloads_through : 0,
    anchor,
  };
}

function parsePayload(text: Uint8Array | string): JsonObject | null {
  try {
    const payload: unknown = JSON.parse(typeof text === "string" ? text : new TextDecoder().decode(text));
    return isObject(payload) ? payload : null;
  } catch {
    return null;
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
