// Owns the checks of a single record that need no other record, and the reading of a record that documents a removal. Must never trust a
// value of a record before its hashes are verified.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import type { Cryptography, Sha256 } from "./cryptography.ts";
import type { Entry } from "./entry-parser.ts";
import { isErased, type ParsedParts, readText } from "./part-lines.ts";
import { verifyParts } from "./parts.ts";
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
  /** The first record of version 2; null: there is none. */
  readonly firstOfVersion2: number | null;
  /** The range of times that the records must be in, ends included; null: any time. */
  readonly span: readonly [from: string, to: string] | null;
  /** Whether the stored copies of an entry's members match the entry. `parts`: of a payload of version 2 that was verified. */
  readonly columnsAgree: (record: Found, entry: Entry, parts: ParsedParts | null) => boolean;
  /** What is wrong with other things that are stored about a record. */
  readonly checkRows?: (record: Found, entry: Entry, parts: ParsedParts | null) => RecordFault | null;
  /** Whether a name is stored for one of these pseudonyms. */
  readonly haveName?: (pseudonyms: readonly string[]) => boolean;
  /** Whether parts may be withheld, as in some files. */
  readonly mayWithhold?: boolean;
  readonly sha256: Sha256;
  readonly hashInto: Cryptography["hashInto"];
}

/** What a record documents as removed. Plain data. */
export interface Removal {
  readonly seq: number;
  /** Whether it is of version 2: what it names must be missing. */
  readonly isBinding: boolean;
  /** Seqs whose payloads were erased. */
  readonly redacted: readonly number[];
  /** Parts of payloads that were erased. */
  readonly erasedParts: readonly ErasedParts[];
  /** Whether a pseudonym of an erased subject or conversation still has a name. */
  readonly leavesName: boolean;
  /** Payloads up to this seq were removed; 0: none. */
  readonly payloadsThrough: number;
  /** The anchor that was signed; null: none. */
  readonly anchor: RecordedAnchor | null;
}

export type ErasedParts = readonly [seq: number, parts: readonly number[]];

/** The values of the anchor as the record of audit.prune documents them. */
interface RecordedAnchor {
  readonly through: number;
  readonly count: number;
  readonly cause: string;
}

/** Actions whose records document a removal. Verifiers need their payloads, so these must not be missing. */
export const removalActions: ReadonlySet<string> = new Set(["audit.redact", "audit.prune"]);

export type RecordFault = Pick<Failure, "check" | "message">;

/** The parts of a payload of version 2 that matches its entry; null for every other payload. */
export function readParts<Found extends FoundRecord>(
  { payload }: Found,
  { v2, payloadHash }: Entry,
  { hashInto, mayWithhold = false }: RecordOptions<Found>,
): ParsedParts | null {
  if (v2 === null || typeof payload === "string") return null;
  const { salt, text } = payload;
  const content = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const expected = { parts: v2.parts, payloadHash };
  return verifyParts({ content, salt }, expected, { hashInto }, mayWithhold, v2.newer !== null);
}

/** The first check that the record fails; null: it passes all of them. `parts`: the result of `readParts`. */
export function checkRecord<Found extends FoundRecord>(
  record: Found,
  entry: Entry,
  parts: ParsedParts | null,
  { chain, project, firstOfVersion2, span, columnsAgree, checkRows, sha256 }: RecordOptions<Found>,
): RecordFault | null {
  const seq = record.seq ?? entry.seq;
  if ((entry.v2 !== null) !== (firstOfVersion2 !== null && seq >= firstOfVersion2))
    return { check: "form", message: "the entry is not of the version that the statement of the tree says" };
  if (entry.chain !== chain || entry.project !== project) {
    return { check: "chain", message: "the entry belongs to another chain or project" };
  }
  if (span !== null && (entry.at < span[0] || entry.at > span[1])) {
    return { check: "time", message: "the time is outside the range of the export" };
  }
  if (!isHashValid(record, entry, sha256))
    return { check: "hash", message: "the stored hash is not the hash of the entry" };
  const payloadFault = checkPayload(record, entry, parts, sha256);
  if (payloadFault !== null) return { check: "payload", message: payloadFault };
  if (!columnsAgree(record, entry, parts)) {
    return { check: "columns", message: "a stored column does not match the entry" };
  }
  const rowsFault = checkRows?.(record, entry, parts) ?? null;
  if (rowsFault !== null || record.foreign == null) return rowsFault;
  const message = `the ${record.foreign} of the record belongs to another project in this database: ids, keys or memories of projects were swapped`;
  return { check: "owner", message };
}

