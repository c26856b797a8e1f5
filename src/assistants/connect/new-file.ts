// Owns the new file beside a configuration file that replaces it. It has the same name for every process, so it is also a lock: one process
// replaces a file at a time. Must never move or remove the new file of another process.

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createClock } from "../../platform/time/clock.ts";
import { newFileStaleAfterMs } from "./limits.ts";

/** Somebody else changed or is changing the file. The change can be tried again. */
export class BusyConfiguration extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BusyConfiguration";
  }
}

/** Removed when it is disposed, unless it has replaced the file. */
export interface NewFile extends Disposable {
  readonly descriptor: number;
  /** @throws BusyConfiguration when another process took this one for ended, because it was stopped for a long time */
  replace(): void;
}

/** @param target need not exist @throws BusyConfiguration when another process is replacing the file */
export function createNewFile(target: string): NewFile {
  const path = join(dirname(target), `.${basename(target)}.memledger-new`);
  removeStale(path);
  const descriptor = open(path);
  // The file is open until the end, so no other file gets its number meanwhile.
  const { ino, dev } = fstatSync(descriptor);
  let isMoved = false;
  const isOwn = () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return !isMoved && found?.ino === ino && found.dev === dev;
  };
  return {
    descriptor,
    replace() {
      if (!isOwn()) throw another();
      renameSync(path, target);
      isMoved = true;
    },
    [Symbol.dispose]() {
      if (isOwn()) rmSync(path, { force: true });
      closeSync(descriptor);
    },
  };
}

/** The content is on disk then, and the file has the owner and the mode of the one that was found; `isPrivate`: of its owner only. */
export function writeAs(
  descriptor: number,
  content: string | Buffer,
  found: Stats | undefined,
  isPrivate: boolean,
): void {
  writeFileSync(descriptor, content);
  if (found !== undefined) {
    fchmodSync(descriptor, found.mode & (isPrivate ? 0o700 : 0o7777));
    if (process.geteuid?.() === 0) fchownSync(descriptor, found.uid, found.gid);
  }
  fsyncSync(descriptor);
}

/** Of a process that was killed. */
function removeStale(path: string): void {
  const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt === undefined || createClock().now() - changedAt <= newFileStaleAfterMs) return;
  rmSync(path, { force: true });
}

/** @throws BusyConfiguration */
function open(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw another();
  }
}

function another(): BusyConfiguration {
  return new BusyConfiguration('Another "memledger connect" is changing this file. Try again.');
}
