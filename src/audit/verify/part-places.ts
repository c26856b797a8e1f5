// Owns the places of the parts of a payload of version 2: whether each is free, and the payload object. Must never correct anything.

import canonicalize from "canonicalize";
import { isObject, type Json, type JsonObject, readJson } from "../../platform/json/json.ts";
import { isErased, type ParsedParts, readText, readValue } from "./part-lines.ts";

/** A position in the payload object to which a pointer leads. */
interface Position {
  /** Of the part around it; undefined: not known, because a part around it is erased or withheld. */
  value: Json | undefined;
  /** The part whose place it is; null: it is on the way to one. */
  part: number | null;
  /** The positions inside; null until one is needed. */
  inside: Map<string, Position> | null;
}

interface Search {
  readonly parsed: ParsedParts;
  readonly mayWithhold: boolean;
  /** Values of the parts that have places inside. Undefined: the part is erased. */
  readonly values: { readonly value: Json | undefined }[];
}

/**
 * Whether every place exists, is null in the part around it, is not the place of another part and contains none of an earlier part, and
 * whether the texts with places inside are in JCS form. Places inside a part that is not there are not looked for.
 * No place is inside another of the same part, because all of them must be there before the part is.
 */
export function arePlacesFree(parsed: ParsedParts, mayWithhold: boolean): boolean {
  // The text of a single part has no places, and is not parsed: its bytes are hashed.
  if (parsed.headers.length === 1) return true;
  const search: Search = { parsed, mayWithhold, values: [] };
  const root: Position = { value: null, part: 0, inside: null };
  if (open(root, search) === null || !(root.value === undefined || isObject(root.value))) return false;
  let parent = "";
  let container: Position | null = root;
  for (let index = 1; index < parsed.headers.length; index++) {
    for (const place of parsed.headers[index]?.places ?? []) {
      // Most places are items of the same list as the one before.
      if (place.parent !== parent) {
        container = root;
        for (const name of place.parentNames) {
          if (container !== null) container = step(container, name, index, search);
        }
        parent = place.parent;
      }
      // The root is the place of the first part only. A position that is known is a place, or contains one.
      if (container === null || place.name === null || container.inside?.has(place.name)) return false;
      const position = step(container, place.name, index, search);
      if (position === null || (position.value ?? null) !== null) return false;
      position.part = index;
    }
  }
  return true;
}

/** The position of a name or an index on the way to a place of a part; null: there is none. */
function step(outer: Position, name: string, part: number, search: Search): Position | null {
  const inside = outer.part === part ? null : (outer.inside ?? open(outer, search));
  const known = inside?.get(name);
  if (inside === null || known !== undefined) return known ?? null;
  const { value } = outer;
  let inner: Json | undefined;
  // Where null is, a withheld part may be.
  if (value !== undefined && !(value === null && search.mayWithhold)) {
    if (!isContainer(value) || !Object.hasOwn(value, name)) return null;
    inner = value[name];
  }
  const position: Position = { value: inner, part: null, inside: null };
  inside.set(name, position);
  return position;
}

/** Reads the value of the part at a position, because a place is inside. Null: its text is not the JCS form of a value. */
function open(position: Position, search: Search): Map<string, Position> | null {
  const { part } = position;
  if (part !== null) {
    const read = search.values[part] ?? readContaining(search.parsed, part);
    if (read === null) return null;
    search.values[part] = read;
    if (position.value !== undefined) position.value = read.value;
  }
  position.inside = new Map();
  return position.inside;
}

/** Null: the text is not the JCS form of a value. */
function readContaining({ content, lines }: ParsedParts, part: number): { value: Json | undefined } | null {
  const line = lines[part];
  if (line === undefined || isErased(line)) return { value: undefined };
  const text = readText(content, line);
  const value = text === null ? undefined : readJson(text);
  if (text === null || value === undefined) return null;
  try {
    return isUsualForm(value, text) || canonicalize(value) === text ? { value } : null;
  } catch {
    return null;
  }
}

/** Whether a text is the JCS form of a value, as long as no name is a number and nothing is escaped that JCS refuses. Costs less. */
function isUsualForm(value: Json, text: string): boolean {
  return JSON.stringify(value) === text && !text.includes(String.raw`\ud`) && areNamesSorted(value);
}

function areNamesSorted(value: Json): boolean {
  if (!isContainer(value)) return true;
  if (Array.isArray(value)) return value.every(areNamesSorted);
  let before = "";
  for (const name in value) {
    if (name < before || !areNamesSorted(value[name] ?? null)) return false;
    before = name;
  }
  return true;
}

/**
 * The payload object of verified parts, without the parts that are inside one that is not there. Null: the first part is erased, a text is
 * not JSON, or the payload is not an object.
 */
export function joinParts({ content, lines, headers }: ParsedParts): JsonObject | null {
  const [first] = lines;
  if (first === undefined || isErased(first)) return null;
  const root = readValue(content, first);
  if (!isObject(root)) return null;
  let parent = "";
  let container: unknown = root;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || isErased(line)) continue;
    for (const { parent: own, parentNames, name } of headers[index]?.places ?? []) {
      if (own !== parent) {
        container = find(root, parentNames);
        parent = own;
      }
      if (name === null || !isContainer(container) || !Object.hasOwn(container, name)) continue;
      // A copy for each place, because other places may be inside.
      const value = readValue(content, line);
      if (value === undefined) return null;
      container[name] = value;
    }
  }
  return root;
}

/** The value at the end of a way; undefined: there is none. */
function find(root: unknown, names: readonly string[]): unknown {
  let value = root;
  for (const name of names) {
    if (!isContainer(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function isContainer(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null;
}
