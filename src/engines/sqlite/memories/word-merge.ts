// Owns the maintenance of the word index: merges segments in small steps between calls, and removes the words of deleted memories from
// the file. FTS5 only marks a removal; the words are gone when all segments have been merged into one.

import type { Clock } from "../../../clock.ts";
import { wordErasureEveryMs, wordErasureShare, wordMergePages } from "../../../limits.ts";
import type { Database } from "../../../native/sqlite.ts";
import type { WriterState } from "../threads/writer-state.ts";

export interface WordMerge {
  /** One step of some milliseconds, in a transaction of its own. @returns whether more is left that is due now. */
  step(): boolean;
  /** Steps of an erasure, also before it is due. @returns whether more is left. */
  erase(): boolean;
}

export function createWordMerge(database: Database, state: WriterState, clock: Clock): WordMerge {
  const merge = database.prepare("INSERT INTO memory_word (memory_word, rank) VALUES ('merge', ?)");
  const changes = database.prepare<[], number>("SELECT total_changes()").pluck();
  let erasingSince: number | null = null;
  let nextErasureAt = 0;

  /** With a negative number of pages, all segments are merged. FTS5 documents that fewer than two changes mean nothing was done. */
  const run = (pages: number): boolean => {
    const before = changes.get() ?? 0;
    merge.run(pages);
    return (changes.get() ?? 0) - before >= 2;
  };

  const begin = (): boolean => {
    const isMore = run(-wordMergePages);
    erasingSince = clock.elapsed();
    state.wordErasureIsDue = false;
    return isMore;
  };

  const end = (): void => {
    state.wordMergeIsDue = false;
    if (erasingSince === null) return;
    const now = clock.elapsed();
    nextErasureAt = now + Math.max(wordErasureEveryMs, (now - erasingSince) / wordErasureShare);
    erasingSince = null;
  };

  const proceed = (isErasure: boolean): boolean => {
    const isMore = isErasure && erasingSince === null ? begin() : run(wordMergePages);
    if (!isMore) end();
    return isMore;
  };

  return {
    step() {
      const isErasure = state.wordErasureIsDue && clock.elapsed() >= nextErasureAt;
      if (!isErasure && !state.wordMergeIsDue && erasingSince === null) return false;
      return proceed(isErasure);
    },
    erase() {
      if (!state.wordErasureIsDue && erasingSince === null) return false;
      return proceed(true);
    },
  };
}
