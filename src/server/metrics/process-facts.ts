// Owns what the operating system tells about the process, and the delay of its event loop. Must never block the thread: the files of
// /proc are read asynchronously.

import { readdir, readFile, statfs } from "node:fs/promises";
import { delaySeconds } from "../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../platform/statistics/distribution.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { eventLoopCheckMs } from "./limits.ts";

export interface ProcessFacts {
  /** Of all threads, in the program and in the kernel. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Null: this system does not tell. */
  readonly openFiles: number | null;
  readonly openFilesMax: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

interface DiskFacts {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export async function readProcess(): Promise<ProcessFacts> {
  const { user, system } = process.cpuUsage();
  const [openFiles, openFilesMax] = await Promise.all([countOpenFiles(), readOpenFilesMax()]);
  return {
    cpuSeconds: (user + system) / 1_000_000,
    residentBytes: process.memoryUsage.rss(),
    openFiles,
    openFilesMax,
    startedAt: performance.timeOrigin,
  };
}

async function countOpenFiles(): Promise<number | null> {
  // Without the one that reads the list.
  return readdir("/proc/self/fd").then(
    (names) => names.length - 1,
    () => null,
  );
}

async function readOpenFilesMax(): Promise<number | null> {
  const text = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** Of the file system of a directory. Free: for users other than root. */
export async function readDisk(directory: string): Promise<DiskFacts> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

interface EventLoopWatch extends Disposable {
  read(): DistributionState;
}

/** How late a timer of this thread runs: what blocks the thread delays all calls. */
export function watchEventLoop(clock: Clock): EventLoopWatch {
  const delays = createDistribution(delaySeconds);
  let dueAtMs = clock.elapsed() + eventLoopCheckMs;
  const timer = clock.every(eventLoopCheckMs, () => {
    const nowMs = clock.elapsed();
    delays.observe(secondsBetween(dueAtMs, nowMs));
    dueAtMs = nowMs + eventLoopCheckMs;
  });
  return { read: delays.read, [Symbol.dispose]: () => timer.cancel() };
}
