// Owns unpacking stored payloads that nobody has vouched for yet. Must never allocate what a forged header asks for.

import { zstdDecompressSync } from "node:zlib";

/** More than any record of ours can hold: bodies are limited, and answers repeat at most a page of memories. */
const payloadLimitBytes = 256 * 1024 * 1024;

/** The payload text, or null when it is not one zstd frame of a sensible size. */
export function unpackPayload(frame: Uint8Array): Uint8Array | null {
  try {
    const bytes = contentBytes(frame);
    if (bytes !== null && bytes <= payloadLimitBytes) return Bun.zstdDecompressSync(frame);
    return zstdDecompressSync(frame, { maxOutputLength: payloadLimitBytes });
  } catch {
    return null;
  }
}

/** Size of the content that the frame header names; null when it names none. RFC 8878, section 3.1.1.1. */
function contentBytes(frame: Uint8Array): number | null {
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const [length = 0, more = 0] = sizeFields[descriptor >> 6] ?? [];
  if (length === 1 && !isSingleSegment) return null;
  const start = 5 + (isSingleSegment ? 0 : 1) + (dictionaryBytes[descriptor & 3] ?? 0);
  // Byte by byte: a DataView costs more than everything else here.
  let bytes = 0;
  for (let index = start + length - 1; index >= start; index--) bytes = bytes * 256 + (frame[index] ?? 0);
  return bytes + more;
}

/** By the first two bits of the descriptor: bytes of the field, and what is to be added to it. */
const sizeFields: readonly (readonly [length: number, more: number])[] = [
  [1, 0],
  [2, 256],
  [4, 0],
  [8, 0],
];
const dictionaryBytes: readonly number[] = [0, 1, 2, 4];
