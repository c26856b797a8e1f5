// Owns bringing exports to their end: completed or failed, also those that an earlier process began. Works on a few of them in turn,
// and removes what has expired. Decides nothing that a call could notice.

import type { Clock } from "../clock.ts";
import { exportAttemptsMax, exportProgressMs, exportSweepMs, exportsAtOnce } from "../limits.ts";
import type { Logger } from "../log/logger.ts";
import type { ExportEngine } from "./store.ts";

export interface ExportRunner {
  /** Begins to work; until then nothing happens. */
  start(): void;
  /** Says that there may be work. */
  wake(): void;
  /** Removes what has expired. @throws when a file cannot be removed; it is tried again later. */
  sweep(): Promise<void>;
  /** Leaves what is unfinished to the next start. */
  close(): Promise<void>;
}

const retryMs = 500;

export function createExportRunner(engine: ExportEngine, clock: Clock, logger: Logger): ExportRunner {
  const savedAt = new Map<string, number>();
  const attempts = new Map<string, number>();
  let isRunning = false;
  let mayHaveWork = false;
  let working: Promise<void> | null = null;
  let timer: ReturnType<typeof setInterval> | null = null;

  const advance = async (id: string): Promise<void> => {
    const step = await engine.step(id).catch((error: unknown) => {
      const failed = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, failed);
      if (failed < exportAttemptsMax) throw error;
      logger.error("an export was given up", { export: id, error });
      return { status: "failed", records: 0, error: "The export stopped several times." } as const;
    });
    const now = clock.now();
    const isDue = clock.elapsed() - (savedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= exportProgressMs;
    if (step.status === "processing") {
      if (!isDue) return;
      savedAt.set(id, clock.elapsed());
      // Nobody waits for it: progress that is lost comes again.
      void engine.save({ id, step, now }).catch(() => undefined);
      return;
    }
    await engine.save({ id, step, now });
    savedAt.delete(id);
    attempts.delete(id);
    logger.info("export", { export: id, ...step });
  };

  const sweep = async (): Promise<void> => {
    const forget = await engine.sweep(clock.now());
    if (forget.length > 0) await engine.save({ forget });
  };

  const work = async (): Promise<void> => {
    while (isRunning) {
      try {
        mayHaveWork = false;
        const pending = await engine.pending();
        for (const id of pending.slice(0, exportsAtOnce)) if (isRunning) await advance(id);
        if (pending.length > 0 || mayHaveWork) continue;
        await sweep();
        return;
      } catch (error) {
        if (!isRunning) return;
        logger.warn("exports could not go on and are tried again", { error });
        await Bun.sleep(retryMs);
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
    sweep,
    start() {
      isRunning = true;
      const sweepSoon = () =>
        void sweep().catch((error: unknown) => {
          if (isRunning) logger.warn("expired exports could not be removed and are tried again", { error });
        });
      timer = setInterval(sweepSoon, exportSweepMs);
      sweepSoon();
      wake();
    },
    async close() {
      isRunning = false;
      mayHaveWork = false;
      if (timer !== null) clearInterval(timer);
      await working;
      await engine.close();
    },
  };
}
