// Owns appending signed notes to files. Must never change existing notes: the copy may be evidence.

import { appendFileSync, existsSync, readSync } from "node:fs";
import { withRegularFile } from "../platform/files/regular-file.ts";

/** Ends an incomplete note: the text before it becomes a note without a valid signature. */
const closingLine = "\n\n— memledger torn\n\n";

/**
 * @returns a function that appends a note and an empty line to a file, and returns when they are synced to disk. If a crash has left an
 *   incomplete note, the function ends it first, so that it does not merge with the next note.
 */
export function createNoteAppender(): (path: string, note: string) => void {
  const complete = new Set<string>();
  return (path, note) => {
    const close = complete.has(path) || endsComplete(path) ? "" : closingLine;
    // Until the write has succeeded, the file may end with an incomplete note.
    complete.delete(path);
    appendFileSync(path, `${close}${note}\n`, { mode: 0o600, flush: true });
    complete.add(path);
  };
}

/** Longer than a signature line. */
const endBytes = 256;

function endsComplete(path: string): boolean {
  if (!existsSync(path)) return true;
  return withRegularFile(path, (file, bytes) => {
    const end = Buffer.alloc(Math.min(bytes, endBytes));
    readSync(file, end, 0, end.length, bytes - end.length);
    return bytes === 0 || /\n— \S+ \S+\n\n$/.test(end.toString());
  });
}
