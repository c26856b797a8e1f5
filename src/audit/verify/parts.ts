// Owns the parts of a stored payload of version 2: parsing and hashing them, in servers and browsers. Must never correct anything, and
// never trusts a text before the payload hash is verified.

import { toHex } from "../../platform/text/byte-text.ts";
import { type Cryptography, hashBytes } from "./cryptography.ts";
import { type PartHeader, parseHeader } from "./part-header.ts";
import {
  findLines,
  isErased,
  isWithheld,
  type ParsedParts,
  type PartLine,
  readHeaderText,
  type StoredParts,
  saltBytes,
} from "./part-lines.ts";
import { arePlacesFree } from "./part-places.ts";

const utf8 = new TextEncoder();
const textPrefix = utf8.encode("memledger/text/v2\0");
const partPrefix = utf8.encode("memledger/part/v2\0");
const payloadPrefix = utf8.encode("memledger/payload/v2\0");

/**
 * The parts of a payload that agrees with the number of parts and the payload hash of its entry; null: it does not. `mayWithhold`: it is
 * from a file that has the parts of some subjects only. `isNewer`: headers may have members that a later release has added.
 */
export function verifyParts(
  stored: StoredParts,
  { parts, payloadHash }: { readonly parts: number; readonly payloadHash: string },
  cryptography: Pick<Cryptography, "hashInto">,
  mayWithhold = false,
  isNewer = false,
): ParsedParts | null {
  const parsed = parseParts(stored, parts, mayWithhold, isNewer);
  if (parsed === null || hashParts(stored, parsed.lines, cryptography) !== payloadHash) return null;
  return arePlacesFree(parsed, mayWithhold) ? parsed : null;
}

/** Everything but the hashes and the places. Null: malformed, or not this number of parts. */
export function parseParts(
  stored: StoredParts,
  count: number,
  mayWithhold = false,
  isNewer = false,
): ParsedParts | null {
  const lines = findLines(stored, count);
  if (lines === null) return null;
  const headers: (PartHeader | null)[] = [];
  for (const [index, line] of lines.entries()) {
    const header = readHeader(stored.content, line, index, isNewer);
    if (header === null && !(mayWithhold && isWithheldLine(stored.content, line))) return null;
    headers.push(header);
  }
  const first = headers[0]?.at;
  if (first?.length !== 1 || first[0] !== "") return null;
  const { content, salt } = stored;
  return { content, salt, lines, headers };
}

/**
 * Valid headers by the index of their part, each with its bytes: most payloads have those of the one before, and comparing bytes takes a
 * tenth of the time of decoding them.
 */
const latest: { readonly bytes: Uint8Array; readonly header: PartHeader }[] = [];
const latestMaxCount = 64;
const latestMaxBytes = 512;

function readHeader(content: Uint8Array, line: PartLine, index: number, isNewer: boolean): PartHeader | null {
  const before = latest[index];
  if (before !== undefined && areAt(content, line, before.bytes)) return before.header;
  const text = readHeaderText(content, line);
  const header = text === null ? null : parseHeader(text, isNewer);
  const { start, headerEnd } = line;
  const isUsual = index < latestMaxCount && headerEnd - start <= latestMaxBytes;
  if (isUsual && index <= latest.length && header !== null && header.others === undefined)
    latest[index] = { bytes: content.slice(start, headerEnd), header };
  return header;
}

/** Whether a header has these bytes. */
function areAt(content: Uint8Array, { start, headerEnd }: PartLine, bytes: Uint8Array): boolean {
  if (headerEnd - start !== bytes.length) return false;
  for (let index = 0; index < bytes.length; index++)
    if (content[start + index] !== bytes[index]) return false;
  return true;
}

function isWithheldLine(content: Uint8Array, line: PartLine): boolean {
  return isWithheld(line) && content[line.start] === 0x7b && content[line.start + 1] === 0x7d;
}

const textLead = textPrefix.length + saltBytes;
const headerLead = partPrefix.length + hashBytes;
/** Lines are copied here, so that what is hashed with a text and with a header is before it. Larger payloads have memory of their own. */
const shared = new Uint8Array(65_536);
const textHash = new Uint8Array(hashBytes);
const hash = new Uint8Array(hashBytes);

/**
 * The payload hash: 64 lower-case hexadecimal characters. Two calls of the hash function for each part and few views, because they cost
 * more than hashing.
 */
export function hashParts(
  { content, salt }: StoredParts,
  lines: readonly PartLine[],
  { hashInto }: Pick<Cryptography, "hashInto">,
): string {
  const hashes = new Uint8Array(payloadPrefix.length + lines.length * hashBytes);
  hashes.set(payloadPrefix);
  const length = headerLead + content.length;
  const bytes = length > shared.length ? new Uint8Array(length) : shared;
  bytes.set(content, headerLead);
  let at = payloadPrefix.length;
  for (const line of lines) {
    const { start, headerEnd, end, saltStart } = line;
    if (isWithheld(line)) copy(salt, saltStart, hashes, at, hashBytes);
    else {
      if (isErased(line)) copy(salt, saltStart, textHash, 0, hashBytes);
      else {
        // Overwrites the end of the header, which is put back.
        const from = headerLead + headerEnd + 1 - textLead;
        copy(textPrefix, 0, bytes, from, textPrefix.length);
        copy(salt, saltStart, bytes, from + textPrefix.length, saltBytes);
        hashInto(bytes.subarray(from, headerLead + end), textHash);
        const restored = Math.max(start, headerEnd + 1 - textLead);
        copy(content, restored, bytes, headerLead + restored, headerEnd - restored);
      }
      // Overwrites the end of the line before, which was hashed.
      copy(partPrefix, 0, bytes, start, partPrefix.length);
      copy(textHash, 0, bytes, start + partPrefix.length, hashBytes);
      hashInto(bytes.subarray(start, headerLead + headerEnd), hash);
      copy(hash, 0, hashes, at, hashBytes);
    }
    at += hashBytes;
  }
  hashInto(hashes, hash);
  return toHex(hash);
}

/** For a few bytes faster than `set`, which needs a view. */
function copy(source: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  for (let index = 0; index < length; index++) target[to + index] = source[from + index] ?? 0;
}

/** The text hash of a part that has its text. */
export function hashText(
  { content, salt }: StoredParts,
  { headerEnd, end, saltStart }: PartLine,
  { hashInto }: Pick<Cryptography, "hashInto">,
): Uint8Array {
  const bytes = new Uint8Array(textLead + end - headerEnd - 1);
  bytes.set(textPrefix);
  bytes.set(salt.subarray(saltStart, saltStart + saltBytes), textPrefix.length);
  bytes.set(content.subarray(headerEnd + 1, end), textLead);
  const hashed = new Uint8Array(hashBytes);
  hashInto(bytes, hashed);
  return hashed;
}
