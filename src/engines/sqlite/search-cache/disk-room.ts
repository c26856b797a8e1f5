// Owns whether the disk has room for cache files. Must never let them take the space of the database.

import { statfsSync } from "node:fs";
import { spareDiskBytes } from "./limits.ts";

/** Whether the disk of the folder has room beside the database. */
export function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > spareDiskBytes;
  } catch {
    // It does not exist yet.
    return true;
  }
}