const mismatch = "the payload does not match the payload hash in the entry";

/** A payload may be missing if a later record documents it, but not the payload of a record that documents a removal. */
function checkPayload(
  record: FoundRecord,
  entry: Entry,
  parts: ParsedParts | null,
  sha256: Sha256,
): string | null {
  if (entry.v2 === null) {
    if (record.payload === "missing") return removalActions.has(entry.action) ? mismatch : null;
    return matchesPayloadHash(record, entry, sha256) ? null : mismatch;
  }
  if (record.payload !== "missing" && parts === null) return mismatch;
  if (!isRemoval(entry)) return null;
  const [line] = parts?.lines ?? [];
  if (line === undefined || isErased(line)) return "the part that documents a removal is missing";
  return parts?.headers[0]?.about.length === 0 ? null : "the part that documents a removal is about somebody";
}

/** Of version 2. Others may be removed like all records. */
function isRemoval({ action, status }: Entry): boolean {
  return status === 200 && removalActions.has(action);
}

const saltBytes = 16;

function isHashValid({ entry, hash }: FoundRecord, { v2 }: Entry, sha256: Sha256): boolean {
  return entry !== null && entryDigest(entry, v2, sha256) === hash;
}

/** The hash of an entry, in hexadecimal. @param v2 null: the entry is of version 1 */
export function entryDigest(entry: string, v2: Entry["v2"], sha256: Sha256): string {
  return sha256
    .update(v2 === null ? "memledger/entry/v1\0" : "memledger/entry/v2\0")
    .update(entry)
    .digest();
}

function matchesPayloadHash({ payload }: FoundRecord, entry: Entry, sha256: Sha256): boolean {
  if (typeof payload === "string" || payload.salt.length !== saltBytes) return false;
  sha256.update("memledger/payload/v1\0").update(payload.salt).update(payload.text);
  return sha256.digest() === entry.payloadHash;
}

/** Null when the record removed nothing, or fails a check. */
export function readRemoval<Found extends FoundRecord>(
  record: Found,
  entry: Entry,
  parts: ParsedParts | null,
  { sha256, haveName }: RecordOptions<Found>,
): Omit<Removal, "seq"> | null {
  if (entry.status !== 200 || !isHashValid(record, entry, sha256)) return null;
  const payload = entry.v2 === null ? readPayload(record, entry, sha256) : readFirstPart(parts);
  if (payload === null) return null;
  const { redacted, redacted_parts, payloads_through, through, count, cause, erased } = payload;
  const isErasure = entry.action === "audit.redact";
  const isBinding = isErasure && entry.v2 !== null;
  const anchor =
    !isErasure && isSeq(through) && isSeq(count) && typeof cause === "string"
      ? { through, count, cause }
      : null;
  const pseudonyms =
    isBinding && Array.isArray(erased) ? erased.filter((one) => typeof one === "string") : [];
  return {
    isBinding,
    redacted: isErasure && Array.isArray(redacted) ? redacted.filter(isSeq) : [],
    erasedParts: isBinding && Array.isArray(redacted_parts) ? redacted_parts.flatMap(toErasedParts) : [],
    leavesName: pseudonyms.length > 0 && (haveName?.(pseudonyms) ?? false),
    payloadsThrough: !isErasure && isSeq(payloads_through) ? payloads_through : 0,
    anchor,
  };
}

function readPayload(record: FoundRecord, entry: Entry, sha256: Sha256): JsonObject | null {
  if (typeof record.payload === "string" || !matchesPayloadHash(record, entry, sha256)) return null;
  return parsePayload(record.payload.text);
}

/** The object in the first part, in which the members about removals are. */
function readFirstPart(parts: ParsedParts | null): JsonObject | null {
  const [line] = parts?.lines ?? [];
  if (parts === null || line === undefined || isErased(line)) return null;
  return parsePayload(readText(parts.content, line) ?? "");
}

function toErasedParts(value: unknown): ErasedParts[] {
  const [seq, parts]: unknown[] = Array.isArray(value) ? value : [];
  return isSeq(seq) && Array.isArray(parts) ? [[seq, parts.filter(isSeq)]] : [];
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
