// Owns the SHA-256 of files. Must never read a whole file into memory.

import { closeSync, openSync, readSync } from "node:fs";

/**
 * SHA-256 of the file, lower-case hex, or of the file that its parts are. Reads 1 MiB at a time, because it hashes libraries of 46 MB at
 * every start.
 */
export function hashFile(...parts: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  const slice = new Uint8Array(1024 * 1024);
  for (const part of parts) addFile(hash, part, slice);
  return hash.digest("hex");
}

function addFile(hash: Bun.CryptoHasher, path: string, slice: Uint8Array): void {
  const descriptor = openSync(path, "r");
  try {
    for (let read = readSync(descriptor, slice); read > 0; read = readSync(descriptor, slice)) {
      hash.update(slice.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}
