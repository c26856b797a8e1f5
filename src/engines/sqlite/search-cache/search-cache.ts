// Owns the requests to the thread that changes cache files, in the main thread, and when they are made: after the start, and before a
// delete is answered. The thread starts when there are files. Must never let a failure of the cache fail a search.

import { existsSync } from "node:fs";
import { type Answer, toRefusalAnswer } from "../../../calls/contract/answer.ts";
import type { AnsweredCall } from "../../../calls/storage/after-commit.ts";
import { outcomeUnknown } from "../../../platform/errors.ts";
import { createLogRepeats } from "../../../platform/log/log-repeats.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { ClockTimer } from "../../../platform/time/clock-timers.ts";
import type { NamedRequest } from "../threads/answer-requests.ts";
import type { CacheUse, CacheWriter } from "./cache-writer.ts";
import { type AskSearcher, createIndexWriting } from "./index-writing.ts";
import { copyEndMs, writeTestMs } from "./limits.ts";
import { createPreloading, type Preload } from "./preloading.ts";

export interface SearchCache {
  /** Compares all files with the database, in the background, and writes indexes from now on. */
  start(): void;
  /**
   * Performs the effects of a committed call. Call it before the answer.
   * @returns the answer of the call; 1503 when vectors may still be in files
   */
  performEffects(call: AnsweredCall): Promise<Answer>;
  close(): Promise<void>;
}

interface SearchCacheOptions {
  readonly folder: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly startThread: () => WorkerThread;
  /** What the searcher does for the files. */
  readonly searches: { readonly copy: AskSearcher; readonly preload: Preload };
}

export function createSearchCache({
  folder,
  logger,
  clock,
  startThread,
  searches,
}: SearchCacheOptions): SearchCache {
  const isToBeLogged = createLogRepeats();
  let thread: WorkerThread | null = null;
  let isClosed = false;
  let checking: Promise<void> = Promise.resolve();
  /** Whether a check or a wiping has failed since the last check began. */
  let isOverdue = false;

  const ask = <Name extends keyof CacheWriter & string>(
    name: Name,
    ...values: Parameters<CacheWriter[Name]>
  ): Promise<ReturnType<CacheWriter[Name]>> => {
    thread ??= startThread();
    const request: NamedRequest = { name, values };
    return thread.request(request);
  };
  /** Whether there may be files. */
  const hasFiles = (): boolean => thread !== null || existsSync(folder);

  /**
   * Checks one project after the other, so that other requests come in between.
   * @param onChecked called with each that has files, the one that was used last first
   * @throws the first failure, after all were checked
   */
  const checkAll = async (
    isDurable: boolean,
    onChecked: (project: string, use: CacheUse) => void = () => undefined,
  ): Promise<void> => {
    if (!hasFiles()) return;
    const failures: unknown[] = [];
    for (const project of await ask("list")) {
      // An erasure is not answered before everything is wiped.
      if (isClosed && !isDurable) break;
      try {
        const use = await ask("check", project, isDurable);
        if (use !== null) onChecked(project, use);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  const checkInBackground = (onChecked?: (project: string, use: CacheUse) => void): void => {
    isOverdue = false;
    checking = checking
      .then(() => checkAll(false, onChecked))
      .catch((error: unknown) => {
        isOverdue = true;
        if (!isClosed && isToBeLogged("check"))
          logger.warn("the cache files of search indexes cannot be checked; searches use the database", {
            folder,
            error,
          });
      });
  };
  const removeVectors = async (project: string | null): Promise<void> => {
    if (!hasFiles()) return;
    if (project === null) await checkAll(true);
    else await ask("wipeDeleted", project);
  };

  const writing = createIndexWriting(searches.copy, ask, clock);
  let isWriting = false;
  let written: Promise<void> = Promise.resolve();
  const writeDue = async (): Promise<void> => {
    try {
      await writing.writeDue();
    } catch (error) {
      if (!isClosed && isToBeLogged("write"))
        logger.warn("search indexes cannot be written to cache files; searches go on", { folder, error });
    }
    isWriting = false;
  };
  const test = (): void => {
    if (isOverdue) checkInBackground();
    if (isWriting) return;
    isWriting = true;
    written = writeDue();
  };
  let timer: ClockTimer | null = null;

  return {
    start() {
      const preloading = createPreloading((project, bytes) => searches.preload(project, bytes));
      checkInBackground((project, { bytes }) => preloading.add(project, bytes));
      timer = clock.every(writeTestMs, test);
    },
    async performEffects({ answer, after }) {
      try {
        for (const each of after) {
          if (each.effect === "remove_cached_vectors") await removeVectors(each.project);
          // The model was changed: no file is of use any more.
          if (each.effect === "remove_unused_vectors") checkInBackground();
        }
        return answer;
      } catch (error) {
        isOverdue = true;
        if (isToBeLogged("wipe"))
          logger.error("vectors of deleted memories may still be in cache files; remove the folder", {
            folder,
            error,
          });
        return toRefusalAnswer(stillCached);
      }
    },
    async close() {
      isClosed = true;
      timer?.cancel();
      // Whatever fails now is read from the database by the next start.
      if (timer !== null) await clock.within(copyEndMs, written.then(writing.finish)).catch(() => undefined);
      await thread?.close();
    },
  };
}

/** Not that nothing was done: the deletion is committed. */
const stillCached = outcomeUnknown(
  "The memories were deleted, but their vectors may still be in cache files of the search, which cannot be changed. The log of the server has the reason. The operator must make the folder writable, or remove it.",
);
