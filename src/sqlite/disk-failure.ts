// Owns the decision whether an error means that the disk or the file failed and not the call, and what callers are told then.

import { type Refusal, unavailable } from "../errors.ts";
import { SqliteError } from "../native/sqlite.ts";

const codes = /^SQLITE_(FULL|IOERR|NOMEM|CORRUPT|NOTADB|READONLY|CANTOPEN|BUSY|LOCKED|PROTOCOL)/;

export function isDiskFailure(error: unknown): boolean {
  return error instanceof SqliteError && codes.test(error.code);
}

/** 1503, for calls that only wanted to read. Whoever answers with it logs why. */
export function unreadable(): Refusal {
  return unavailable("The database cannot be read at the moment. Send the call again.");
}
