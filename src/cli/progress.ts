// Owns the progress bar of a long command: on stderr, only when it is a terminal, never with --json.

import type { Terminal } from "./terminal.ts";

export interface Progress {
  show(done: number, total: number): void;
  clear(): void;
}

/** What is counted, for the rate: `MB` with `size` 1,000,000, or `memories` with 1. */
interface ProgressUnit {
  readonly name: string;
  readonly size: number;
}

const width = 30;
const updateEveryMs = 100;
/** No bar is drawn before this time. */
const delayMs = 500;

/** @param unit null: no rate and no remaining time are shown */
export function createProgress(
  { isJson }: Pick<Terminal, "isJson">,
  unit: ProgressUnit | null = null,
): Progress {
  const isShown = process.stderr.isTTY === true && !isJson;
  const startMs = performance.now();
  let latestMs = startMs + delayMs - updateEveryMs;
  let isDrawn = false;
  return {
    show(done, total) {
      const nowMs = performance.now();
      if (!isShown || total === 0 || nowMs - latestMs < updateEveryMs) return;
      latestMs = nowMs;
      isDrawn = true;
      const speed = unit === null ? "" : `  ${describeSpeed(done, total, nowMs - startMs, unit)}`;
      process.stderr.write(`\r${bar(done / total)}${speed}\x1b[K`);
    },
    clear() {
      if (isDrawn) process.stderr.write("\r\x1b[K");
    },
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * width);
  return `[${"=".repeat(full)}${" ".repeat(width - full)}] ${Math.floor(share * 100)} %`;
}

/** The mean rate so far, and the time that the rest takes at this rate: "120 MB/s, 4 s left". */
export function describeSpeed(done: number, total: number, elapsedMs: number, unit: ProgressUnit): string {
  const perSecond = (done / Math.max(1, elapsedMs)) * 1_000;
  if (perSecond === 0) return "";
  const rate = perSecond / unit.size;
  const shown = rate >= 10 ? Math.round(rate) : rate.toFixed(1);
  return `${shown} ${unit.name}/s, ${describeDuration(Math.max(0, total - done) / perSecond)} left`;
}

function describeDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
