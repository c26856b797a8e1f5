// Owns how the server reads the stored payload of a record, of both versions, to show and search it. Checks no hash: the verifier does.

import { isObject } from "../json/json.ts";
import { findLines, isErased, type StoredParts } from "./verify/part-lines.ts";
import { joinParts } from "./verify/part-places.ts";
import { parseParts } from "./verify/parts.ts";

const lineFeed = 0x0a;

/**
 * The JSON text of the payload object, with the members of `sender` as its own, as in version 1. The value of an erased part is null; `{}`: the
 * first part is erased. Null: it cannot be read.
 */
export function readPayloadText(stored: StoredParts): string | null {
  const { content } = stored;
  // A text of version 1 is JSON without white space.
  if (content.at(-1) !== lineFeed) return Buffer.from(content).toString();
  const parsed = parseParts(stored, countLines(content));
  const [first] = parsed?.lines ?? [];
  if (parsed === null || first === undefined) return null;
  if (isErased(first)) return "{}";
  const payload = joinParts(parsed);
  if (payload === null) return null;
  const { sender, ...members } = payload;
  return JSON.stringify(isObject(sender) ? { ...members, ...sender } : members);
}

/** The indices of the erased parts of a payload of version 2. Null: it is of version 1, or cannot be read. */
export function erasedPartsOf(stored: StoredParts): number[] | null {
  const { content } = stored;
  if (content.at(-1) !== lineFeed) return null;
  const lines = findLines(stored, countLines(content));
  return lines === null ? null : lines.flatMap((line, index) => (isErased(line) ? [index] : []));
}

function countLines(content: Uint8Array): number {
  let count = 0;
  for (let end = content.indexOf(lineFeed); end !== -1; end = content.indexOf(lineFeed, end + 1)) count++;
  return count;
}
