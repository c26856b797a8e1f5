// Kills the process at its deadline, in a separate thread, because the main thread may be the one that hangs.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { workerData } from "node:worker_threads";
import { createLogger } from "../log/logger.ts";
import type { Deadline } from "./process-deadline.ts";

const { afterMs, logLevel }: Deadline = workerData;
// Written synchronously: the process is killed right after it.
const logger = createLogger(logLevel, (line) => writeSync(2, line) > 0, isatty(2));

setTimeout(() => {
  logger.error("the server did not stop in time and is killed; answered calls are stored", {
    after_ms: afterMs,
  });
  process.kill(process.pid, "SIGKILL");
}, afterMs);
