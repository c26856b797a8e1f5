// Owns the removal of erased text from what the database keeps beside its rows: the index of words, and the write-ahead log. The main
// thread asks for one step after the other, so that other calls are settled in between.

import { type Answer, toRefusalAnswer } from "../../../calls/contract/answer.ts";
import type { AnsweredCall } from "../../../calls/storage/after-commit.ts";
import { outcomeUnknown } from "../../../platform/errors.ts";
import { syncFile } from "../../../platform/files/durable.ts";
import { wordErasureMaxMs } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { emptyLog } from "../database-file/connection.ts";
import type { WordMerge } from "../words/merge.ts";
import { erasureLogWaitMs, erasureStepMs } from "./limits.ts";
import type { WriterState } from "./writer-state.ts";

export interface ErasedTextStep {
  /** What WordMerge.erase takes: the removals before the first step. The next step gets it. */
  readonly through: number;
  /** "held": a reader held the log for too long. */
  readonly left: "some" | "none" | "held";
}

/** In the thread of the writer. @returns a function that takes one step; `through`: null for the first one */
export function createErasedTextStep(
  database: Database,
  state: WriterState,
  wordMerge: WordMerge,
  clock: Clock,
): (through: number | null) => ErasedTextStep {
  return (through) => {
    const removals = through ?? state.wordRemovals;
    const endsAt = clock.elapsed() + erasureStepMs;
    while (wordMerge.erase(removals))
      if (clock.elapsed() > endsAt) return { through: removals, left: "some" };
    return { through: removals, left: isLogEmptied(database) ? "none" : "held" };
  };
}

function isLogEmptied(database: Database): boolean {
  const isEmptied = emptyLog(database, erasureLogWaitMs);
  // SQLite does not sync the truncation of the log: after a power loss its content could reappear.
  syncFile(`${database.name}-wal`);
  return isEmptied;
}

/** In the main thread. @returns the answer of the call; 1503 when erased text may be left */
export async function removeErasedText(
  { answer, after }: AnsweredCall,
  step: (through: number | null) => Promise<ErasedTextStep>,
  clock: Clock,
  logger: Logger,
): Promise<Answer> {
  if (!after.some(({ effect }) => effect === "remove_erased_text")) return answer;
  const endsAt = clock.elapsed() + wordErasureMaxMs;
  try {
    let { through, left } = await step(null);
    while (left === "some" && clock.elapsed() < endsAt) ({ through, left } = await step(through));
    return left === "none" ? answer : toRefusalAnswer(stillInFile);
  } catch (error) {
    logger.error("erased text may still be in the database file", { error });
    return toRefusalAnswer(stillInFile);
  }
}

/** Not that nothing was done: the erasure is committed. */
const stillInFile = outcomeUnknown(
  "The payloads were erased, but their text may still be in the database file or its write-ahead log, because a reader still holds it, or the disk failed. Run the erasure again in a moment.",
);
