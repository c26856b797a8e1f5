// Owns the maintenance of the word index: merges segments in small steps between calls, and removes the words of deleted memories from
// the file. FTS5 only marks a removal; the words are gone when all segments have been merged into one.

import { wordErasureEveryMs, wordErasureShare, wordMergePages } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { WriterState } from "../threads/writer-state.ts";

export interface WordMerge {
  /** One step of some milliseconds, in a transaction of its own. @returns whether more is left that is due now. */
  step(): boolean;
  /**
   * One step of an erasure, also before it is due.
   * @param through what `wordRemovals` was after the removals that must be erased
   * @returns whether some of them are left
   */
  erase(through?: number): boolean;
}

export function createWordMerge(database: Database, state: WriterState, clock: Clock): WordMerge {
  const merge = database.prepare("INSERT INTO memory_word (memory_word, rank) VALUES ('merge', ?)");
  const changes = database.prepare<[], number>("SELECT total_changes()").pluck();
  let erasing: { readonly since: number; readonly through: number } | null = null;
  let erasedThrough = 0;
  let nextErasureAt = 0;

  /** With a negative number of pages, all segments are merged. FTS5 documents that fewer than two changes mean nothing was done. */
  const run = (pages: number): boolean => {
    const before = changes.get() ?? 0;
    merge.run(pages);
    return (changes.get() ?? 0) - before >= 2;
  };

  const begin = (): boolean => {
    const isMore = run(-wordMergePages);
    erasing = { since: clock.elapsed(), through: state.wordRemovals };
    return isMore;
  };

  const end = (): void => {
    state.wordMergeIsDue = false;
    if (erasing === null) return;
    const now = clock.elapsed();
    nextErasureAt = now + Math.max(wordErasureEveryMs, (now - erasing.since) / wordErasureShare);
    erasedThrough = erasing.through;
    erasing = null;
  };

  const proceed = (isErasure: boolean): boolean => {
    const isMore = isErasure && erasing === null ? begin() : run(wordMergePages);
    if (!isMore) end();
    return isMore;
  };

  return {
    step() {
      const isErasure = erasedThrough < state.wordRemovals && clock.elapsed() >= nextErasureAt;
      if (!isErasure && !state.wordMergeIsDue && erasing === null) return false;
      return proceed(isErasure);
    },
    erase(through = state.wordRemovals) {
      if (erasedThrough < through) proceed(true);
      return erasedThrough < through;
    },
  };
}
