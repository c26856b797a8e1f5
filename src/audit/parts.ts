// Owns the parts of a payload of version 2 as a writer makes them: cutting a payload into parts, sealing them, and erasing some of them.
// Nothing calls it yet. The texts and the hashes are part of format version 2. Reading them is in verify/parts.ts.

import { randomBytes } from "node:crypto";
import type { Json, JsonObject } from "../json/json.ts";
import { canonical } from "./hash.ts";
import { compressPayload, type SealedPayload } from "./payload.ts";
import { runtimeCryptography } from "./runtime-cryptography.ts";
import { hashBytes } from "./verify/cryptography.ts";
import { namesOf, parseHeader, placeMaxCount } from "./verify/part-header.ts";
import {
  findLines,
  isErased,
  type PartLine,
  partMaxCount,
  type StoredParts,
  saltBytes,
} from "./verify/part-lines.ts";
import { isContainer } from "./verify/part-places.ts";
import { hashParts, hashText } from "./verify/parts.ts";

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
  const taken = new Map<Place, TakenText>();
  const rest = take(payload, toCut(places), 0, taken);
  const parts = [{ about: sorted(about), at: [""], text: canonical(rest) }];
  const latest = new Map<string, string[]>();
  const texts = places.flatMap((place) => taken.get(place) ?? []);
  for (const { place, level, text } of texts.sort((one, other) => one.level - other.level)) {
    const subjects = sorted(place.about);
    const key = [level, ...subjects, text].join("\t");
    const equal = latest.get(key);
    if (equal !== undefined && equal.length < placeMaxCount) equal.push(place.at);
    else {
      const at = [place.at];
      latest.set(key, at);
      parts.push({ about: subjects, at, text });
    }
  }
  if (parts.length > partMaxCount) throw new Error(`a payload has at most ${partMaxCount} parts`);
  return parts.map(({ text, about, at }) => ({ header: writeHeader(about, at), text }));
}

interface TakenText {
  readonly place: Place;
  /** The number of places around it. */
  readonly level: number;
  readonly text: string;
}

/** A value that is taken, or in which others are. */
interface Cut {
  readonly at: string;
  /** The place that it is; null: none, or the whole payload. */
  place: Place | null;
  /** Name or index, and what is there. */
  readonly inside: [string, Cut][];
}

/** The whole payload. */
function toCut(places: readonly Place[]): Cut {
  const root: Cut = { at: "", place: null, inside: [] };
  const cuts = new Map([[root.at, root]]);
  for (const place of places) {
    const cut = findCut(place.at, cuts);
    if (cut === root || cut.place !== null) throw misplaced(place.at);
    cut.place = place;
  }
  return root;
}

function findCut(at: string, cuts: Map<string, Cut>): Cut {
  const found = cuts.get(at);
  if (found !== undefined) return found;
  const end = at.lastIndexOf("/");
  const [name] = namesOf(at.slice(end));
  if (end === -1 || name === undefined) throw misplaced(at);
  const cut: Cut = { at, place: null, inside: [] };
  findCut(at.slice(0, end), cuts).inside.push([name, cut]);
  cuts.set(at, cut);
  return cut;
}

/** A copy of a value in which null is at the places, whose texts are added to `taken`. @param level the number of places around it */
function take(value: Json, { at, inside }: Cut, level: number, taken: Map<Place, TakenText>): Json {
  if (inside.length === 0) return value;
  if (!isContainer(value)) throw misplaced(at);
  const copy = copyOf(value);
  for (const [name, cut] of inside) {
    const isLength = Array.isArray(value) && name === "length";
    const old = Object.hasOwn(value, name) && !isLength ? value[name] : undefined;
    if (old === undefined) throw misplaced(cut.at);
    const rest = take(old, cut, cut.place === null ? level : level + 1, taken);
    copy[name] = cut.place === null ? rest : null;
    if (cut.place !== null) taken.set(cut.place, { place: cut.place, level, text: canonical(rest) });
  }
  return copy;
}

function copyOf(container: Record<string, Json>): Record<string, Json> {
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
  const header = JSON.stringify({ about, at });
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
 * The stored form without the texts and the salts of parts, with their text hashes; the payload hash stays the same. Parts that are erased already stay so.
 * @throws Error for a payload that does not have this number of parts, or not the ones named
 */
export function eraseParts(
  stored: StoredParts,
  count: number,
  erased: ReadonlySet<number>,
): Pick<SealedPayload, "salt" | "compressed"> {
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
  return { salt: Buffer.concat(salts), compressed: compressPayload(Buffer.concat(contents)) };
}

const lineFeed = Uint8Array.of(0x0a);

function linesOf(stored: StoredParts, count: number): PartLine[] {
  const lines = findLines(stored, count);
  if (lines === null) throw new Error(`the payload does not have ${count} parts`);
  return lines;
}
