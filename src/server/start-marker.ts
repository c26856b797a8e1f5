// Owns the mark that a program of the user is starting a server, so that others wait for it instead of starting more. It is no lock: the
// lock of the data directory decides which server runs.

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { backgroundStartMaxMs } from "../platform/limits.ts";
import type { Clock } from "../platform/time/clock.ts";

/** @returns whether this process may start a server now. A mark of a process that ended, or that is old, does not count. */
export function claimStart(marker: string, clock: Pick<Clock, "now">): boolean {
  if (mark(marker)) return true;
  if (!isStale(marker, clock)) return false;
  const removed = `${marker}-${process.pid}`;
  try {
    // Of several processes that find it stale, one renames it.
    renameSync(marker, removed);
    rmSync(removed, { force: true });
  } catch {
    return false;
  }
  return mark(marker);
}

/** The server listens, or could not be started. */
export function endStart(marker: string): void {
  rmSync(marker, { force: true });
}

function mark(marker: string): boolean {
  try {
    writeFileSync(marker, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isStale(marker: string, clock: Pick<Clock, "now">): boolean {
  try {
    if (clock.now() - statSync(marker).mtimeMs > backgroundStartMaxMs) return true;
    const pid = Number(readFileSync(marker, "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 && !isRunning(pid);
  } catch {
    // It was removed meanwhile.
    return false;
  }
}

/** Whether a process with this number exists and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Whether it has ended, but its parent has not asked for the exit code: the first process of many containers never does (proc(5)). As long
 * as one of its threads is left, it has open files and sockets.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return /^State:\s+Z/m.test(status) && /^Threads:\s+[01]$/m.test(status);
  } catch {
    // It has just ended, or /proc is not mounted.
    return false;
  }
}
