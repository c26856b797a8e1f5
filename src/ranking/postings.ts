// Owns a cache of postings: the memories of one project that contain a word, for recently used words. The content of a revision never
// changes, so postings are only appended; a deleted memory is marked by its row.

import { LRUCache } from "lru-cache";
import { cachedPostingsMax, cachedWordsMax } from "../limits.ts";

/** A memory that contains a word. */
interface Holder {
  /** -1 when the memory is deleted. */
  row: number;
}

/** @returns the content revisions that contain a word, ascending, from the given revision on. */
type WordLookup = (word: string, from: number) => readonly number[];

interface Entry<Of> {
  holders: Of[];
  /** Newest content revision that was read for this entry. */
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

  /** Estimated memory use in bytes. */
  get byteLength(): number {
    return this.#entries.calculatedSize * bytesPerPosting;
  }

  clear(): void {
    this.#entries.clear();
  }

  /**
   * The memories that contain the word, each once, in the order of their content revisions; some may be deleted. `newest` is the newest
   * revision of the database in this transaction, `find` returns the memory with a content revision.
   */
  holdersOf(word: string, newest: number, find: (contentRevision: number) => Of | undefined): readonly Of[] {
    const entry = this.#entries.get(word) ?? { holders: [], newest: -1 };
    if (entry.newest === newest) return entry.holders;
    const holders = entry.holders.filter(({ row }) => row >= 0);
    for (const revision of this.#lookUp(word, entry.newest + 1)) {
      const holder = find(revision);
      if (holder !== undefined) holders.push(holder);
    }
    this.#entries.delete(word); // setting the same value again would keep its former size
    this.#entries.set(word, { holders, newest });
    return holders;
  }
}
