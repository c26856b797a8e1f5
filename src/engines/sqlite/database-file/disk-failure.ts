// Owns the decision whether an error was caused by the disk or the file instead of the call, what the cause is, and what callers are told.

import { closeSync, openSync } from "node:fs";
import { type Refusal, unavailable } from "../../../platform/errors.ts";
import { type Cause, explainSystemError } from "../../../platform/files/system-error.ts";
import { SqliteError } from "../../../platform/native/sqlite.ts";

/** SQLite also reports a read error of the disk (EIO) as damage (SQLITE_IOERR_CORRUPTFS). */
const damaged: Cause = {
  cause: "the database file is damaged, or the disk cannot read it",
  remedy:
    "Stop the server, copy the data directory to another place, check the disk, and restore the last backup.",
};
const full: Cause = { cause: "no space is left on the disk", remedy: "Free disk space." };
const locked: Cause = {
  cause: "another program has locked the database",
  remedy: "Close the program that has the database file open.",
};

/** By the SQLite result code, or by its first two words. */
const causes: Readonly<Record<string, Cause>> = {
  SQLITE_READONLY_DBMOVED: {
    cause: "the database file was removed or replaced while the server runs",
    remedy: "Stop the server, restore the data directory, and start the server again.",
  },
  SQLITE_FULL: full,
  // The shared-memory file cannot grow. It is on the same disk, and nothing else limits it.
  SQLITE_IOERR_SHMSIZE: full,
  SQLITE_IOERR: {
    cause: "the disk reports an input/output error",
    remedy: "Check the disk and the log of the operating system.",
  },
  SQLITE_NOMEM: { cause: "the system is out of memory", remedy: "Free memory." },
  SQLITE_CORRUPT: damaged,
  SQLITE_NOTADB: damaged,
  SQLITE_READONLY: {
    cause: "the database is read-only",
    remedy: "Make the data directory and its files writable for the user that runs memledger.",
  },
  SQLITE_CANTOPEN: {
    cause: "the database file cannot be opened",
    remedy: "Make the data directory and its files readable and writable for the user that runs memledger.",
  },
  SQLITE_PERM: {
    cause: "permission denied",
    remedy: "Make the data directory and its files writable for the user that runs memledger.",
  },
  SQLITE_BUSY: locked,
  SQLITE_LOCKED: locked,
  SQLITE_PROTOCOL: locked,
};

export function isDiskFailure(error: unknown): boolean {
  return error instanceof SqliteError && causeOfCode(error.code) !== null;
}

/** Another connection held a lock for longer than this one waits; the same transaction may succeed when it is performed again. */
export function isLockFailure(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
}

export function isDamage(error: unknown): boolean {
  return error instanceof SqliteError && causeOfCode(error.code) === damaged;
}

/** The cause of an error of the file or its disk; null for other errors. With `path`, the operating system is asked for the exact cause. */
export function explainDiskFailure(error: unknown, path: string | null = null): Cause | null {
  if (!(error instanceof SqliteError)) return explainSystemError(error);
  const known = causeOfCode(error.code);
  const isVague = /^SQLITE_(CANTOPEN|READONLY|PERM)(?!_DBMOVED)/.test(error.code);
  return (isVague && path !== null ? whyNotWritable(path) : null) ?? known;
}

function causeOfCode(code: string): Cause | null {
  return causes[code] ?? causes[code.split("_", 2).join("_")] ?? null;
}

function whyNotWritable(path: string): Cause | null {
  try {
    closeSync(openSync(path, "r+"));
    return null;
  } catch (error) {
    return explainSystemError(error);
  }
}

/** 1503 for calls that only read. Names the cause if it is known, but no path. The code that answers with it logs the error. */
export function unreadable(error: unknown): Refusal {
  return failed("The database cannot be read", error);
}

/** The same for calls whose record could not be written. */
export function unwritable(error: unknown): Refusal {
  return failed("The audit record of this call could not be written, so the call was not executed", error);
}

function failed(what: string, error: unknown): Refusal {
  const found = explainDiskFailure(error);
  if (found === null) return unavailable(`${what}. Send the call again.`);
  const action = found === damaged ? "must restore the last backup" : "must act";
  const remedy = found === damaged ? "" : ` ${found.remedy}`;
  return unavailable(
    `${what}: ${found.cause}. The operator of the server ${action}.${remedy} Until then the same call fails again.`,
  );
}
