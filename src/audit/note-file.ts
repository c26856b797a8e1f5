// Owns how signed notes are appended to their files. Never changes what stands there: it may be the copy that convicts somebody.

import { appendFileSync, existsSync, readSync } from "node:fs";
import { withRegularFile } from "../files/regular-file.ts";

/** Makes whatever stands before it a note of its own, which no key has signed. */
const closingLine = "\n\n— memledger torn\n\n";

/**
 * @returns a function that appends notes to files, each followed by an empty line, and returns once they are on the disk. A note
 *   that a crash cut short is closed first, or it would swallow the next one.
 */
export function createNoteAppender(): (path: string, note: string) => void {
  const whole = new Set<string>();
  return (path, note) => {
    const close = whole.has(path) || endsWhole(path) ? "" : closingLine;
    // Until it has succeeded, this one may be cut short as well.
    whole.delete(path);
    appendFileSync(path, `${close}${note}\n`, { mode: 0o600, flush: true });
    whole.add(path);
  };
}

/** Longer than a signature line. */
const endBytes = 256;

function endsWhole(path: string): boolean {
  if (!existsSync(path)) return true;
  return withRegularFile(path, (file, bytes) => {
    const end = Buffer.alloc(Math.min(bytes, endBytes));
    readSync(file, end, 0, end.length, bytes - end.length);
    return bytes === 0 || /\n— \S+ \S+\n\n$/.test(end.toString());
  });
}
