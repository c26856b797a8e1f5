// Owns what a scan needs to know of the words of a query: the memories that contain them, and what each word counts. Pure; exact.

import { queryTermsMax } from "../../platform/limits.ts";
import { countedWords } from "./keyword-scores.ts";
import { nearWordsMax, nearWordsOfQueryMax } from "./limits.ts";
import { canBeMistyped } from "./near-words.ts";
import { countWithin, type SlotSet } from "./scan/slot-set.ts";
import { queryWords } from "./words.ts";

interface Counted<Holders> {
  readonly holders: Holders;
  readonly count: number;
}

/** The searched memories that contain a word, or any of several with a space between two. Null: a part was read, call it again. */
export type CountHolders<Holders> = (words: string) => Counted<Holders> | null;

/**
 * The words of the project that are one typing error away from a word, in alphabetical order, and possibly words that no memory has. Null:
 * a part was read, call it again.
 */
export type ReadNearWords = (word: string) => readonly string[] | null;

/** Reads the database, and pauses after each part of some milliseconds, so that others can have their turns. */
export type Reading<Result> = Generator<undefined, Result, undefined>;

/** The memories of one owner that a query searches. */
export interface SearchedOwner<Holders> {
  readonly count: CountHolders<Holders>;
  readonly nearWords: ReadNearWords;
  /** How many they are. */
  readonly searched: number;
}

/** As CountHolders, by slots of an index. @param eligible the slots that the query can return, as bits */
export function countSlots(
  holdersOf: (words: string) => SlotSet | null,
  eligible: Uint32Array,
): CountHolders<SlotSet> {
  return (words) => {
    const holders = holdersOf(words);
    return holders === null ? null : { holders, count: countWithin(holders, eligible) };
  };
}

/** The words of a query that count among the memories of all owners, as if these were one, with the holders of each owner. */
export function keywordsOfOwners<Holders>(
  text: string,
  owners: readonly SearchedOwner<Holders>[],
): Reading<readonly { readonly share: number; readonly holders: readonly Holders[] }[]> {
  const count: CountHolders<readonly Holders[]> = (words) => {
    const counted = readAll(owners, (owner) => owner.count(words));
    if (counted === null) return null;
    return {
      holders: counted.map(({ holders }) => holders),
      count: counted.reduce((sum, each) => sum + each.count, 0),
    };
  };
  const nearWords: ReadNearWords = (word) => {
    const near = readAll(owners, (owner) => owner.nearWords(word));
    if (near === null) return null;
    return near.length === 1 ? (near[0] ?? []) : [...new Set(near.flat())].toSorted();
  };
  const searched = owners.reduce((sum, owner) => sum + owner.searched, 0);
  return countedKeywords(text, count, nearWords, searched);
}

/** Null: one of them has to be read again. */
function readAll<Item, Value>(items: readonly Item[], read: (item: Item) => Value | null): Value[] | null {
  const values: Value[] = [];
  for (const item of items) {
    const value = read(item);
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

/**
 * The words of a query that count, in their order. A word that no searched memory contains counts for the memories that contain one of
 * those near it, as if it were one word with all of them.
 *
 * @param searched number of memories searched
 */
function* countedKeywords<Holders>(
  text: string,
  countHolders: CountHolders<Holders>,
  nearWords: ReadNearWords,
  searched: number,
): Reading<readonly { readonly share: number; readonly holders: Holders }[]> {
  const words = queryWords(text);
  const kept = new RarestHolders<Holders>(words.length);
  const containing: number[] = [];
  let corrected = 0;
  for (const [at, word] of words.entries()) {
    let counted = yield* complete(() => countHolders(word));
    if (counted.count === 0 && canBeMistyped(word) && corrected < nearWordsOfQueryMax) {
      corrected += 1;
      counted = yield* holdersOfNear(yield* complete(() => nearWords(word)), countHolders, counted);
    }
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

/** @param none when no searched memory has one of them */
function* holdersOfNear<Holders>(
  near: readonly string[],
  countHolders: CountHolders<Holders>,
  none: Counted<Holders>,
): Reading<Counted<Holders>> {
  const held: string[] = [];
  for (const word of near) {
    if (held.length === nearWordsMax) break;
    const { count } = yield* complete(() => countHolders(word));
    if (count > 0) held.push(word);
    yield;
  }
  return held.length === 0 ? none : yield* complete(() => countHolders(held.join(" ")));
}

/** Reads until everything is there. */
function* complete<Result>(read: () => Result | null): Reading<Result> {
  let result = read();
  for (; result === null; result = read()) yield;
  return result;
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
