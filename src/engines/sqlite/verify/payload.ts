// Owns the decompression of stored payloads that are not verified yet. Must never allocate the size that a forged header states, and
// accepts one frame only: decoders skip other frames and bytes after the last one, so data could be hidden there.

import { zstdDecompressSync } from "node:zlib";
import type { FoundPayload } from "../../../audit/verify/record-checks.ts";

/** Of audit_payload. */
export interface PayloadRow {
  /** Of audit_entry. */
  readonly number: number;
  readonly salt: Uint8Array;
  readonly text: Uint8Array;
}

/** A forged schema can return values of other types. */
export function toPayload(row: PayloadRow | undefined): FoundPayload {
  if (row === undefined) return "missing";
  if (!(row.salt instanceof Uint8Array) || !(row.text instanceof Uint8Array)) return "unreadable";
  const text = unpackPayload(row.text);
  return text === null ? "unreadable" : { salt: row.salt, text };
}

/** More than any valid record contains: bodies are limited, and answers contain at most a page of memories. */
const payloadLimitBytes = 256 * 1024 * 1024;

/** The payload text, or null when it is not exactly one zstd frame within the size limit. */
export function unpackPayload(bytes: Uint8Array): Uint8Array | null {
  const header = readHeader(bytes);
  if (header === null || endOfFrame(bytes, header) !== bytes.length) return null;
  try {
    if (header.contentBytes !== null && header.contentBytes <= payloadLimitBytes) {
      return Bun.zstdDecompressSync(bytes);
    }
    return zstdDecompressSync(bytes, { maxOutputLength: payloadLimitBytes });
  } catch {
    return null;
  }
}

interface FrameHeader {
  readonly bytes: number;
  /** Size of the content that the header names; null when it names none. */
  readonly contentBytes: number | null;
  readonly hasChecksum: boolean;
}

/** RFC 8878, section 3.1.1.1. Null when it is not a header, or names a dictionary, which memledger never uses. */
function readHeader(bytes: Uint8Array): FrameHeader | null {
  if (bytes[0] !== 0x28 || bytes[1] !== 0xb5 || bytes[2] !== 0x2f || bytes[3] !== 0xfd) return null;
  const descriptor = bytes[4] ?? 0;
  const [unusedAndReserved, dictionary] = [descriptor & 0x18, descriptor & 0x03];
  if (unusedAndReserved !== 0 || dictionary !== 0) return null;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const [length = 0, more = 0] = sizeFields[descriptor >> 6] ?? [];
  const hasChecksum = (descriptor & 0x04) !== 0;
  if (length === 1 && !isSingleSegment) return { bytes: 6, contentBytes: null, hasChecksum };
  const start = isSingleSegment ? 5 : 6;
  // Byte by byte: a DataView costs more than everything else here.
  let size = 0;
  for (let index = start + length - 1; index >= start; index--) size = size * 256 + (bytes[index] ?? 0);
  return { bytes: start + length, contentBytes: size + more, hasChecksum };
}

/** By the first two bits of the descriptor: bytes of the field, and what is to be added to it. */
const sizeFields: readonly (readonly [length: number, more: number])[] = [
  [1, 0],
  [2, 256],
  [4, 0],
  [8, 0],
];

const repeated = 1;
const reserved = 3;

/** The end of the frame, or null when its blocks are not valid; only the last block may be empty. RFC 8878, section 3.1.1.2. */
function endOfFrame(bytes: Uint8Array, header: FrameHeader): number | null {
  for (let at = header.bytes; at + 3 <= bytes.length; ) {
    const block = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    const [isLast, type, size] = [(block & 1) !== 0, (block >> 1) & 3, block >> 3];
    if (type === reserved || (size === 0 && (!isLast || type === repeated))) return null;
    at += 3 + (type === repeated ? 1 : size);
    if (isLast) return at + (header.hasChecksum ? 4 : 0);
  }
  return null;
}
