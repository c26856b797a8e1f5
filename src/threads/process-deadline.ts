// Owns the deadline of a process that was asked to end. Everything that was answered is on the disk by then, so a kill loses nothing.

import type { LogLevel } from "../log/logger.ts";
import { spawnWorker } from "./spawn.ts";

export interface Deadline {
  readonly afterMs: number;
  readonly logLevel: LogLevel;
}

/** Kills this process after the time, unless it has ended before. Does not keep it from ending. */
export function endWithin(deadline: Deadline): void {
  const worker = spawnWorker("deadline", deadline);
  // Where no thread can be started any more, the signal's sender has to kill the process.
  worker.on("error", () => undefined);
  worker.unref();
}
