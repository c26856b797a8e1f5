// Owns what happens when the database file may be damaged. One check of the whole file, in a thread of its own, confirms or dismisses it:
// SQLite reports a disk that cannot be read for a moment in the same way as a damaged page. A file marks the suspicion, so that it outlives
// the process.

import { damageCheckPauseMs } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { markDamaged, unmarkDamaged } from "../database-file/damage-mark.ts";

export interface DamageCheck {
  /** SQLite has reported that the file is damaged. */
  suspect(): void;
  /** While the file is damaged or being checked. A file that was found damaged is checked again now and then, when this is asked. */
  isSuspected(): boolean;
  /** Whether the last check of the whole file has found damage. */
  isConfirmed(): boolean;
  close(): Promise<void>;
}

interface DamageCheckOptions {
  /** Starts the inspector. */
  readonly start: () => WorkerThread;
  /** Of the database. */
  readonly path: string;
  /** Whether a check before the start has found damage. */
  readonly isDamaged: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createDamageCheck({
  start,
  path,
  isDamaged,
  clock,
  logger,
}: DamageCheckOptions): DamageCheck {
  let isSuspected = isDamaged;
  let isConfirmed = isDamaged;
  let inspector: WorkerThread | null = null;
  let isClosed = false;
  /** Whether the log says that the last check has failed. */
  let isFailureLogged = false;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  const inspect = async (thread: WorkerThread): Promise<readonly string[]> => {
    try {
      const found = await thread.request<readonly string[]>(null);
      isFailureLogged = false;
      return found;
    } catch (error) {
      if (!isClosed && !isFailureLogged) logger.error("the database file cannot be checked", { error });
      isFailureLogged = true;
      return ["the file cannot be read"];
    } finally {
      await thread.close();
    }
  };
  const check = async (): Promise<void> => {
    const begunMs = clock.elapsed();
    if (isClosed || inspector !== null || begunMs < nextAtMs) return;
    inspector = start();
    const found = await inspect(inspector);
    inspector = null;
    if (isClosed) return;
    // A check reads the whole file: it may take a tenth of the time at most.
    nextAtMs = clock.elapsed() + Math.max(damageCheckPauseMs, 10 * (clock.elapsed() - begunMs));
    isSuspected = found.length > 0;
    isConfirmed = isSuspected;
    if (isSuspected) logger.error("the database file is damaged; restore the last backup", { found });
    else {
      unmarkDamaged(path);
      logger.info("the database file is intact; the disk could not read it for a while");
    }
  };

  return {
    suspect() {
      if (!isSuspected) markDamaged(path);
      isSuspected = true;
      void check();
    },
    isSuspected() {
      if (isSuspected) void check();
      return isSuspected;
    },
    isConfirmed: () => isConfirmed,
    async close() {
      isClosed = true;
      await inspector?.close();
    },
  };
}
