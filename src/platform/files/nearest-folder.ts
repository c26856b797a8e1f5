// Owns the search for the part of a path that exists.

import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** The innermost folder above the path that exists; the outermost one if none does, such as a drive that is not connected. */
export function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
