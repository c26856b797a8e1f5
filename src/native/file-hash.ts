// Owns the SHA-256 of files. Must never read a whole file into memory.

import { closeSync, openSync, readSync } from "node:fs";

/** SHA-256 of the file, lower-case hex. Reads 1 MiB at a time, because it hashes libraries of 46 MB at every start. */
export function hashFile(path: string): string {
  const hash = new Bun.CryptoHasher("sha256");
  const slice = new Uint8Array(1024 * 1024);
  const descriptor = openSync(path, "r");
  try {
    for (let read = readSync(descriptor, slice); read > 0; read = readSync(descriptor, slice)) {
      hash.update(slice.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}
