// Owns the progress of a command that handles many memories: their number, the rate and the remaining time on stderr. On a terminal one
// line changes; elsewhere each tenth is a line of its own, for logs.

import { counted } from "../platform/text/plural.ts";
import type { Terminal } from "./terminal.ts";

export interface RateProgress {
  show(done: number, total: number): void;
  /** Ends the line on a terminal. */
  clear(): void;
}

const updateEveryMs = 200;

export function createRateProgress(
  { isJson, writeError }: Terminal,
  now = () => performance.now(),
): RateProgress {
  const isTerminal = process.stderr.isTTY === true && !isJson;
  let first: { readonly done: number; readonly atMs: number } | null = null;
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let tenths = 0;
  return {
    show(done, total) {
      const atMs = now();
      first ??= { done, atMs };
      const reached = total === 0 ? 0 : Math.floor((done / total) * 10);
      const isDue = isTerminal ? atMs - shownAtMs >= updateEveryMs : reached > tenths;
      if (!isDue) return;
      shownAtMs = atMs;
      tenths = reached;
      const line = `${done} of ${counted(total, "memory", "memories")}${rateOf(done - first.done, atMs - first.atMs, total - done)}`;
      if (isTerminal) process.stderr.write(`\r\x1b[K${line}`);
      else writeError(line);
    },
    clear() {
      if (isTerminal && Number.isFinite(shownAtMs)) process.stderr.write("\r\x1b[K");
    },
  };
}

function rateOf(done: number, elapsedMs: number, left: number): string {
  if (done <= 0 || elapsedMs <= 0) return "";
  const perSecond = (done * 1_000) / elapsedMs;
  return `, ${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} per second, ${durationOf(left / perSecond)} left`;
}

/** "45 s", "12 min" or "1.5 h". */
export function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
