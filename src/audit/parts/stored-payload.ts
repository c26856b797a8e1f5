// Owns how the server reads the stored payload of a record, of both versions, to show and search it. Checks no hash: the verifier does.

import { isObject } from "../../platform/json/json.ts";
import {
  erasedParts,
  findLines,
  isErased,
  type ParsedParts,
  readText,
  type StoredParts,
} from "../verify/part-lines.ts";
import { joinParts } from "../verify/part-places.ts";
import { parseParts } from "../verify/parts.ts";

const lineFeed = 0x0a;

/** What is stored of a payload. */
export interface ReadPayload {
  /**
   * The JSON text of the payload object, with the members of `sender` as its own, as in version 1. The value of an erased part is null; `{}`:
   * the first part is erased. Null: it cannot be read.
   */
  readonly payload: string | null;
  /** JSON pointers of the places of erased parts. */
  readonly erased: readonly string[];
}

export function readPayload(stored: StoredParts): ReadPayload {
  if (!hasParts(stored)) return { payload: Buffer.from(stored.content).toString(), erased: [] };
  const parsed = parseStored(stored);
  const [first] = parsed?.lines ?? [];
  if (parsed === null || first === undefined) return { payload: null, erased: [] };
  const erased = parsed.lines.flatMap((line, index) => (isErased(line) ? placesOf(parsed, index) : []));
  if (isErased(first)) return { payload: "{}", erased };
  const payload = joinParts(parsed);
  if (payload === null) return { payload: null, erased };
  const { sender, ...members } = payload;
  return { payload: JSON.stringify(isObject(sender) ? { ...members, ...sender } : members), erased };
}

/** As the member of ReadPayload. */
export function readPayloadText(stored: StoredParts): string | null {
  return readPayload(stored).payload;
}

/** Null: the payload is of version 1, or cannot be read. */
export function parseStored(stored: StoredParts): ParsedParts | null {
  return hasParts(stored) ? parseParts(stored, countLines(stored.content)) : null;
}

function placesOf({ headers }: ParsedParts, index: number): readonly string[] {
  return headers[index]?.at ?? [];
}

/** A part that has its text. */
export interface PresentPart {
  readonly index: number;
  /** JSON pointers of its places. */
  readonly places: readonly string[];
  /** The JSON text of its value. */
  readonly text: string;
}

/** The parts that are not erased. Null: the payload is of version 1, or cannot be read. */
export function presentParts(stored: StoredParts): PresentPart[] | null {
  const parsed = parseStored(stored);
  if (parsed === null) return null;
  return parsed.lines.flatMap((line, index) => {
    const text = isErased(line) ? null : readText(stored.content, line);
    return text === null ? [] : [{ index, places: placesOf(parsed, index), text }];
  });
}

/** The parts that are not erased and about a subject. Null: all of the payload is, or it cannot be read. */
export function partsAbout(stored: StoredParts, pseudonym: string): number[] | null {
  const parsed = parseStored(stored);
  if (parsed === null) return null;
  const isAbout = (index: number) => parsed.headers[index]?.about.includes(pseudonym) === true;
  if (isAbout(0)) return null;
  return parsed.lines.flatMap((line, index) => (!isErased(line) && isAbout(index) ? [index] : []));
}

/** The indices of the erased parts of a payload of version 2. Null: it is of version 1, or cannot be read. */
export function erasedPartsOf(stored: StoredParts): number[] | null {
  const lines = hasParts(stored) ? findLines(stored, countLines(stored.content)) : null;
  return lines === null ? null : erasedParts({ lines });
}

/** Whether a payload is of version 2: a text of version 1 is JSON without white space. */
function hasParts({ content }: Pick<StoredParts, "content">): boolean {
  return content.at(-1) === lineFeed;
}

function countLines(content: Uint8Array): number {
  let count = 0;
  for (let end = content.indexOf(lineFeed); end !== -1; end = content.indexOf(lineFeed, end + 1)) count++;
  return count;
}
