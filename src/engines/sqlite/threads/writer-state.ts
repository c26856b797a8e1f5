// Owns the state of the writer between calls. Changes of a transaction are discarded when it is rolled back.

import type { Caller } from "../../../access/caller.ts";
import { createIdSource, type IdSource } from "../../../platform/ids.ts";
import type { WordChange, WordState } from "../words/changes.ts";

export interface MemoryTouch {
  /** Id of the project. */
  readonly project: string;
  readonly at: number;
}

export class WriterState implements WordState {
  readonly createId: IdSource = createIdSource();
  /** By the ids of memories, keys and sessions; written within a second. A crash loses only access times. */
  readonly touchedMemories = new Map<string, MemoryTouch>();
  readonly touchedKeys = new Map<string, number>();
  readonly touchedSessions = new Map<string, number>();
  /** By key id. Always current: only this thread changes keys and projects, and each change or rollback empties the map. */
  readonly callers = new Map<string, Caller>();
  /** Whether a dead pool may exist that the purge must delete. */
  purgeIsDue = true;
  /** Whether a change of the model has left vectors that the housekeeping must delete. */
  vectorRemovalIsDue = false;
  /** Whether the transaction of a group has one call, so that undoing the call is undoing the transaction. */
  hasOneCall = false;
  readonly wordChanges: WordChange[] = [];
  wordMergeIsDue = true;
  /** Those of the last start may be in the file. */
  wordRemovals = 1;

  /** The words of a content are added or removed at the end of the transaction. */
  changeWords(kind: WordChange["kind"], project: number, contentRevision: number, text: string): void {
    this.wordChanges.push({ kind, project, contentRevision, text });
  }

  /** @returns a function that discards what was added later, for a savepoint that is rolled back. */
  savepoint(): () => void {
    const length = this.wordChanges.length;
    return () => {
      this.wordChanges.length = length;
      this.callers.clear();
    };
  }

  rolledBack(): void {
    this.wordChanges.length = 0;
    this.callers.clear();
  }
}
