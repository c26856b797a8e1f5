// Ends the whole process at its deadline, from a thread of its own: the main thread may be the one that does not end.

import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { createLogger } from "../log/logger.ts";
import type { Deadline } from "./process-deadline.ts";

const { afterMs, logLevel }: Deadline = workerData;
// Nothing is left that would write later.
const logger = createLogger(logLevel, (line) => writeSync(2, line) > 0);

setTimeout(() => {
  logger.error("the server did not stop in time and is killed; answered calls are stored", {
    after_ms: afterMs,
  });
  process.kill(process.pid, "SIGKILL");
}, afterMs);
