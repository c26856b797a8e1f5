// Owns the effects of committed calls that the writer's thread performs; store.ts performs those of the main thread. Must never undo
// what is committed.

import { toRefusalAnswer } from "../../../calls/answer.ts";
import type { Clock } from "../../../clock.ts";
import { outcomeUnknown } from "../../../errors.ts";
import { syncFile } from "../../../files/durable.ts";
import { wordErasureMaxMs } from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import type { AfterCommit, SettledCall } from "../../../storage/after-commit.ts";
import { emptyLog } from "../database-file/connection.ts";
import type { WordMerge } from "../memories/word-merge.ts";
import { attempt } from "./attempt.ts";
import { erasureLogWaitMs } from "./limits.ts";
import type { WriterState } from "./writer-state.ts";

interface WriterEffectOptions {
  readonly database: Database;
  readonly state: WriterState;
  readonly wordMerge: WordMerge;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface WriterEffects {
  /** @returns the calls with the effects that are left for the main thread; 1503 for those whose effect failed. */
  perform(settled: readonly SettledCall[]): SettledCall[];
}

export function createWriterEffects(options: WriterEffectOptions): WriterEffects {
  const { state } = options;

  /** @returns whether the effect is the main thread's. */
  const isLeft = (after: AfterCommit): boolean => {
    switch (after.effect) {
      case "touch_key":
        state.touchedKeys.set(after.keyId, after.at);
        return false;
      case "touch_session":
        state.touchedSessions.set(after.session, after.at);
        return false;
      case "touch_memories":
        for (const id of after.memories)
          state.touchedMemories.set(id, { project: after.project, at: after.at });
        return false;
      case "purge_memories":
        state.purgeIsDue = true;
        return false;
      case "remove_unused_vectors":
        state.vectorRemovalIsDue = true;
        return true;
      case "erase_remains":
        return false;
      case "start_export":
      case "remember_answer":
      case "continue_model_change":
      case "remove_expired_exports":
      case "remove_cached_vectors":
      case "remove_cached_answers":
        return true;
    }
  };

  return {
    perform(settled) {
      const remains = settled.some(isErasure) && !eraseRemains(options);
      return settled.map((call) => ({
        answer: remains && isErasure(call) ? toRefusalAnswer(stillInLog) : call.answer,
        after: call.after.filter(isLeft),
      }));
    },
  };
}

function isErasure({ after }: SettledCall): boolean {
  return after.some(({ effect }) => effect === "erase_remains");
}

/** Not that nothing was done: the erasure is committed. */
const stillInLog = outcomeUnknown(
  "The payloads were erased, but their text may still be in the write-ahead log, because a reader still holds it. Run the erasure again in a moment.",
);

/** Removes the words of deleted memories from the database, copies the write-ahead log into it and empties the log. @returns false when a reader held the log for too long. */
function eraseRemains({ database, wordMerge, clock, logger }: WriterEffectOptions): boolean {
  // The erasure is committed, so an error here must not be reported as a failed erasure.
  const isEmptied = attempt(logger, () => {
    const endsAt = clock.elapsed() + wordErasureMaxMs;
    while (wordMerge.erase()) if (clock.elapsed() > endsAt) return false;
    return isLogEmptied(database);
  });
  return isEmptied === true;
}

function isLogEmptied(database: Database): boolean {
  const isEmptied = emptyLog(database, erasureLogWaitMs);
  // SQLite does not sync the truncation of the log: after a power loss its content could reappear.
  syncFile(`${database.name}-wal`);
  return isEmptied;
}
