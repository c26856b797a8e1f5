// Owns the parts of a payload of version 2 as a writer makes them: cutting a payload into parts, sealing them, and erasing some of them.
// Nothing calls it yet. The texts and the hashes are part of format version 2. Reading them is in verify/parts.ts.

import { randomBytes } from "node:crypto";
import type { Json, JsonObject } from "../json/json.ts";
import { canonical } from "./hash.ts";
import { compressPayload, type SealedPayload } from "./payload.ts";
import { runtimeCryptography } from "./runtime-cryptography.ts";
import { namesOf, parseHeader } from "./verify/part-header.ts";
import {
  findLines,
  hashBytes,
  hashParts,
  isErased,
  type PartLine,
  partHashes,
  partMaxCount,
  type StoredParts,
  saltBytes,
} from "./verify/parts.ts";

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
 * The parts of a payload: first what is at no place, then the places in their order, equal texts with equal `about` as one part.
 * @throws Error for a place that does not exist, or is equal to another or inside another; for values that I-JSON cannot express; and for
 * more than 10,000 parts: the caller must choose fewer places
 */
export function cutPayload(payload: JsonObject, about: readonly string[], places: readonly Place[]): Part[] {
  const holder: Container = { root: payload };
  const copied = new Set<unknown>();
  const taken = new Set<string>();
  const parts = new Map<
    string,
    { readonly about: readonly string[]; readonly at: string[]; readonly text: string }
  >();
  for (const { at, about } of places) {
    // The value of a place that was taken is null, and so may be that of another place.
    if (taken.has(at)) throw misplaced(at);
    taken.add(at);
    const text = canonical(take(holder, at, copied));
    const subjects = sorted(about);
    const key = [...subjects, text].join("\t");
    const equal = parts.get(key);
    if (equal === undefined) parts.set(key, { about: subjects, at: [at], text });
    else equal.at.push(at);
  }
  if (parts.size >= partMaxCount) throw new Error(`a payload has at most ${partMaxCount} parts`);
  const first = { about: sorted(about), at: [""], text: canonical(holder.root ?? null) };
  return [first, ...parts.values()].map(({ text, about, at }) => ({ header: writeHeader(about, at), text }));
}

/** Shared with nobody but the payload, whose containers are copied before they are changed. */
type Container = Record<string, Json>;

/** The value at a place, which is null from then on in copies of the containers around it. */
function take(holder: Container, pointer: string, copied: Set<unknown>): Json {
  let container = holder;
  let name = "root";
  for (const next of namesOf(pointer)) {
    const inner = Object.hasOwn(container, name) ? container[name] : undefined;
    if (!isContainer(inner)) throw misplaced(pointer);
    const own = copied.has(inner) ? inner : copyOf(inner);
    copied.add(own);
    container[name] = own;
    container = own;
    name = next;
  }
  const value = Object.hasOwn(container, name) ? container[name] : undefined;
  const isLength = Array.isArray(container) && name === "length";
  // A container that was copied has another place inside.
  if (value === undefined || container === holder || isLength || copied.has(value)) throw misplaced(pointer);
  container[name] = null;
  return value;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function copyOf(container: Container): Container {
  const copy: unknown = Array.isArray(container) ? [...container] : { ...container };
  return isContainer(copy) ? copy : container;
}

function misplaced(pointer: string): Error {
  return new Error(`${pointer} is no place of its own in the payload`);
}

function sorted(pseudonyms: readonly string[]): string[] {
  return [...new Set(pseudonyms)].toSorted();
}

/** @throws Error for what is not a pseudonym or not a JSON pointer */
function writeHeader(about: readonly string[], at: readonly string[]): string {
  const header = canonical({ about, at });
  if (parseHeader(header) === null) throw new Error(`${header} is not the header of a part`);
  return header;
}

/** The stored form of parts. `salts` has 16 random bytes for each, never used before. */
export function sealParts(
  parts: readonly Part[],
  salts: Uint8Array = randomBytes(parts.length * saltBytes),
): SealedPayload {
  const content = new TextEncoder().encode(parts.map(({ header, text }) => `${header}\t${text}\n`).join(""));
  const stored = { content, salt: salts };
  const hash = hashParts(stored, linesOf(stored, parts.length), runtimeCryptography);
  return { salt: salts, hash, compressed: compressPayload(content) };
}

/**
 * The stored form without the texts and the salts of parts; the payload hash stays the same. Parts that are erased already stay so.
 * @throws Error for a payload that does not have this number of parts, or not the ones named
 */
export function eraseParts(
  stored: StoredParts,
  count: number,
  erased: ReadonlySet<number>,
): Pick<SealedPayload, "salt" | "compressed"> {
  const lines = linesOf(stored, count);
  const hashes = partHashes(stored, lines, runtimeCryptography);
  const contents: Uint8Array[] = [];
  const salts: Uint8Array[] = [];
  for (const index of erased) if (lines[index] === undefined) throw new Error(`there is no part ${index}`);
  for (const [index, line] of lines.entries()) {
    const { start, headerEnd, end, saltStart } = line;
    if (erased.has(index) && !isErased(line)) {
      salts.push(hashes.subarray(index * hashBytes, (index + 1) * hashBytes));
      contents.push(stored.content.subarray(start, headerEnd), lineFeed);
    } else {
      salts.push(stored.salt.subarray(saltStart, saltStart + (isErased(line) ? hashBytes : saltBytes)));
      contents.push(stored.content.subarray(start, end + 1));
    }
  }
  return { salt: Buffer.concat(salts), compressed: compressPayload(Buffer.concat(contents)) };
}

const lineFeed = Uint8Array.of(0x0a);

function linesOf(stored: StoredParts, count: number): PartLine[] {
  const lines = findLines(stored, count);
  if (lines === null) throw new Error(`the payload does not have ${count} parts`);
  return lines;
}
