// Owns the deadline of a process that is shutting down. All answered calls are on the disk, so killing the process loses nothing.

import type { LogLevel } from "../log/logger.ts";
import { spawnWorker } from "./spawn.ts";

export interface Deadline {
  readonly afterMs: number;
  readonly logLevel: LogLevel;
}

/** Kills this process after the time, unless it has stopped before. Does not keep the process alive. */
export function endWithin(deadline: Deadline): void {
  const worker = spawnWorker("deadline", deadline);
  // If no thread can be started, the sender of the signal must kill the process.
  worker.on("error", () => undefined);
  worker.unref();
}
