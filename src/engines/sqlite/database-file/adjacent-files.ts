// Owns the checks of the files that SQLite uses together with a database, before SQLite opens them. Only reads.

import { lstatSync, readSync } from "node:fs";
import { withRegularFile } from "../../../platform/files/regular-file.ts";

const suffixes = ["", "-wal", "-shm", "-journal"];

/** The first existing file of the database that is not a regular file; null when there is none. */
export function findIrregular(path: string): string | null {
  return (
    suffixes.map((suffix) => path + suffix).find((each) => isThere(each) && !lstatSync(each).isFile()) ?? null
  );
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @throws Error that says what to do when SQLite would read or write another file, or would apply a journal that memledger did not write. */
export function requireOwnFiles(path: string): void {
  const irregular = findIrregular(path);
  if (irregular !== null) {
    throw new Error(
      `${irregular} is not a regular file. A database and its files must not be links, folders, pipes or devices. To store the data elsewhere, move the whole directory and set --data-dir.`,
    );
  }
  if (hasForeignJournal(path)) {
    throw new Error(
      `${path}-journal exists beside the database, but memledger does not use such a journal. Opening the database would apply it. Find out who created the file, move it to another folder, and run "memledger audit verify".`,
    );
  }
}

/** SQLite copies the pages of a rollback journal back into the database, also if the database has a write-ahead log. */
function hasForeignJournal(path: string): boolean {
  const journal = lstatSync(`${path}-journal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0 || !isThere(path)) return false;
  return withRegularFile(path, (file, bytes) => {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header, 0, headerBytes, 0);
    // A first start that was interrupted leaves a journal and a database of one page.
    return header[writeVersionAt] === writeAheadLog && bytes > firstPageBytes;
  });
}

const headerBytes = 100;
const writeVersionAt = 18;
const writeAheadLog = 2;
const firstPageBytes = 4096;
