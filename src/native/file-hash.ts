// Hashes files without holding them in memory. Must never follow more than the one path it is given.

import { closeSync, openSync, readSync } from "node:fs";

/** SHA-256 of the file's bytes, lower-case hex. Reads in slices: a 46 MB library must not grow the heap of every start. */
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
