// Owns the progress bar of a long command: on stderr, only when it is a terminal, never with --json.

import type { Terminal } from "./terminal.ts";

export interface Progress {
  show(done: number, total: number): void;
  clear(): void;
}

const width = 30;
const updateEveryMs = 100;
/** No bar is drawn before this time. */
const delayMs = 500;

export function createProgress({ isJson }: Pick<Terminal, "isJson">): Progress {
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
      process.stderr.write(`\r${bar(done / total)}`);
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
