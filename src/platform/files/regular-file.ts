// Owns reading files that another user may have created. Must never block on a pipe or a device, nor read without a size limit.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";

/** The path is a directory, a pipe, a socket or a device, or a file that is too large. */
export class RefusedFile extends Error {
  constructor(path: string, reason: string) {
    super(`${path} ${reason}.`);
    this.name = "RefusedFile";
  }
}

/**
 * Opens a file for reading, follows links, and passes its descriptor and its size in bytes to `work`.
 * @throws RefusedFile when it is not a regular file; the error of the operating system when it cannot be opened
 */
export function withRegularFile<Result>(path: string, work: (file: number, bytes: number) => Result): Result {
  // Without O_NONBLOCK, opening a pipe blocks until another process opens it for writing. Windows has no such pipes.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new RefusedFile(path, "is not a regular file");
    return work(file, status.size);
  } finally {
    closeSync(file);
  }
}

/** The text of a file. @throws as readRegularBytes */
export function readRegularText(path: string, maxBytes: number): string {
  return readRegularBytes(path, maxBytes).toString("utf8");
}

/** @throws as withRegularFile, and RefusedFile when the file is larger than `maxBytes` */
export function readRegularBytes(path: string, maxBytes: number): Buffer {
  return withRegularFile(path, (file, bytes) => {
    if (bytes > maxBytes) throw new RefusedFile(path, `has ${bytes} bytes; the maximum is ${maxBytes}`);
    const content = Buffer.alloc(bytes);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes; read += more) {
      more = readSync(file, content, read, bytes - read, read);
    }
    return content.subarray(0, read);
  });
}

/** Opens nothing. @throws Error that says what to do for a pipe, a socket, a device, or a link to nothing */
export function requireUsable(path: string, kind: "file" | "directory"): void {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return;
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) {
    throw new Error(
      `${path} cannot be used: it is a symbolic link to a ${kind} that does not exist. Create that ${kind}, or remove the link.`,
    );
  }
  if (info.isFile() || info.isDirectory()) return;
  throw new Error(
    `${path} cannot be used: it is a pipe, a socket or a device, not a ${kind}. Rename or remove it.`,
  );
}
