// Owns writing the archive of a backup: a tar file, compressed with zstd in independent frames (RFC 8878), to an open file. Must never
// hold more than one frame in memory, and compresses in the calling thread, which may have a lower priority than those that answer calls.

import { readSync, writeSync } from "node:fs";
import { compressionLevel, frameBytes } from "../../calls/operations/backups/limits.ts";
import { withRegularFile } from "../../platform/files/regular-file.ts";
import { endBytes, paddingOf, tarHeader } from "./tar.ts";

/** A file of the archive: its first `bytes` bytes, because notes are appended to some while they are read; or its content. */
export type ArchiveSource =
  | { readonly name: string; readonly bytes: number; readonly path: string }
  | { readonly name: string; readonly bytes: number; readonly content: Uint8Array };

export interface ArchiveWriter {
  /** Appends a file. Pauses after each frame, so that signals and messages are handled. @throws errors of the file system */
  add(source: ArchiveSource): Promise<void>;
  /** Ends the archive. @returns the size of the file in bytes */
  end(): number;
}

/** @param onFrame called after each frame with the uncompressed bytes so far; when it throws, the archive is incomplete */
export function createArchiveWriter(
  file: number,
  mtimeMs: number,
  onFrame: (done: number) => void,
): ArchiveWriter {
  const frame = Buffer.alloc(frameBytes);
  let filled = 0;
  let read = 0;
  let written = 0;

  const flush = (): void => {
    const compressed = Bun.zstdCompressSync(frame.subarray(0, filled), { level: compressionLevel });
    for (let at = 0; at < compressed.length; ) at += writeSync(file, compressed, at);
    written += compressed.length;
    read += filled;
    filled = 0;
    onFrame(read);
  };
  const append = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled === frame.length) flush();
    }
  };
  const appendFile = async (path: string, bytes: number): Promise<void> => {
    for (let at = 0; at < bytes; ) {
      const length = Math.min(frame.length - filled, bytes - at);
      const got = withRegularFile(path, (source) => readSync(source, frame, filled, length, at));
      if (got === 0) throw new Error(`${path} became shorter while it was read. Run the backup again.`);
      filled += got;
      at += got;
      if (filled < frame.length) continue;
      flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  return {
    async add(source) {
      append(tarHeader(source, mtimeMs));
      if ("content" in source) append(source.content);
      else await appendFile(source.path, source.bytes);
      append(Buffer.alloc(paddingOf(source.bytes)));
    },
    end() {
      append(Buffer.alloc(endBytes));
      if (filled > 0) flush();
      return written;
    },
  };
}
