// Holds which memories of one project contain a word, for the words that were asked for lately. A cache: a content never changes
// under its revision, so entries are only added behind the last one, and what is gone is marked by its memory.

import { LRUCache } from "lru-cache";
import { cachedPostingsMax, cachedWordsMax } from "../limits.ts";

/** Something that a word points to. */
export interface Holder {
  /** -1 when it is gone. */
  row: number;
}

/** @returns the content revisions that contain a word, in their order, from one revision on. */
export type WordLookup = (word: string, from: number) => readonly number[];

interface Entry<Of> {
  holders: Of[];
  /** Newest content revision that this entry has seen. */
  newest: number;
}

const bytesPerPosting = 8;

export class Postings<Of extends Holder> {
  readonly #lookUp: WordLookup;
  readonly #entries = new LRUCache<string, Entry<Of>>({
    max: cachedWordsMax,
    maxSize: cachedPostingsMax,
    sizeCalculation: ({ holders }) => holders.length + 1,
  });

  constructor(lookUp: WordLookup) {
    this.#lookUp = lookUp;
  }

  /** Bytes held, estimated. */
  get byteLength(): number {
    return this.#entries.calculatedSize * bytesPerPosting;
  }

  clear(): void {
    this.#entries.clear();
  }

  /**
   * All that contain the word, each once, in the order of their contents; some may be gone. `newest` is the newest revision of the
   * database as it is read, `find` gives what has a content revision.
   */
  holdersOf(word: string, newest: number, find: (contentRevision: number) => Of | undefined): readonly Of[] {
    const entry = this.#entries.get(word) ?? { holders: [], newest: -1 };
    if (entry.newest === newest) return entry.holders;
    const staying = entry.holders.filter(({ row }) => row >= 0);
    for (const revision of this.#lookUp(word, entry.newest + 1)) {
      const holder = find(revision);
      if (holder !== undefined) staying.push(holder);
    }
    this.#entries.delete(word); // setting the same value again would keep its former size
    this.#entries.set(word, { holders: staying, newest });
    return staying;
  }
}
