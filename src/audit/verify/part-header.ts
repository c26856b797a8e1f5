// Owns the header of a part of a payload: whether a text is the RFC 8785 form of one, and what it says. Must never correct anything. Two
// parsers give the same result: a regular expression for the usual headers, and a complete one for all.

import { parseCanonical } from "./entry-parser.ts";

export interface PartHeader {
  /** Pseudonyms of the subjects that the text is about, sorted, without duplicates; empty: the project's. */
  readonly about: readonly string[];
  /** 1 to 16 different JSON pointers (RFC 6901): the places of the text in the payload. */
  readonly at: readonly string[];
  /** The same pointers, split. */
  readonly places: readonly PartPlace[];
  /** Members that a later release has added. Absent: none. */
  readonly others?: readonly string[];
}

export interface PartPlace {
  /** The pointer of the object or array that contains the place. */
  readonly parent: string;
  /** The names and indices from the root to the parent. */
  readonly parentNames: readonly string[];
  /** Name or index in the parent; null: the place is the root. */
  readonly name: string | null;
}

/** Almost every header: pointers of names without other characters. */
const usualForm =
  /^\{"about":\[((?:"[0-9a-f]{32}"(?:,"[0-9a-f]{32}")*)?)\],"at":\["([\w/]*(?:","[\w/]*)*)"\]\}$/;
export const placeMaxCount = 16;
const pseudonymForm = /^[0-9a-f]{32}$/;

/** Headers that are valid: most records have those of others. Costs a fifth of parsing them. */
const known = new Map<string, PartHeader>();
const knownMaxCount = 4096;
const knownMaxCharacters = 512;

/** Null when the text is not the JCS form of a valid header. `isNewer`: it may have members that a later release has added. */
export function parseHeader(header: string, isNewer = false): PartHeader | null {
  const found = known.get(header);
  if (found !== undefined) return found;
  const parsed = parseUsualHeader(header) ?? parseAnyHeader(header);
  if (parsed === null && isNewer) return parseAnyHeader(header, true);
  if (parsed === null || header.length > knownMaxCharacters) return parsed;
  if (known.size >= knownMaxCount) known.clear();
  known.set(header, parsed);
  return parsed;
}

function parseUsualHeader(header: string): PartHeader | null {
  const match = usualForm.exec(header);
  if (match === null) return null;
  const [, pseudonyms = "", pointers = ""] = match;
  const about = pseudonyms === "" ? [] : pseudonyms.slice(1, -1).split('","');
  const at = pointers.split('","');
  return isAscending(about) && areDifferent(at) && at.every(startsAtRoot)
    ? { about, at, places: at.map(toPlace) }
    : null;
}

/** The same result as parseHeader, for headers in any form; slower. Exported so that a test compares the two. */
export function parseAnyHeader(header: string, isNewer = false): PartHeader | null {
  const value = parseCanonical(header);
  if (value === null || (!isNewer && Object.keys(value).length !== 2)) return null;
  const { about, at, ...more } = value;
  if (!isTexts(about) || !isTexts(at) || !areDifferent(at)) return null;
  const isValid = about.every((one) => pseudonymForm.test(one)) && isAscending(about) && at.every(isPointer);
  const others = Object.keys(more);
  return isValid ? { about, at, places: at.map(toPlace), ...(others.length > 0 ? { others } : {}) } : null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, index) => index === 0 || (texts[index - 1] ?? "") < text);
}

function areDifferent(at: readonly string[]): boolean {
  return at.length >= 1 && at.length <= placeMaxCount && new Set(at).size === at.length;
}

function startsAtRoot(pointer: string): boolean {
  return pointer === "" || pointer.startsWith("/");
}

function isPointer(pointer: string): boolean {
  return startsAtRoot(pointer) && !/~(?![01])/.test(pointer);
}

function toPlace(pointer: string): PartPlace {
  const names = namesOf(pointer);
  const name = names.pop() ?? null;
  return { parent: pointer.slice(0, Math.max(0, pointer.lastIndexOf("/"))), parentNames: names, name };
}

/** The names and indices of a pointer, from the root on. */
export function namesOf(pointer: string): string[] {
  const names = pointer.split("/").slice(1);
  return pointer.includes("~") ? names.map(nameOf) : names;
}

/** The name or index that one step of a pointer means. */
export function nameOf(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step;
}
