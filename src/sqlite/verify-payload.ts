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
  const descriptor = frame[4];
  if (descriptor === undefined) return null;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const start = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.byteLength < start + 8) return null;
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? view.getUint8(start) : null;
    case 1:
      return view.getUint16(start, true) + 256;
    case 2:
      return view.getUint32(start, true);
    default:
      return Number(view.getBigUint64(start, true));
  }
}
