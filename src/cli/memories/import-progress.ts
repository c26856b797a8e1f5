// Owns what an import prints while it runs, on stderr: on a terminal one line that changes, otherwise a line from time to time. Nothing
// with --json.

import type { ImportCounts, Place } from "../../assistants/importing/import-memories.ts";
import { messagesMax } from "../../assistants/importing/limits.ts";
import { counted } from "../../platform/text/plural.ts";
import { toPrintableLine } from "../../platform/text/printable.ts";
import { durationOf } from "../rate-progress.ts";
import type { Terminal } from "../terminal.ts";

export interface ImportProgress {
  show(counts: ImportCounts, share: number | null): void;
  message(place: Place, text: string): void;
  notice(text: string): void;
  /** Removes the line that changes. */
  clear(): void;
}

const terminalEveryMs = 200;
const plainEveryMs = 10_000;

export function createImportProgress(terminal: Terminal): ImportProgress {
  const isTerminal = process.stderr.isTTY === true && !terminal.isJson;
  const startMs = performance.now();
  let latestMs = startMs;
  let isDrawn = false;
  let messages = 0;
  const clear = () => {
    if (isDrawn) process.stderr.write("\r\x1b[K");
    isDrawn = false;
  };
  const notice = (text: string) => {
    clear();
    terminal.writeError(text);
  };
  return {
    show(counts, share) {
      const nowMs = performance.now();
      if (terminal.isJson || nowMs - latestMs < (isTerminal ? terminalEveryMs : plainEveryMs)) return;
      latestMs = nowMs;
      const line = describe(counts, share, (nowMs - startMs) / 1_000);
      if (!isTerminal) return terminal.writeError(line);
      isDrawn = true;
      process.stderr.write(`\r\x1b[K${line}`);
    },
    message({ file, line }, text) {
      messages += 1;
      if (messages <= messagesMax) notice(toPrintableLine(`${file}:${line}: ${text}`));
      else if (messages === messagesMax + 1) notice("More messages are not printed; all are counted.");
    },
    notice,
    clear,
  };
}

/** The rate is that of memories which the server has answered, so it tells how long the rest takes. */
function describe(counts: ImportCounts, share: number | null, seconds: number): string {
  const { created, existing, skipped, refused } = counts;
  const done = created + existing;
  const parts = [counted(done, "memory", "memories"), `${Math.round(done / seconds)}/s`];
  if (share !== null && share > 0.01) parts.push(`${durationOf((seconds / share) * (1 - share))} left`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (refused > 0) parts.push(`${refused} refused`);
  return parts.join(", ");
}
