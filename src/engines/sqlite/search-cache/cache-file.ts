// Owns how one cache file is opened, written and removed, whatever is in its place. Must never follow a link, and never name a file.

import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { writeWholeAt } from "./block-file.ts";
import { UnusableFile } from "./unusable-file.ts";

/** Does nothing when there is no such file. @throws errors of the file system */
export function removeFile(path: string): void {
  // A folder with the name of a file is not this program's, and harmless: opening it as a file fails.
  const info = infoOf(path);
  if (info !== undefined && !info.isDirectory()) unlinkSync(path);
}

/** Of the file itself, not of what a link names. Undefined when there is nothing, also because a file is in the place of a folder above. @throws other errors of the file system */
export function infoOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Follows no link, and opens neither pipes nor devices. @throws as `work` does, and errors of the file system */
export function withFile<Result>(path: string, flags: number, work: (file: number) => Result): Result {
  const file = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new UnusableFile(path, "it is not a regular file");
    return work(file);
  } finally {
    closeSync(file);
  }
}

/** Writes a file that does not exist yet, and syncs it. @throws errors of the file system; then there is no such file, unless it cannot be removed */
export function writeNewFile(path: string, contents: readonly Uint8Array[]): void {
  const file = openSync(path, "wx", 0o600);
  try {
    let end = 0;
    for (const content of contents) {
      writeWholeAt(file, content, end);
      end += content.length;
    }
    fdatasyncSync(file);
  } catch (error) {
    removeFile(path);
    throw error;
  } finally {
    closeSync(file);
  }
}
