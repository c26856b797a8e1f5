// Owns what the writer remembers between calls. What a lost transaction changed here is forgotten with it.

import type { Caller } from "../../../access/caller.ts";
import type { ChainHead } from "../../../audit/chain.ts";
import { createIdSource, type IdSource } from "../../../ids.ts";
import type { KnownHeads } from "../ledger/known-heads.ts";
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

  readonly knownHeads: KnownHeads;
  #revision: number;
  readonly #heads = new Map<string | null, ChainHead & { readonly number: number }>();
  readonly #movedHeads = new Set<string | null>();

  constructor(lastRevision: number, knownHeads: KnownHeads) {
    this.knownHeads = knownHeads;
    this.#revision = lastRevision;
  }

  /** Strictly increasing; gaps mean nothing. */
  nextRevision(): number {
    return ++this.#revision;
  }

  noteWords(kind: WordChange["kind"], project: number, contentRevision: number, text: string): void {
    this.wordChanges.push({ kind, project, contentRevision, text });
  }

  headOf(project: string | null): (ChainHead & { readonly number: number }) | undefined {
    return this.#heads.get(project);
  }

  moveHead(project: string | null, head: ChainHead & { readonly number: number }): void {
    this.#heads.set(project, head);
    this.#movedHeads.add(project);
    this.knownHeads.moved(head);
  }

  committed(): void {
    this.knownHeads.committed();
    this.#movedHeads.clear();
  }

  /** Heads that the lost transaction moved are read from the database again. */
  lost(): void {
    this.wordChanges.length = 0;
    this.callers.clear();
    this.knownHeads.lost();
    for (const project of this.#movedHeads) this.#heads.delete(project);
    this.#movedHeads.clear();
  }
}
