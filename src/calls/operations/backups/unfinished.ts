// Owns the temporary names of a backup, and the removal of those that a killed program left. Must never remove a file that it did not
// name itself.

import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { unfinishedMaxMs, unfinishedTouchMs } from "./limits.ts";

export interface Unfinished extends Disposable {
  /** The path of the archive until it is complete. */
  readonly archive: string;
  /** The copy of the database, while it is compressed. */
  readonly database: string;
  /** Call it often: it marks the files as recent, so that no other program removes them. */
  touch(): void;
}

const name = /^\.memledger-(backup|restore)-[0-9a-f]{12}(\.(part|db)(-(wal|shm|journal))?)?$/;

/** Two temporary names that begin with `path`, for files that are removed when it is disposed of. */
export function createUnfinished(path: string): Unfinished {
  const files = [`${path}.part`, `${path}.db`];
  let touchedAtMs = performance.now();
  return {
    archive: `${path}.part`,
    database: `${path}.db`,
    touch() {
      const nowMs = performance.now();
      if (nowMs - touchedAtMs < unfinishedTouchMs) return;
      touchedAtMs = nowMs;
      for (const file of files) touchFile(file);
    },
    [Symbol.dispose]() {
      for (const file of files) {
        for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
      }
    },
  };
}

/** Whether a file or a folder has one of these names. */
export function isUnfinished(each: string): boolean {
  return name.test(each);
}

/** A new path in the folder; nothing is created. */
export function temporaryPath(folder: string, kind: "backup" | "restore"): string {
  return join(folder, `.memledger-${kind}-${randomBytes(6).toString("hex")}`);
}

/**
 * Removes unfinished files and folders that have not changed for an hour: a program that was killed has left them.
 * @param nowMs milliseconds since 1970
 * @returns their names
 */
export function removeUnfinished(folder: string, nowMs: number): readonly string[] {
  const left = readdirSync(folder).filter(isUnfinished);
  const stale = left.filter((each) => isStale(join(folder, each), nowMs));
  for (const each of stale) rmSync(join(folder, each), { recursive: true, force: true });
  return stale;
}

function isStale(path: string, nowMs: number): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false });
  return info !== undefined && nowMs - info.mtimeMs > unfinishedMaxMs;
}

function touchFile(path: string): void {
  try {
    const now = new Date(performance.timeOrigin + performance.now());
    utimesSync(path, now, now);
  } catch {
    // It does not exist yet, or not any more.
  }
}
