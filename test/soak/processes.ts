// Reads what the system says about a running server: its resident memory, its open files, its threads. Linux only. Must never write.

import { readdirSync, readFileSync } from "node:fs";

export interface Usage {
  readonly residentMiB: number;
  readonly openFiles: number;
  readonly threads: number;
}

/** Null when the process has ended. */
export function readUsage(pid: number): Usage | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
    const residentMiB = numberOf("VmRSS") / 1024;
    if (!Number.isFinite(residentMiB)) return null;
    return { residentMiB, openFiles: readdirSync(`/proc/${pid}/fd`).length, threads: numberOf("Threads") };
  } catch {
    return null;
  }
}
