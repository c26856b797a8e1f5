// Owns the answer cache in the main thread: what its thread is asked, and that answers are removed before an erasure, or the deletion of their
// project or key, is answered. Must never let a failure of the cache fail an exchange.

import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answer, toRefusalAnswer } from "../../../calls/contract/answer.ts";
import type { AnsweredCall } from "../../../calls/storage/after-commit.ts";
import type {
  AnswerCache,
  AnswerCacheSettings,
  AnswerOwner,
  CachedAnswer,
} from "../../../calls/storage/answer-cache.ts";
import { createAnswerCollectors } from "../../../calls/storage/answer-collectors.ts";
import { outcomeUnknown } from "../../../platform/errors.ts";
import { createLogRepeats } from "../../../platform/log/log-repeats.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { ClockTimer } from "../../../platform/time/clock-timers.ts";
import type { DatabaseFile } from "../database-file/connection.ts";
import type { AnswerCacheInit, AnswerCacheReply, AnswerCacheRequest } from "./answer-cache-worker.ts";
import { removeAnswerFile } from "./answer-file.ts";
import { answerMaxBytes, collectedMaxBytes, findMaxMs, sweepEveryMs } from "./limits.ts";

interface AnswerCacheOptions {
  readonly path: string;
  /** Null: nothing is kept. */
  readonly startThread: (() => WorkerThread) | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface StoredAnswers {
  /** Null: nothing is kept. */
  readonly answers: AnswerCache | null;
  /** Removes what is too old, from now on; without a cache, the file of an earlier one. */
  start(): void;
  /**
   * Performs the effects of a committed call. Call it before the answer.
   * @returns the answer of the call; 1503 when an answer may still be in the file
   */
  performEffects(call: AnsweredCall): Promise<Answer>;
  close(): Promise<void>;
}

export function answerCachePath(database: string): string {
  return join(dirname(database), "cache", "answers", "answers.db");
}

/** Only this database has the secret, so a file of another installation is not believed. */
export function toAnswerCacheInit(
  { path, runtime }: DatabaseFile,
  database: Database,
  settings: AnswerCacheSettings,
): AnswerCacheInit {
  const key = database
    .prepare<[], string>("SELECT value FROM installation WHERE name = 'cursor_key'")
    .pluck()
    .get();
  const secret = createHmac("sha256", Buffer.from(key ?? "", "hex"))
    .update("answer cache")
    .digest();
  return { ...settings, path: answerCachePath(path), runtime, secret };
}

export function createAnswerCache({ path, startThread, clock, logger }: AnswerCacheOptions): StoredAnswers {
  const isToBeLogged = createLogRepeats();
  let thread: WorkerThread | null = null;
  let generation = 0;
  let timer: ClockTimer | null = null;
  let isClosed = false;

  const ask = async (
    start: () => WorkerThread,
    request: AnswerCacheRequest,
  ): Promise<CachedAnswer | null> => {
    thread ??= start();
    const reply = await thread.request<AnswerCacheReply>(request);
    if ("failure" in reply) throw new Error(reply.failure);
    return reply.found;
  };
  const warn = (error: unknown): null => {
    if (!isClosed && isToBeLogged("use")) {
      logger.warn("the answer cache cannot be used; requests are forwarded", { path, error });
    }
    return null;
  };
  const remove = async (owner: AnswerOwner): Promise<void> => {
    generation += 1;
    if (thread === null && !existsSync(path)) return;
    if (startThread === null) removeAnswerFile(path);
    else await ask(startThread, { remove: owner });
  };
  const answers: AnswerCache | null =
    startThread === null
      ? null
      : {
          get generation() {
            return generation;
          },
          collect: createAnswerCollectors(answerMaxBytes, collectedMaxBytes),
          async find(find) {
            const found = ask(startThread, { find, now: clock.now() }).catch(warn);
            return (await clock.within(findMaxMs, found)) ?? null;
          },
          async put(put, answer, limits) {
            if (limits.generation !== generation) return;
            const { maxAgeMs } = limits;
            await ask(startThread, { put, answer, now: clock.now(), maxAgeMs }).catch(warn);
          },
        };

  return {
    answers,
    start() {
      if (startThread === null) {
        if (existsSync(path)) void remove(null).catch(warn);
        return;
      }
      // The first time it also opens the file, so that the first request does not wait for that.
      const sweep = () => void ask(startThread, { sweep: clock.now() }).catch(warn);
      timer = clock.every(sweepEveryMs, sweep);
      sweep();
    },
    async performEffects({ answer, after }) {
      try {
        for (const each of after) if (each.effect === "remove_cached_answers") await remove(each.of);
        return answer;
      } catch (error) {
        if (isToBeLogged("remove"))
          logger.error(
            "answers that were to be removed may still be in the answer cache; remove the folder",
            {
              path,
              error,
            },
          );
        return toRefusalAnswer(stillCached);
      }
    },
    async close() {
      isClosed = true;
      timer?.cancel();
      await thread?.close();
    },
  };
}

/** Not that nothing was done: the change is committed. */
const stillCached = outcomeUnknown(
  "The change is stored, but answers of the gateway may still be in the file of the answer cache, which cannot be changed. The log of the server has the reason. The operator must make the folder writable, or remove it, and repeat the call.",
);
