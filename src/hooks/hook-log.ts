// Owns the log file of the hooks, because what they write to stderr is shown by some clients and lost by others. Must never grow without a
// limit, nor contain the text of a prompt, a memory or a transcript. A hook works without it.

import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../files/durable.ts";
import { createLogger, type Logger, type LogLevel } from "../log/logger.ts";
import { hookLogMaxBytes } from "./limits.ts";

/** Appends to `hooks.log` in the folder. A full file becomes `hooks.log.old`, and replaces the one before. */
export function createHookLog(folder: string, level: LogLevel): Logger {
  const path = join(folder, "hooks.log");
  return createLogger(level, (line) => {
    try {
      makeFolder(folder);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes + line.length > hookLogMaxBytes) renameSync(path, `${path}.old`);
      appendFileSync(path, line, { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  });
}
