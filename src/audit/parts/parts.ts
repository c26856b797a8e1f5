// Owns the parts of a payload of version 2 as a writer makes them: cutting a payload into parts, encoding them, and erasing some of them.
// The texts and the hashes are part of format version 2. Reading them is in verify/parts.ts.

import { randomBytes } from "node:crypto";
import { canonical } from "../../platform/json/hash.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import { runtimeCryptography } from "../runtime-cryptography.ts";
import { hashBytes } from "../verify/cryptography.ts";
import { partMaxCount } from "../verify/entry-version-2.ts";
import { nameOf, parseHeader, placeMaxCount } from "../verify/part-header.ts";
import { findLines, isErased, type PartLine, type StoredParts, saltBytes } from "../verify/part-lines.ts";
import { isContainer } from "../verify/part-places.ts";
import { hashParts, hashText } from "../verify/parts.ts";

/** The stored form of a payload. Plain data that can be sent to another thread. */
export interface EncodedPayload {
  /** 16 random bytes for each part. */
  readonly salt: Uint8Array;
  /** The `payload_hash` of the entry. */
  readonly hash: string;
  /** A line for each part, as one zstd frame. */
  readonly compressed: Uint8Array;
  /** How many parts. */
  readonly parts: number;
}

/** A value of a payload that gets a part of its own. */
export interface Place {
  /** JSON pointer (RFC 6901) of the value. Only names that the API defines, and indices: it stays after an erasure. */
  readonly at: string;
  /** Pseudonyms of the subjects that the value is about, in any order; empty: the project's. */
  readonly about: readonly string[];
}

/** A part without its salt. */
export interface Part {
  readonly header: string;
  readonly text: string;
}

/**
 * The parts of a payload: first what is at no place, then the places in their order, but outer ones before those inside. Equal texts with
 * equal `about` are one part with up to 16 places, unless they are inside different numbers of places: outer parts must stay first.
 * @throws Error for a place that does not exist or is equal to another; for values that I-JSON cannot express; and for more than 10,000
 * parts: the caller must choose fewer places
 */
export function cutPayload(payload: JsonObject, about: readonly string[], places: readonly Place[]): Part[] {
  if (places.length === 0) return [{ header: writeHeader(sorted(about), [""]), text: canonical(payload) }];
  const cuts = places.map((place): Cut => ({ at: place.at, place, level: 0, text: "" }));
  const rest = take(payload, "", 0, byParent(cuts));
  const parts = [{ about: sorted(about), at: [""], text: canonical(rest) }];
  const latest = new Map<string, string[]>();
  for (const { at, place, level, text } of cuts.sort((one, other) => one.level - other.level)) {
    const subjects = sorted(place?.about ?? []);
    const key = `${level} ${subjects.join()} ${text}`;
    const equal = latest.get(key);
    if (equal !== undefined && equal.length < placeMaxCount) equal.push(at);
    else {
      const places = [at];
      latest.set(key, places);
      parts.push({ about: subjects, at: places, text });
    }
  }
  if (parts.length > partMaxCount) throw new Error(`a payload has at most ${partMaxCount} parts`);
  return parts.map(({ text, about, at }) => ({ header: writeHeader(about, at), text }));
}

/** A place, or a value on the way to one. */
interface Cut {
  readonly at: string;
  /** Null: on the way. */
  readonly place: Place | null;
  /** The number of places around it. */
  level: number;
  /** What is taken from a place. */
  text: string;
}

type Cuts = ReadonlyMap<string, readonly Cut[]>;

/** Cuts by the pointer of the value in which they are, and those on the way to them. */
function byParent(cuts: readonly Cut[]): Cuts {
  const pointers = new Set<string>();
  const inside = new Map<string, Cut[]>();
  let latest = "";
  let siblings: Cut[] | undefined;
  for (const cut of cuts) {
    pointers.add(cut.at);
    const parent = parentOf(cut.at);
    // Most places are items of the same list as the one before.
    if (siblings === undefined || parent !== latest) {
      siblings = siblingsIn(parent, inside);
      latest = parent;
    }
    siblings.push(cut);
  }
  if (pointers.size < cuts.length) throw new Error("two places in the payload are the same");
  for (const parent of inside.keys()) {
    if (parent === "" || pointers.has(parent)) continue;
    pointers.add(parent);
    // A new parent is visited later.
    siblingsIn(parentOf(parent), inside).push({ at: parent, place: null, level: 0, text: "" });
  }
  return inside;
}

function siblingsIn(parent: string, inside: Map<string, Cut[]>): Cut[] {
  const siblings = inside.get(parent) ?? [];
  inside.set(parent, siblings);
  return siblings;
}

function parentOf(at: string): string {
  return at.slice(0, Math.max(0, at.lastIndexOf("/")));
}

