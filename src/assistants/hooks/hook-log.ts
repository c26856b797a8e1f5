// Owns the log of the hooks, because what they write to stderr is shown by some clients and lost by others. Must never contain the text of
// a prompt, a memory or a transcript. A hook works without it.

import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../platform/files/durable.ts";
import { openLogFile } from "../../platform/log/log-file.ts";
import { createLogger, type Logger, type LogLevel } from "../../platform/log/logger.ts";

/** Appends to `hooks.log` in the folder. */
export function createHookLog(folder: string, level: LogLevel): Logger {
  const path = join(folder, "hooks.log");
  return createLogger(level, (line) => {
    try {
      makeFolder(folder);
      const file = openLogFile({ path, previous: `${path}-former` });
      writeSync(file, line);
      closeSync(file);
      return true;
    } catch {
      return false;
    }
  });
}
