// Owns what a scan needs to know of the words of a query: the memories that contain them, and what each word counts. Pure; exact.

import { queryTermsMax } from "../limits.ts";
import { countedWords } from "./keyword-scores.ts";
import type { WordHolders } from "./scan-task.ts";
import { countWithin, type SlotSet } from "./slot-set.ts";
import { queryWords } from "./words.ts";

/** The searched memories that contain a word. Null: a part was read, call it again. */
export type CountHolders<Holders> = (
  word: string,
) => { readonly holders: Holders; readonly count: number } | null;

/** Reads the database, and pauses after each part of some milliseconds, so that others can have their turns. */
export type Reading<Result> = Generator<undefined, Result, undefined>;

/**
 * The words of a query that count, in their order, with the slots of an index that contain them.
 *
 * @param text of the query
 * @param holdersOf null when it has to be called again
 * @param eligible the slots that the query can return, as bits
 * @param searched how many they are
 */
export function keywordsOf(
  text: string,
  holdersOf: (word: string) => SlotSet | null,
  eligible: Uint32Array,
  searched: number,
): Reading<readonly WordHolders[]> {
  const count: CountHolders<SlotSet> = (word) => {
    const holders = holdersOf(word);
    return holders === null ? null : { holders, count: countWithin(holders, eligible) };
  };
  return countedKeywords(text, count, searched);
}

/** The words of a query that count, in their order. @param searched number of memories searched */
export function* countedKeywords<Holders>(
  text: string,
  countHolders: CountHolders<Holders>,
  searched: number,
): Reading<readonly { readonly share: number; readonly holders: Holders }[]> {
  const words = queryWords(text);
  const kept = new RarestHolders<Holders>(words.length);
  const containing: number[] = [];
  for (const [at, word] of words.entries()) {
    let counted = countHolders(word);
    for (; counted === null; counted = countHolders(word)) yield;
    containing.push(counted.count);
    kept.add(at, counted.count, counted.holders);
    yield;
  }
  return countedWords(containing, searched).flatMap(({ at, share }) => {
    const holders = kept.of(at);
    // A word that no searched memory contains adds nothing.
    return holders === undefined ? [] : [{ share, holders }];
  });
}

/** Of many words it keeps only the holders of those that can count, because hundreds of common words would need much memory. */
class RarestHolders<Holders> {
  readonly #isLimited: boolean;
  readonly #kept = new Map<number, { readonly count: number; readonly holders: Holders }>();

  constructor(words: number) {
    this.#isLimited = words > queryTermsMax;
  }

  add(at: number, count: number, holders: Holders): void {
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

  of(at: number): Holders | undefined {
    return this.#kept.get(at)?.holders;
  }
}
