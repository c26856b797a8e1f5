// Owns the suspicion that the database file is damaged: one look at the whole file, in a thread of its own, confirms or dismisses it.
// SQLite reports a disk that cannot be read for a moment in the same way as a damaged page.

import type { Worker } from "node:worker_threads";
import { damageCheckPauseMs } from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";

export interface DamageCheck {
  /** Somebody has been told by SQLite that the file is damaged. */
  suspect(): void;
  /** While the file is damaged or being looked at. A file that was damaged is looked at again now and then, when this is asked. */
  isSuspected(): boolean;
  close(): Promise<void>;
}

/** `start` starts the inspector, which sends one list of what is wrong. */
export function createDamageCheck(start: () => Worker, logger: Logger): DamageCheck {
  let isSuspected = false;
  let worker: Worker | null = null;
  let isClosed = false;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  const look = (): void => {
    const begunMs = performance.now();
    if (isClosed || worker !== null || begunMs < nextAtMs) return;
    worker = start();
    let found: readonly string[] = ["the file cannot be read"];
    worker.on("message", (damage: readonly string[]) => {
      found = damage;
    });
    worker.on("error", (error: unknown) => logger.error("the database file cannot be checked", { error }));
    worker.on("exit", () => {
      worker = null;
      if (isClosed) return;
      // The look reads the whole file: it may take a tenth of the time at most.
      nextAtMs = performance.now() + Math.max(damageCheckPauseMs, 10 * (performance.now() - begunMs));
      isSuspected = found.length > 0;
      if (isSuspected) logger.error("the database file is damaged; restore the last backup", { found });
      else logger.info("the database file is intact; the disk could not read it for a while");
    });
  };

  return {
    suspect() {
      isSuspected = true;
      look();
    },
    isSuspected() {
      if (isSuspected) look();
      return isSuspected;
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
