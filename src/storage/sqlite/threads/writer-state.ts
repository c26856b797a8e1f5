// Owns what the writer remembers between calls. What a transaction noted here is forgotten when it is rolled back.

import type { Caller } from "../../../access/caller.ts";
import { createIdSource, type IdSource } from "../../../ids.ts";
import type { WordChange, WordState } from "../memories/word-changes.ts";

export interface MemoryTouch {
  /** Id of the project. */
  readonly project: string;
  readonly at: number;
}

export class WriterState implements WordState {
  readonly createId: IdSource = createIdSource();
  /** By memory id and by key id; flushed within a second. Losing them in a crash loses only access times. */
  readonly touchedMemories = new Map<string, MemoryTouch>();
  readonly touchedKeys = new Map<string, number>();
  /** By key id. Exact, because only this thread changes keys and projects, and every change or undoing of one empties it. */
  readonly callers = new Map<string, Caller>();
  /** Whether a dead pool may be waiting for the purge. */
  purgeIsDue = true;
  readonly wordChanges: WordChange[] = [];
  wordMergeIsDue = true;
  wordErasureIsDue = true;

  noteWords(kind: WordChange["kind"], project: number, contentRevision: number, text: string): void {
    this.wordChanges.push({ kind, project, contentRevision, text });
  }

  /** @returns a function that forgets what was noted later, for a savepoint that is rolled back. */
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