/** A copy of a value in which null is at the places, which get their texts. */
function take(value: Json, at: string, level: number, cuts: Cuts): Json {
  const inside = cuts.get(at);
  if (inside === undefined) return value;
  if (!isContainer(value)) throw misplaced(at);
  const copy = copyOf(value);
  const isArray = Array.isArray(value);
  for (const cut of inside) {
    const name = nameAt(cut.at);
    const key = isArray ? toIndex(name) : name;
    const old = Object.hasOwn(value, key) ? value[key] : undefined;
    if (old === undefined) throw misplaced(cut.at);
    const rest = take(old, cut.at, cut.place === null ? level : level + 1, cuts);
    copy[key] = cut.place === null ? rest : null;
    if (cut.place !== null) cut.text = canonical(rest);
    cut.level = level;
  }
  return copy;
}

/** @throws Error for the whole payload, and for what is not a pointer */
function nameAt(pointer: string): string {
  const start = pointer.lastIndexOf("/");
  if (start === -1) throw misplaced(pointer);
  return nameOf(pointer.slice(start + 1));
}

/** -1 for what is not an index, so that the length is not an item. */
function toIndex(name: string): number {
  const index = Number(name);
  return String(index) === name ? index : -1;
}

function copyOf(container: Record<string, Json>): Record<string, Json> {
  const copy: unknown = Array.isArray(container) ? [...container] : { ...container };
  return isContainer(copy) ? copy : container;
}

function misplaced(pointer: string): Error {
  return new Error(`${pointer} is not a separate place in the payload`);
}

function sorted(pseudonyms: readonly string[]): readonly string[] {
  return pseudonyms.length < 2 ? pseudonyms : [...new Set(pseudonyms)].toSorted();
}

/** Of part 0 of almost every payload. */
const wholeHeader = JSON.stringify({ about: [], at: [""] });

/** @throws Error for what is not a pseudonym or not a JSON pointer */
function writeHeader(about: readonly string[], at: readonly string[]): string {
  if (about.length === 0 && at.length === 1 && at[0] === "") return wholeHeader;
  const header = JSON.stringify({ about, at });
  if (parseHeader(header) === null) throw new Error(`${header} is not the header of a part`);
  return header;
}

const utf8 = new TextEncoder();

/** The stored form of parts. `salts` has 16 random bytes for each, never used before. */
export function encodeParts(
  parts: readonly Part[],
  salts: Uint8Array = createSalts(parts.length),
): EncodedPayload {
  const content = utf8.encode(parts.map(({ header, text }) => `${header}\t${text}\n`).join(""));
  const stored = { content, salt: salts };
  const hash = hashParts(stored, linesOf(stored, parts.length), runtimeCryptography);
  return { salt: salts, hash, compressed: compress(content), parts: parts.length };
}

function createSalts(count: number): Uint8Array {
  const bytes = count * saltBytes;
  // A sixteenth of the time of randomBytes, but it makes at most 65,536 bytes.
  return bytes > 65_536 ? randomBytes(bytes) : crypto.getRandomValues(new Uint8Array(bytes));
}

/**
 * The stored form without the texts and the salts of parts, with their text hashes; the payload hash stays the same. Parts that are erased already stay so.
 * @throws Error for a payload that does not have this number of parts, or not the ones named
 */
export function eraseParts(
  stored: StoredParts,
  count: number,
  erased: ReadonlySet<number>,
): Pick<EncodedPayload, "salt" | "compressed"> {
  const lines = linesOf(stored, count);
  const contents: Uint8Array[] = [];
  const salts: Uint8Array[] = [];
  for (const index of erased) if (lines[index] === undefined) throw new Error(`there is no part ${index}`);
  for (const [index, line] of lines.entries()) {
    const { start, headerEnd, end, saltStart } = line;
    if (erased.has(index) && !isErased(line)) {
      salts.push(hashText(stored, line, runtimeCryptography));
      contents.push(stored.content.subarray(start, headerEnd), lineFeed);
    } else {
      salts.push(stored.salt.subarray(saltStart, saltStart + (isErased(line) ? hashBytes : saltBytes)));
      contents.push(stored.content.subarray(start, end + 1));
    }
  }
  return { salt: Buffer.concat(salts), compressed: compress(Buffer.concat(contents)) };
}

const lineFeed = Uint8Array.of(0x0a);
/** Level 1: the texts are small, and other calls wait for the thread that compresses them. */
const compressionLevel = 1;

function compress(content: Uint8Array<ArrayBuffer>): Uint8Array {
  return Bun.zstdCompressSync(content, { level: compressionLevel });
}

function linesOf(stored: StoredParts, count: number): PartLine[] {
  const lines = findLines(stored, count);
  if (lines === null) throw new Error(`the payload does not have ${count} parts`);
  return lines;
}
