// Owns running exports until they are completed or failed, including those that an earlier process started. Runs a few of them in turn, and
// removes expired ones. Must never change what a call returns, except status and progress.

import {
  expiredExportsEveryMs,
  exportAttemptsMax,
  exportProgressMs,
  exportsAtOnce,
} from "../../platform/limits.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ClockTimer } from "../../platform/time/clock-timers.ts";
import type { ExportEngine } from "./export-store.ts";

export interface ExportRunner {
  /** Starts the runner. */
  start(): void;
  /** Tells the runner that there may be a new export. */
  wake(): void;
  /** Removes expired exports. @throws when a file cannot be removed; the runner tries again later. */
  removeExpired(): Promise<void>;
  /** Stops the runner. The next start continues unfinished exports. */
  close(): Promise<void>;
}

const retryMs = 500;

export function createExportRunner(engine: ExportEngine, clock: Clock, logger: Logger): ExportRunner {
  const savedAt = new Map<string, number>();
  const attempts = new Map<string, number>();
  let isRunning = false;
  let mayHaveWork = false;
  let working: Promise<void> | null = null;
  let timer: ClockTimer | null = null;

  const advance = async (id: string): Promise<void> => {
    const step = await engine.step(id).catch((error: unknown) => {
      const failed = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, failed);
      if (failed < exportAttemptsMax) throw error;
      logger.error("an export failed after several attempts", { export: id, error });
      return { status: "failed", records: 0, error: "The export was interrupted several times." } as const;
    });
    const now = clock.now();
    const isDue = clock.elapsed() - (savedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= exportProgressMs;
    if (step.status === "processing") {
      if (!isDue) return;
      savedAt.set(id, clock.elapsed());
      // Not awaited: if saving fails, a later step saves the progress again.
      void engine.save({ id, step, now }).catch(() => undefined);
      return;
    }
    await engine.save({ id, step, now });
    savedAt.delete(id);
    attempts.delete(id);
    logger.info("export finished", { export: id, ...step });
  };

  const removeExpired = async (): Promise<void> => {
    const forget = await engine.removeExpired(clock.now());
    if (forget.length > 0) await engine.save({ forget });
  };

  const work = async (): Promise<void> => {
    while (isRunning) {
      try {
        mayHaveWork = false;
        const pending = await engine.pending();
        for (const id of pending.slice(0, exportsAtOnce)) if (isRunning) await advance(id);
        if (pending.length > 0 || mayHaveWork) continue;
        await removeExpired();
        return;
      } catch (error) {
        if (!isRunning) return;
        logger.warn("exports were interrupted and will be retried", { error });
        await clock.sleep(retryMs);
      }
    }
  };

  const wake = (): void => {
    mayHaveWork = true;
    if (!isRunning) return;
    working ??= work().finally(() => {
      working = null;
      if (mayHaveWork) wake();
    });
  };

  return {
    wake,
    removeExpired,
    start() {
      isRunning = true;
      const removeSoon = () =>
        void removeExpired().catch((error: unknown) => {
          if (isRunning) logger.warn("expired exports could not be removed and will be retried", { error });
        });
      timer = clock.every(expiredExportsEveryMs, removeSoon);
      removeSoon();
      wake();
    },
    async close() {
      isRunning = false;
      mayHaveWork = false;
      timer?.cancel();
      await working;
      await engine.close();
    },
  };
}
