// Owns the parts of a stored payload of version 2: parsing, hashing and joining them, in servers and browsers. Must never correct
// anything, and never trusts a text before the payload hash is verified.

import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import { toHex } from "../../text/byte-text.ts";
import type { Cryptography } from "./cryptography.ts";
import { type PartHeader, parseHeader } from "./part-header.ts";

/** A payload as it is stored, decompressed. */
export interface StoredParts {
  /** One line for each part. */
  readonly content: Uint8Array;
  /** One after another: the salt of a part that has its text, the hash of an erased one. */
  readonly salt: Uint8Array;
}

/** Where a part is in the stored bytes. */
export interface PartLine {
  readonly start: number;
  /** Of the line feed. */
  readonly end: number;
  /** Of the tab before the text; `end` for an erased part. */
  readonly headerEnd: number;
  readonly saltStart: number;
}

export interface ParsedParts extends StoredParts {
  readonly lines: readonly PartLine[];
  readonly headers: readonly PartHeader[];
}

export const saltBytes = 16;
export const partMaxCount = 10_000;
export const hashBytes = 32;
const tab = 0x09;
const lineFeed = 0x0a;

const utf8 = new TextEncoder();
/** Keeps a byte order mark, so that it is refused. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const partPrefix = utf8.encode("memledger/part/v2\0");
const payloadPrefix = utf8.encode("memledger/payload/v2\0");

/** The parts of a payload that agrees with the number of parts and the payload hash of its entry; null: it does not. */
export function verifyParts(
  stored: StoredParts,
  { parts, payloadHash }: { readonly parts: number; readonly payloadHash: string },
  cryptography: Cryptography,
): ParsedParts | null {
  const parsed = parseParts(stored, parts);
  if (parsed === null || hashParts(stored, parsed.lines, cryptography) !== payloadHash) return null;
  return arePlacesFree(parsed) ? parsed : null;
}

/** Everything but the hashes and the places. Null: malformed, or not this number of parts. */
function parseParts(stored: StoredParts, count: number): ParsedParts | null {
  const lines = findLines(stored, count);
  if (lines === null) return null;
  const headers: PartHeader[] = [];
  for (const line of lines) {
    const header = readHeader(stored.content, line);
    if (header === null) return null;
    headers.push(header);
  }
  const first = headers[0]?.at;
  if (first?.length !== 1 || first[0] !== "") return null;
  return { ...stored, lines, headers };
}

/** Null when lines, salts and number disagree, a text is empty, or bytes are left over. */
export function findLines({ content, salt }: StoredParts, count: number): PartLine[] | null {
  if (count < 1 || count > partMaxCount) return null;
  const lines: PartLine[] = [];
  let saltStart = 0;
  // Of the first tab that is not before the line, so that erased parts are not searched again and again.
  let nextTab = -1;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(lineFeed, start);
    if (end === -1 || lines.length === count) return null;
    if (nextTab < start) {
      const found = content.indexOf(tab, start);
      nextTab = found === -1 ? content.length : found;
    }
    const headerEnd = Math.min(nextTab, end);
    if (headerEnd === end - 1) return null;
    lines.push({ start, end, headerEnd, saltStart });
    saltStart += headerEnd === end ? hashBytes : saltBytes;
    start = end + 1;
  }
  return lines.length === count && saltStart === salt.length ? lines : null;
}

function readHeader(content: Uint8Array, { start, headerEnd }: PartLine): PartHeader | null {
  try {
    return parseHeader(decoder.decode(content.subarray(start, headerEnd)));
  } catch {
    return null;
  }
}

const lineStart = partPrefix.length + saltBytes;
/** Lines are copied here, so that prefix and salt are before each one when it is hashed. Larger payloads have memory of their own. */
const shared = new Uint8Array(65_536);

/** The payload hash: 64 lower-case hexadecimal characters. */
export function hashParts(
  stored: StoredParts,
  lines: readonly PartLine[],
  { hashInto }: Cryptography,
): string {
  const hashes = hashEach(stored, lines, { hashInto });
  hashInto(hashes, hash);
  return toHex(hash);
}

/**
 * The prefix of payload hashes, then the hash of each part. One call of the hash function for each part and few views, because they cost
 * more than hashing.
 */
