// Owns the checks of a single record that need no other record, and the reading of a record that documents a removal. Must never trust a
// value of a record before its hashes are verified.

import { isObject, type JsonObject } from "../../json/json.ts";
import type { Sha256 } from "./cryptography.ts";
import type { Entry } from "./entry-parser.ts";
import type { Failure } from "./verdict.ts";

/** A payload as it is stored. `unreadable`: it exists, but cannot be decompressed. */
export type FoundPayload =
  | { readonly salt: Uint8Array; readonly text: Uint8Array | string }
  | "missing"
  | "unreadable";

/** What an entry names, and belongs to another project according to the database. */
export type Foreign = "key" | "memory" | null;

/** A record as it is stored, not verified. */
export interface FoundRecord {
  /** Null: only the entry contains the position. */
  readonly seq: number | null;
  /** The seq of the first record, used if neither column nor entry contains it. */
  readonly expectedSeq?: number | null;
  /** Null: the entry is missing. */
  readonly entry: string | null;
  readonly hash: string | null;
  readonly payload: FoundPayload;
  /** Absent: not compared. */
  readonly foreign?: Foreign;
}

export interface RecordOptions<Found extends FoundRecord> {
  readonly chain: string;
  readonly project: string | null;
  /** The range of times that the records must be in, ends included; null: any time. */
  readonly span: readonly [from: string, to: string] | null;
  /** Whether the stored copies of an entry's members match the entry. */
  readonly columnsAgree: (record: Found, entry: Entry) => boolean;
  readonly sha256: Sha256;
}

/** What a record documents as removed. Plain data. */
export interface Removal {
  readonly seq: number;
  /** Seqs whose payloads were erased. */
  readonly redacted: readonly number[];
  /** Payloads up to this seq were removed; 0: none. */
  readonly payloadsThrough: number;
  /** The anchor that was signed; null: none. */
  readonly anchor: RecordedAnchor | null;
}

/** The values of the anchor as the record of audit.prune documents them. */
interface RecordedAnchor {
  readonly through: number;
  readonly count: number;
  readonly cause: string;
}

/** Actions whose records document a removal. Verifiers need their payloads, so these must not be missing. */
export const removalActions: ReadonlySet<string> = new Set(["audit.redact", "audit.prune"]);

type RecordFault = Pick<Failure, "check" | "message">;

/** The first check that the record fails; null: it passes all of them. */
export function checkRecord<Found extends FoundRecord>(
  record: Found,
  entry: Entry,
  { chain, project, span, columnsAgree, sha256 }: RecordOptions<Found>,
): RecordFault | null {
  if (entry.chain !== chain || entry.project !== project) {
    return { check: "chain", message: "the entry belongs to another chain or project" };
  }
  if (span !== null && (entry.at < span[0] || entry.at > span[1])) {
    return { check: "time", message: "the time is outside the range of the export" };
  }
  if (!isHashValid(record, sha256))
    return { check: "hash", message: "the stored hash is not the hash of the entry" };
  if (!isPayloadValid(record, entry, sha256)) {
    return { check: "payload", message: "the payload does not match the payload hash in the entry" };
  }
  if (!columnsAgree(record, entry)) {
    return { check: "columns", message: "a stored column does not match the entry" };
  }
  if (record.foreign == null) return null;
  const message = `the ${record.foreign} of the record belongs to another project in this database: ids, keys or memories of projects were exchanged`;
  return { check: "owner", message };
}

/** A payload may be missing if a later record documents it, but not the payload of a record that documents a removal. */
function isPayloadValid(record: FoundRecord, entry: Entry, sha256: Sha256): boolean {
  return record.payload === "missing"
    ? !removalActions.has(entry.action)
    : matchesPayloadHash(record, entry, sha256);
}

const saltBytes = 16;

function isHashValid({ entry, hash }: FoundRecord, sha256: Sha256): boolean {
  if (entry === null) return false;
  return sha256.update("memledger/entry/v1\0").update(entry).digest() === hash;
}

function matchesPayloadHash({ payload }: FoundRecord, entry: Entry, sha256: Sha256): boolean {
  if (typeof payload === "string" || payload.salt.length !== saltBytes) return false;
  sha256.update("memledger/payload/v1\0").update(payload.salt).update(payload.text);
  return sha256.digest() === entry.payloadHash;
}

/** Null when the record removed nothing, or fails a check. */
export function readRemoval(record: FoundRecord, entry: Entry, seq: number, sha256: Sha256): Removal | null {
  if (entry.status !== 200 || !isHashValid(record, sha256)) return null;
  if (!matchesPayloadHash(record, entry, sha256)) return null;
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

/** Null: it is not an object. */
export function parsePayload(text: Uint8Array | string): JsonObject | null {
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
