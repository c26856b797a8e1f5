// Owns parsing of JSON text: limits are checked before any value is created. Text that JSON.parse would change silently (a name that
// appears twice, a number that a double cannot represent) is refused, because the ledger records the value.

import { jsonMaxDepth, jsonMaxValues } from "../limits.ts";
import { shortenName } from "../text/characters.ts";
import type { Json } from "./json.ts";
import { isExact } from "./json-number.ts";

/** Why a text is refused. `reason` completes a sentence that begins with the name of the text or of the field. */
export class JsonFault extends Error {
  /** The path of names and indexes to the fault, joined by slashes; null when the whole text is at fault. */
  readonly field: string | null;
  readonly reason: string;

  constructor(field: string | null, reason: string) {
    super(reason);
    this.name = "JsonFault";
    this.field = field;
    this.reason = reason;
  }

  /** The fault as a sentence about a body. @param part what a part of it is called */
  describe(part = "Field"): string {
    return `${this.field === null ? "The body" : `${part} "${this.field}"`} ${this.reason}.`;
  }
}

/**
 * @param acceptsInexact whether a number is accepted that a double cannot represent; the caller must then record its text
 * @throws JsonFault when the text is not JSON, exceeds a limit, or would be changed by JSON.parse
 */
export function parseJson(
  text: string,
  { maxDepth = jsonMaxDepth, maxValues = jsonMaxValues, acceptsInexact = false } = {},
): Json {
  const fault = scan(text, { maxDepth, maxValues, acceptsInexact });
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonFault(null, "is not valid JSON. Check quotes and commas, and that the text is complete");
  }
  // The scanner requires well-formed JSON, so its result is valid only after JSON.parse has accepted the text.
  if (fault !== null) throw fault;
  return value;
}

/**
 * Whether a text has more values than this, counted as commas and brackets outside of strings: a few more than there are. A text of one
 * comma and two brackets after the other takes hundreds of times its length in memory.
 */
export function hasMoreValues(text: string, maxValues: number): boolean {
  if (text.length <= maxValues) return false;
  let values = 1;
  for (let at = 0; at < text.length && values <= maxValues; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === 0x7b || code === 0x5b) values += 1;
    else if (code === quote) {
      const end = endOfString(text, at);
      if (end === -1) break;
      at = end;
    }
  }
  return values > maxValues;
}

/** The JSON text of a value; null if it contains itself, or has too many levels for the stack. */
export function printJson(value: Json): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/** An object or array that is open. Frames are reused, so that a text of many small objects needs no allocations. */
interface Frame {
  isObject: boolean;
  /** In an object: whether the next string is a name. */
  expectsName: boolean;
  /** Where the latest name is in the text, with its quotes. */
  nameStart: number;
  nameEnd: number;
  /** In an array: the index of the latest value. */
  index: number;
  readonly names: Set<string>;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

interface ScanOptions {
  readonly maxDepth: number;
  readonly maxValues: number;
  readonly acceptsInexact: boolean;
}

/** The first name or number that JSON.parse would change, or null. @throws JsonFault when a limit is exceeded */
function scan(text: string, { maxDepth, maxValues, acceptsInexact }: ScanOptions): JsonFault | null {
  const frames: Frame[] = [];
  let depth = 0;
  let values = 0;
  let fault: JsonFault | null = null;
  const countValue = () => {
    values += 1;
    if (values > maxValues) throw tooMany(maxValues);
  };

  for (let at = 0; at < text.length; at++) {
    const frame = depth === 0 ? undefined : frames[depth - 1];
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at);
        if (end === -1) return fault;
        if (frame?.expectsName) {
          frame.expectsName = false;
          frame.nameStart = at;
          frame.nameEnd = end + 1;
          if (!addName(frame, text)) fault ??= repeated(pathOf(text, frames, depth));
        } else countValue();
        at = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        countValue();
        if (depth === maxDepth) throw tooDeep(maxDepth);
        frames[depth] = openFrame(frames[depth], text.charCodeAt(at) === 0x7b);
        depth += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth = Math.max(0, depth - 1);
        break;
      case comma:
        if (frame?.isObject) frame.expectsName = true;
        else if (frame) frame.index += 1;
        break;
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // :
        break;
      default: {
        countValue();
        const end = endOfWord(text, at);
        const isNumber = !acceptsInexact && !isLetter(text.charCodeAt(at));
        if (fault === null && isNumber && !isExact(text, at, end)) {
          fault = inexact(pathOf(text, frames, depth), text.slice(at, end));
        }
        at = end - 1;
      }
    }
  }
  return fault;
}

function openFrame(used: Frame | undefined, isObject: boolean): Frame {
  const frame = used ?? {
    isObject,
    expectsName: isObject,
    nameStart: 0,
    nameEnd: 0,
    index: 0,
    names: new Set<string>(),
  };
  frame.isObject = isObject;
  frame.expectsName = isObject;
  frame.index = 0;
  if (frame.names.size > 0) frame.names.clear();
  return frame;
}

/** @returns false when the object has the name already. */
function addName(frame: Frame, text: string): boolean {
  const name = readName(frame, text);
  if (frame.names.has(name)) return false;
  frame.names.add(name);
  return true;
}

/** Two spellings can be the same name: `"a"` and `"\u0061"`. */
function readName({ nameStart, nameEnd }: Frame, text: string): string {
  const raw = text.slice(nameStart + 1, nameEnd - 1);
  if (!raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(text.slice(nameStart, nameEnd)));
  } catch {
    return raw;
  }
}

function pathOf(text: string, frames: readonly Frame[], depth: number): string {
  const steps = frames.slice(0, depth).map((frame) => (frame.isObject ? readName(frame, text) : frame.index));
  return shortenName(steps.join("/"));
}

/** Index of the closing quote, -1 when there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

/** Index after a number, or after true, false or null. */
function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (isWordCharacter(text.charCodeAt(end))) end += 1;
  return end;
}

/** Letters, digits, and the other characters of numbers: `+-.` */
function isWordCharacter(code: number): boolean {
  return (code >= zero && code <= nine) || isLetter(code) || code === point || code === 0x2b || code === 0x2d;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function tooDeep(maxDepth: number): JsonFault {
  return new JsonFault(
    null,
    `has more than ${maxDepth} levels of nested objects and arrays. Send fewer levels`,
  );
}

function tooMany(maxValues: number): JsonFault {
  return new JsonFault(null, `has more than ${maxValues} JSON values. Send less in one call`);
}

function repeated(field: string): JsonFault {
  return new JsonFault(field, "is sent more than once; send it once");
}

function inexact(field: string, token: string): JsonFault {
  const shown = token.length > 40 ? `${token.slice(0, 40)}...` : token;
  return new JsonFault(
    field,
    `is the number ${shown}, which double precision cannot represent; send it as a string`,
  );
}
