// Decides whether the writer can write now. Remembers the transaction that failed, and reports the failure as over only after a test write
// and a test read. Must never change the contents of the database.

import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { bodyMaxBytes, freeSpaceReserveBytes, writeProbeEveryMs } from "../../../platform/limits.ts";
import { createLogRepeats } from "../../../platform/log/log-repeats.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { explainDiskFailure, isDamage } from "../database-file/disk-failure.ts";
import { watchFile } from "../database-file/file-in-place.ts";

export interface WriteCheck {
  /** A transaction was rolled back because of the disk or the file. @returns whether to log it again. */
  failed(error: unknown): boolean;
  succeeded(): void;
  /** `isSuspect`: another thread has reported that the disk failed. */
  check(isSuspect: boolean): WriteState;
}

export interface WriteState {
  /** Why the writer cannot write, for people; null when it can. */
  readonly cause: string | null;
  /** Whether SQLite has reported damage since the last check. */
  readonly sawDamage: boolean;
}

const unexplained = "transactions fail; the log says why";

/** `causeOfOthers`: another reason why the writer must not write; null: none. */
export function createWriteCheck(
  database: Database,
  clock: Clock,
  causeOfOthers: () => string | null,
): WriteCheck {
  let failure: string | null = null;
  let sawDamage = false;
  const isToBeLogged = createLogRepeats();
  let probedAt = Number.NEGATIVE_INFINITY;

  const requireInPlace = watchFile(database.name);
  const fail = (error: unknown): string => {
    sawDamage ||= isDamage(error);
    return explainDiskFailure(error, database.name)?.cause ?? unexplained;
  };
  return {
    failed(error) {
      failure = fail(error);
      // An error that does not come from the disk is a defect: each one is logged.
      return failure === unexplained || isToBeLogged(failure);
    },
    succeeded() {
      failure = null;
    },
    check(isSuspect) {
      const now = clock.elapsed();
      const isProbeDue = failure !== null || isSuspect;
      if (isProbeDue && now - probedAt >= writeProbeEveryMs) {
        probedAt = now;
        failure = tried(() => {
          requireInPlace();
          probe(database);
        }, fail);
      }
      const cause =
        failure ??
        causeOfOthers() ??
        tried(requireInPlace, fail) ??
        tried(() => requireWritable(database.name), fail) ??
        lackOfSpace(database.name);
      const state = { cause, sawDamage };
      sawDamage = false;
      return state;
    },
  };
}

function tried(work: () => void, explain: (error: unknown) => string): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return explain(error);
  }
}

/**
 * Reads from the file and not from the cache, commits a page without changing it, and writes as much as the largest call: the write-ahead
 * log may have space for one page and not for more.
 */
function probe(database: Database): void {
  database.pragma("shrink_memory");
  database.prepare("SELECT hash FROM audit_entry ORDER BY number DESC LIMIT 1").get();
  const format = database.pragma("user_version", { simple: true });
  database.pragma(`user_version = ${format}`);
  const path = `${database.name}.probe`;
  try {
    const file = openSync(path, "w", 0o600);
    try {
      writeFileSync(file, Buffer.alloc(bodyMaxBytes));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(path, { force: true });
  }
}

/** Detects a file system that became read-only, and permissions that were removed, before the first call fails. */
function requireWritable(path: string): void {
  for (const each of [path, dirname(path)]) accessSync(each, constants.W_OK);
}

function lackOfSpace(path: string): string | null {
  const { bavail, bfree, bsize } = statfsSync(dirname(path));
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  if (free >= freeSpaceReserveBytes) return null;
  const [freeMib, reserveMib] = [free, freeSpaceReserveBytes].map((bytes) => Math.floor(bytes / 1024 / 1024));
  return `${freeMib} MiB of disk space are free, ${reserveMib} MiB are needed`;
}
