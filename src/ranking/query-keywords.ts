// Owns what a scan needs to know of the words of a query: the memories that contain them, and what each word counts. Pure; exact.

import { queryTermsMax } from "../limits.ts";
import { countedWords } from "./keyword-scores.ts";
import type { WordHolders } from "./scan-task.ts";
import { countWithin, noSlots, type SlotSet } from "./slot-set.ts";
import { queryWords } from "./words.ts";

/** As PostingLists.holdersOf: null when it has to be called again. */
type HoldersOf = (word: string) => SlotSet | null;

/**
 * The words of a query that count, in their order, with the slots that contain them. A generator, because reading and counting a word may
 * take milliseconds: it pauses after each part, so that its caller can let others have their turns.
 *
 * @param text of the query
 * @param eligible the slots that the query can return, as bits
 * @param searched how many they are
 */
export function* keywordsOf(
  text: string,
  holdersOf: HoldersOf,
  eligible: Uint32Array,
  searched: number,
): Generator<undefined, readonly WordHolders[], undefined> {
  const words = queryWords(text);
  const kept = new RarestHolders(words.length);
  const containing: number[] = [];
  for (const [at, word] of words.entries()) {
    let holders = holdersOf(word);
    for (; holders === null; holders = holdersOf(word)) yield;
    const count = countWithin(holders, eligible);
    containing.push(count);
    kept.add(at, count, holders);
    yield;
  }
  return countedWords(containing, searched).map(({ at, share }) => ({ share, holders: kept.of(at) }));
}

/** Of many words it keeps only the holders of those that can count, because hundreds of common words would need much memory. */
class RarestHolders {
  readonly #isLimited: boolean;
  readonly #kept = new Map<number, { readonly count: number; readonly holders: SlotSet }>();

  constructor(words: number) {
    this.#isLimited = words > queryTermsMax;
  }

  add(at: number, count: number, holders: SlotSet): void {
    if (count === 0) return;
    this.#kept.set(at, { count, holders });
    if (!this.#isLimited || this.#kept.size <= queryTermsMax) return;
    let most = -1;
    for (const [other, { count: others }] of this.#kept) {
      // Of equally rare words, the first ones of the query count.
      if (others >= (this.#kept.get(most)?.count ?? 0)) most = other;
    }
    this.#kept.delete(most);
  }

  of(at: number): SlotSet {
    return this.#kept.get(at)?.holders ?? noSlots;
  }
}
