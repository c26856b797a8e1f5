// Owns whether a file that was built is older than what it was built from. Must import nothing that is installed.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** @param sources files, and folders with all that is in them. The time of a folder shows that a file in it was removed or renamed. */
export function isOutOfDate(built: string, sources: readonly string[]): boolean {
  const at = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  return at === undefined || sources.some((source) => newestMs(source) > at);
}

function newestMs(path: string): number {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce(
    (newest, name) => Math.max(newest, newestMs(join(path, name))),
    info.mtimeMs,
  );
}
