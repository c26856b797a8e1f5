// Owns reading files that somebody else may have put there. Must never wait for a pipe or a device, nor read without a limit.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The path names a directory, a pipe, a socket or a device, or a file that is too large to be what it should be. */
export class UnfitFile extends Error {
  constructor(path: string, reason: string) {
    super(`${path} ${reason}.`);
    this.name = "UnfitFile";
  }
}

/**
 * Opens a file for reading, through links, and gives its descriptor and its size in bytes to `work`.
 * @throws UnfitFile when it is no regular file; the error of the system when it cannot be opened.
 */
export function withRegularFile<Result>(path: string, work: (file: number, bytes: number) => Result): Result {
  // Without O_NONBLOCK the opening of a pipe waits until somebody writes into it. Windows has neither.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new UnfitFile(path, "is not a regular file");
    return work(file, status.size);
  } finally {
    closeSync(file);
  }
}

/** The whole text of a file. @throws as withRegularFile does, and UnfitFile when it holds more than `maxBytes`. */
export function readRegularText(path: string, maxBytes: number): string {
  return withRegularFile(path, (file, bytes) => {
    if (bytes > maxBytes) throw new UnfitFile(path, `has ${bytes} bytes; at most ${maxBytes} are read`);
    const content = Buffer.alloc(bytes);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes; read += more) {
      more = readSync(file, content, read, bytes - read, read);
    }
    return content.toString("utf8", 0, read);
  });
}
