// Owns the division of one JSON document into the objects of its arrays: `[{...}, ...]`, or `{"results": [{...}, ...]}`. Keeps one of them
// in memory, however large the document is. Must never decide what an object means, and never leave out anything without a fault.

import { jsonDepthMax, recordMaxBytes } from "./limits.ts";
import { decode, tooLong } from "./text-lines.ts";

export type JsonElement = InMember & ({ readonly text: string } | { readonly fault: string });

export interface InMember {
  readonly line: number;
  /** Name of the member of the document that has the object or its array; null: the document is an array, or it is about the document. */
  readonly member: string | null;
}

const [quote, backslash, lineFeed, comma] = [0x22, 0x5c, 0x0a, 0x2c];
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d];
/** White space of JSON, and the bytes of a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, lineFeed, 0x0d, 0xef, 0xbb, 0xbf]);

/** Of the names of members; the rest of a longer one is not kept. */
const nameMaxBytes = 100;

/**
 * `line` is the one on which the element begins.
 * @param withMembers whether objects that are members of the document themselves are elements, too
 */
export async function* readJsonElements(
  stream: AsyncIterable<Uint8Array>,
  withMembers = false,
): AsyncGenerator<JsonElement> {
  const open: number[] = [];
  /** The last string between the braces of the document, which is the name of a member in front of an array or an object. */
  let name: number[] = [];
  let member: string | null = null;
  const isInDocument = () => open.length === 1 && open[0] === openObject;
  let [line, isInString, isEscaped] = [1, false, false];
  /** Whether anything, an array, and a part of something that is no object were found. */
  let [isEmpty, hasArray, isInOther] = [true, false, false];
  let element: { readonly line: number; readonly depth: number } | null = null;
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const keep = (part: Uint8Array) => {
    bytes += part.length;
    if (bytes > recordMaxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === lineFeed) line += 1;
      if (isInString) {
        if (isInDocument() && byte !== quote && name.length < nameMaxBytes) name.push(byte);
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
        continue;
      }
      if (element === null && !blanks.has(byte)) {
        isEmpty = false;
        const isOther = isOtherAt(open, byte);
        if (isOther && !isInOther) yield { line, member, fault: "is not a JSON object" };
        if (isOther || byte === comma) isInOther = isOther;
      }
      if (byte === quote) {
        isInString = true;
        name = [];
      } else if (byte === openObject || byte === openArray) {
        if (isInDocument()) member = Buffer.from(name).toString();
        const isElement = isElementOf(open) || (withMembers && isInDocument());
        if (element === null && byte === openObject && isElement) {
          element = { line, depth: open.length };
          start = at;
        }
        if (open.length === jsonDepthMax) {
          yield { line, member: null, fault: "is nested too deeply; the rest of the file is not read" };
          return;
        }
        open.push(byte);
        hasArray ||= isElementOf(open);
      } else if (byte === closeObject || byte === closeArray) {
        open.pop();
        isInOther = false;
        if (element === null || open.length !== element.depth) continue;
        keep(chunk.subarray(start, at + 1));
        yield {
          line: element.line,
          member,
          ...(bytes > recordMaxBytes ? { fault: tooLong } : decode(Buffer.concat(parts))),
        };
        [element, parts, bytes] = [null, [], 0];
      }
    }
    // A copy, because the stream may use its buffer again.
    if (element !== null) keep(chunk.slice(start));
  }
  if (element !== null)
    yield {
      line: element.line,
      member: null,
      fault: "begins a JSON object that does not end; the file is not complete",
    };
  else if (open.length > 0)
    yield { line, member: null, fault: "ends inside a JSON document; the file is not complete" };
  else if (!hasArray && !isEmpty)
    yield { line: 1, member: null, fault: "begins a JSON document that has no array of JSON objects" };
}

/** Whether an object belongs to the array of the document. */
function isElementOf(open: readonly number[]): boolean {
  if (open.at(-1) !== openArray) return false;
  return open.length === 1 || (open.length === 2 && open[0] === openObject);
}

/** Whether a byte, which is not white space, is a part of something other than an object of the array, where there should be one. */
function isOtherAt(open: readonly number[], byte: number): boolean {
  if (open.length === 0) return byte !== openObject && byte !== openArray;
  return isElementOf(open) && byte !== openObject && byte !== closeArray && byte !== comma;
}