function hashEach(
  { content, salt }: StoredParts,
  lines: readonly PartLine[],
  { hashInto }: Pick<Cryptography, "hashInto">,
): Uint8Array {
  const hashes = new Uint8Array(payloadPrefix.length + lines.length * hashBytes);
  hashes.set(payloadPrefix);
  const length = lineStart + content.length;
  const bytes = length > shared.length ? new Uint8Array(length) : shared;
  bytes.set(content, lineStart);
  let at = payloadPrefix.length;
  for (const line of lines) {
    const { start, end, saltStart } = line;
    if (isErased(line)) copy(salt, saltStart, hashes, at, hashBytes);
    else {
      // Overwrites the end of the line before, which was hashed.
      copy(partPrefix, 0, bytes, start, partPrefix.length);
      copy(salt, saltStart, bytes, start + partPrefix.length, saltBytes);
      hashInto(bytes.subarray(start, lineStart + end), hash);
      copy(hash, 0, hashes, at, hashBytes);
    }
    at += hashBytes;
  }
  return hashes;
}

const hash = new Uint8Array(hashBytes);

/** For a few bytes faster than `set`, which needs a view. */
function copy(source: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  for (let index = 0; index < length; index++) target[to + index] = source[from + index] ?? 0;
}

/** The hash of each part, in order, 32 bytes each. */
export function partHashes(
  stored: StoredParts,
  lines: readonly PartLine[],
  cryptography: Cryptography,
): Uint8Array {
  return hashEach(stored, lines, cryptography).subarray(payloadPrefix.length);
}

export function isErased({ headerEnd, end }: PartLine): boolean {
  return headerEnd === end;
}

/** Whether no place is equal to another or inside another, and each is null in the first part, as long as that has its text. */
function arePlacesFree(parsed: ParsedParts): boolean {
  const { headers } = parsed;
  // The text of a single part has no places, and is not parsed: its bytes are hashed.
  if (headers.length === 1) return true;
  // A place that was taken is true: neither null nor a container, so no other can be equal to it or inside it.
  const taken = headers.map(() => true);
  const root = rootOf(parsed);
  return isObject(root) && fill(root, parsed, taken);
}

/** The payload object of verified parts; null: a text is not JSON, or the payload is not an object. */
export function joinParts(parsed: ParsedParts): JsonObject | null {
  const values: (Json | undefined)[] = [];
  for (const line of parsed.lines) {
    const value = isErased(line) ? undefined : readText(parsed.content, line);
    if (value === undefined && !isErased(line)) return null;
    values.push(value);
  }
  const root = rootOf(parsed);
  return fill(root, parsed, values) && isObject(root) ? root : null;
}

function hasRoot({ lines }: ParsedParts): boolean {
  return lines[0] !== undefined && !isErased(lines[0]);
}

/** The value of the first part, an own copy; an empty object if it is erased. */
function rootOf({ content, lines }: ParsedParts): Json | undefined {
  const [first] = lines;
  return first === undefined || isErased(first) ? Object.create(null) : readText(content, first);
}

/** Undefined: it is not JSON. */
function readText(content: Uint8Array, { headerEnd, end }: PartLine): Json | undefined {
  try {
    return JSON.parse(decoder.decode(content.subarray(headerEnd + 1, end)));
  } catch {
    return undefined;
  }
}

/**
 * Puts the values of parts at their places, but not undefined. Without the text of the first part, it makes the places and the objects
 * around them.
 * @returns false: a place does not exist or is not null
 */
function fill(root: unknown, parsed: ParsedParts, values: readonly (Json | undefined)[]): boolean {
  const isSparse = !hasRoot(parsed);
  let parent = "";
  let container = root;
  for (let index = 1; index < values.length; index++) {
    const value = values[index];
    if (value === undefined) continue;
    for (const place of parsed.headers[index]?.places ?? []) {
      // Most places are items of the same list as the one before.
      if (place.parent !== parent) {
        container = find(root, place.parentNames, isSparse);
        parent = place.parent;
      }
      // The root is the place of the first part only.
      if (place.name === null || !isContainer(container)) return false;
      if (isSparse ? Object.hasOwn(container, place.name) : container[place.name] !== null) return false;
      container[place.name] = value;
    }
  }
  return true;
}

/** The value at a place; undefined: there is none. With `isSparse`, it makes the objects that are missing on the way. */
function find(root: unknown, names: readonly string[], isSparse: boolean): unknown {
  let value = root;
  for (const name of names) {
    if (!isContainer(value)) return undefined;
    // Objects without a prototype, so that no name has a meaning.
    if (isSparse && !Object.hasOwn(value, name)) value[name] = Object.create(null);
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
