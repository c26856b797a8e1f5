// Owns the keyword scores of memories. Pure; the storage engine finds the memories that contain each word.

import { queryTermsMax } from "../../platform/limits.ts";

/** A word of a query that counts. */
interface CountedWord {
  /** Its position among the words of the query. */
  readonly at: number;
  /** Its weight, relative to the sum of all weights. */
  readonly share: number;
}

/**
 * The words that count, in the order of the query. The keyword score of a memory, 0..1, is the sum of the shares of the words that it
 * contains, added in this order, so that floating-point sums do not depend on the source of the rows. 0: none of the words, 1: all
 * (rounding may add a little). Repetitions of a word and the length of the memory are ignored: measurements show that counts only add
 * noise, and that a length factor hides long memories that contain the answer.
 *
 * @param containing for each distinct word of the query: how many of the searched memories contain it
 * @param searched number of memories searched
 */
export function countedWords(containing: readonly number[], searched: number): CountedWord[] {
  const counted = rarest(containing);
  const weights = counted.map((at) => weightOf(searched, containing[at] ?? 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return counted.map((at, index) => ({ at, share: (weights[index] ?? 0) / total }));
}

/**
 * The square of the word's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)) as in BM25 (Robertson and Zaragoza
 * 2009): once for the query and once for the memory, as in the vector space model (Salton and Buckley 1988). A word that no memory
 * contains has a weight too, so a memory without this word cannot have the score 1.
 */
function weightOf(searched: number, containing: number): number {
  return Math.log(1 + (searched - containing + 0.5) / (containing + 0.5)) ** 2;
}

/** If a query has too many words, only those in the fewest memories, but in at least one, are used. @returns their positions */
function rarest(containing: readonly number[]): number[] {
  const all = [...containing.keys()];
  if (all.length <= queryTermsMax) return all;
  const countOf = (at: number) => containing[at] ?? 0;
  const found = all.filter((at) => countOf(at) > 0);
  return found
    .sort((a, b) => countOf(a) - countOf(b))
    .slice(0, queryTermsMax)
    .sort((a, b) => a - b);
}
