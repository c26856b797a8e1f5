// Owns how much disk space the files of a data directory take. Must never block the thread: there may be ten thousands of cache files.

import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { DirectorySizes } from "../../transports/http/console/overview/facts.ts";

/** Files whose size is asked for at once. */
const filesAtOnce = 64;

/** Files that are removed meanwhile do not count. Symbolic links are not followed. @throws errors of the file system */
export async function readDirectorySizes(root: string): Promise<DirectorySizes> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const parts: Record<string, number> = {};
  let bytes = 0;
  for (let at = 0; at < paths.length; at += filesAtOnce) {
    const some = paths.slice(at, at + filesAtOnce);
    const sizes = await Promise.all(some.map(sizeOf));
    for (const [index, path] of some.entries()) {
      const size = sizes[index] ?? 0;
      const [part = ""] = relative(root, path).split(sep);
      parts[part] = (parts[part] ?? 0) + size;
      bytes += size;
    }
  }
  return { bytes, parts };
}

async function sizeOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
