// Owns the lock that lets one process at a time use a data directory: an exclusive SQLite transaction on a separate small file. The
// operating system releases the lock when the process ends, even when it is killed. Must never write to that file.

import type { Lock } from "../../../calls/storage/engine.ts";
import type { Cause } from "../../../platform/files/system-error.ts";
import type { RuntimeFiles } from "../../../platform/native/runtime.ts";
import { openDatabase, SqliteError } from "../../../platform/native/sqlite.ts";
import { explainDiskFailure } from "./disk-failure.ts";

/** Null when this or another process holds the lock. @throws Error that says what to do when the file cannot be locked at all */
export function takeLock(file: string, runtime: RuntimeFiles): Lock | null {
  try {
    return tryLock(file, runtime);
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
    const { cause, remedy } = isRefusedLock(error) ? noLocks : (explainDiskFailure(error, file) ?? noLocks);
    throw new Error(`${file} cannot be locked: ${cause}. ${remedy}`, { cause: error });
  }
}

const noLocks: Cause = {
  cause: "the file system does not support locks",
  remedy: "Choose a data directory on a local file system with --data-dir.",
};

/** SQLite names the operation on the lock that failed. Where another process has the lock, the code is SQLITE_BUSY. */
function isRefusedLock({ code }: InstanceType<typeof SqliteError>): boolean {
  return /^SQLITE_IOERR_(RD|UN|CHECKRESERVED)?LOCK$/.test(code);
}

function tryLock(file: string, runtime: RuntimeFiles): Lock | null {
  const database = openDatabase(file, runtime, { timeout: 0 });
  try {
    // No journal file: nothing is written, so nothing has to be undone.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if (error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
}
