// Owns the check that a file consists of whole zstd frames (RFC 8878) and of nothing else: decoders skip other frames, and some ignore
// bytes behind the last one, so data could be hidden there. Reads headers only, and decompresses nothing.

import { readSync } from "node:fs";
import { withRegularFile } from "./regular-file.ts";

const magic = 0xfd2fb528;
/** Of the magic number, the descriptor, the window, the dictionary and the size. */
const headerMaxBytes = 18;
const blockHeaderBytes = 3;
const checksumBytes = 4;
const [repeated, reserved] = [1, 3];
const dictionaryBytes = [0, 1, 2, 4];

/** @returns the position of the first byte that is no part of a frame; null: there is none. @throws RefusedFile */
export function findStrayByte(path: string): number | null {
  return withRegularFile(path, (file, bytes) => {
    const read = (at: number, length: number): Buffer => {
      const part = Buffer.alloc(length);
      return part.subarray(0, readSync(file, part, 0, length, at));
    };
    for (let at = 0; at < bytes; ) {
      const end = endOfFrame(read, at);
      if (end === null || end > bytes) return at;
      at = end;
    }
    return null;
  });
}

type Read = (at: number, length: number) => Buffer;

/** Null: there is no frame at this position, or it is cut short. */
function endOfFrame(read: Read, start: number): number | null {
  const header = read(start, headerMaxBytes);
  if (header.length < 6 || header.readUInt32LE() !== magic) return null;
  const descriptor = header.readUInt8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeField = descriptor >> 6;
  const sizeBytes = sizeField === 0 ? (isSingleSegment ? 1 : 0) : 2 ** sizeField;
  let at = start + 5 + (isSingleSegment ? 0 : 1) + (dictionaryBytes[descriptor & 3] ?? 0) + sizeBytes;
  for (;;) {
    const block = read(at, blockHeaderBytes);
    if (block.length < blockHeaderBytes) return null;
    const value = block.readUIntLE(0, blockHeaderBytes);
    const [isLast, type, size] = [(value & 1) !== 0, (value >> 1) & 3, value >> 3];
    if (type === reserved) return null;
    at += blockHeaderBytes + (type === repeated ? 1 : size);
    if (isLast) return at + ((descriptor & 4) === 0 ? 0 : checksumBytes);
  }
}
