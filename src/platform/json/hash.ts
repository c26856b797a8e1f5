// Owns the two functions that every hash of the ledger uses: the canonical text of a value, and SHA-256.

import canonicalize from "canonicalize";
import type { Json, JsonObject } from "./json.ts";

/** RFC 8785. @throws Error for values that I-JSON cannot express, such as a lone surrogate. */
export function canonical(value: Json): string {
  const sorted = sortNames(value, usualMaxDepth);
  const usual = sorted === undefined ? undefined : JSON.stringify(sorted);
  if (usual !== undefined && !usual.includes(escapedSurrogate)) return usual;
  const text = canonicalize(value);
  if (text === undefined) throw new Error("a record holds a value that JSON cannot express");
  return text;
}

const usualMaxDepth = 200;
/** JSON.stringify escapes a lone surrogate. */
const escapedSurrogate = String.raw`\ud`;
const digitOrProto = /^(?:\d|__proto__$)/;

/**
 * A copy with the names of all objects in order, of which JSON.stringify makes the RFC 8785 form: a fourth of the time of the library.
 * Undefined for what it writes in another form: a name that is a number may be moved to the front, and a number may be not finite.
 */
function sortNames(value: Json, depth: number): Json | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return undefined;
  return Array.isArray(value) ? sortInItems(value, depth - 1) : sortInMembers(value as JsonObject, depth - 1);
}

function sortInItems(items: readonly Json[], depth: number): Json | undefined {
  const sorted: Json[] = [];
  for (const item of items) {
    const copy = sortNames(item, depth);
    if (copy === undefined) return undefined;
    sorted.push(copy);
  }
  return sorted;
}

function sortInMembers(members: JsonObject, depth: number): Json | undefined {
  const sorted: Record<string, Json> = {};
  for (const name of sortedNames(members)) {
    const member = members[name];
    const copy = member === undefined || digitOrProto.test(name) ? undefined : sortNames(member, depth);
    if (copy === undefined) return undefined;
    sorted[name] = copy;
  }
  return sorted;
}

const fewNames = 16;

/** In order of UTF-16 code units. Moving the few names that most objects have costs less than `sort`. */
function sortedNames(members: JsonObject): string[] {
  const names = Object.keys(members);
  if (names.length > fewNames) return names.sort();
  for (let end = 1; end < names.length; end++) {
    const name = names[end] ?? "";
    let at = end;
    for (; at > 0 && (names[at - 1] ?? "") > name; at--) names[at] = names[at - 1] ?? "";
    names[at] = name;
  }
  return names;
}

/** Bun resets it after each digest. */
const hasher = new Bun.CryptoHasher("sha256");

/** SHA-256 of the concatenated parts: 64 lower-case hexadecimal characters. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  for (const part of parts) hasher.update(part);
  return hasher.digest("hex");
}
