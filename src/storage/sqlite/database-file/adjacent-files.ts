// Owns judging the files that SQLite would use together with a database, before SQLite does. Only looks.

import { lstatSync, readSync } from "node:fs";
import { withRegularFile } from "../../../files/regular-file.ts";

const suffixes = ["", "-wal", "-shm", "-journal"];

/** The first of the database and the files beside it that is there and not a regular file; null when there is none. */
export function findIrregular(path: string): string | null {
  return (
    suffixes.map((suffix) => path + suffix).find((each) => isThere(each) && !lstatSync(each).isFile()) ?? null
  );
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @throws Error that says what to do when SQLite would read or write elsewhere, or would undo changes with a journal that is not ours. */
export function requireOwnFiles(path: string): void {
  const strange = findIrregular(path);
  if (strange !== null) {
    throw new Error(
      `${strange} is not a regular file. A database and its files must not be links, folders, pipes or devices. To store the data elsewhere, move the whole directory and set --data-dir.`,
    );
  }
  if (hasForeignJournal(path)) {
    throw new Error(
      `${path}-journal exists beside the database, but memledger does not use such a journal. Opening the database would apply it. Find out who created the file, move it to another folder, and run "memledger audit verify".`,
    );
  }
}

/** SQLite puts the pages in a rollback journal back into the database, also into one that has a write-ahead log. */
function hasForeignJournal(path: string): boolean {
  const journal = lstatSync(`${path}-journal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0 || !isThere(path)) return false;
  return withRegularFile(path, (file, bytes) => {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    // A first start that was cut short leaves a journal beside a database of one page.
    return header[writeVersionAt] === writeAheadLog && bytes > firstPageBytes;
  });
}

const headerBytes = 100;
const writeVersionAt = 18;
const writeAheadLog = 2;
const firstPageBytes = 4096;
