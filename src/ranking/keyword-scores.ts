// Owns the keyword scores of memories. Pure; the storage engine finds the memories that contain each word.

import { queryTermsMax } from "../limits.ts";

/**
 * Keyword scores of all rows, 0..1, Float64Array [rows]: the sum of the weights of the query words that a memory contains, relative to the
 * sum of all weights; 0: none of the words, 1: all (rounding may add a little). Repetitions of a word and the length of the memory are
 * ignored: measurements show that counts only add noise, and that a length factor hides long memories that contain the answer.
 *
 * @param holders for each distinct word of the query: the searched rows that contain it, each row once
 * @param rows number of rows, including rows that are not searched
 * @param searched number of rows searched
 */
export function keywordScores(
  holders: readonly (readonly number[])[],
  rows: number,
  searched: number,
): Float64Array {
  const scores = new Float64Array(rows);
  const counted = rarest(holders);
  const weights = counted.map(({ length }) => weightOf(searched, length));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (const [at, containing] of counted.entries()) {
    const share = (weights[at] ?? 0) / total;
    for (const row of containing) scores[row] = (scores[row] ?? 0) + share;
  }
  return scores;
}

/**
 * The square of the word's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)) as in BM25 (Robertson and Zaragoza
 * 2009): once for the query and once for the memory, as in the vector space model (Salton and Buckley 1988). A word that no memory
 * contains has a weight too, so a memory without this word cannot have the score 1.
 */
function weightOf(searched: number, containing: number): number {
  return Math.log(1 + (searched - containing + 0.5) / (containing + 0.5)) ** 2;
}

/**
 * If a query has too many words, only those in the fewest memories, but in at least one, are used. They stay in the order of the query, so
 * that floating-point sums do not depend on the source of the rows.
 */
function rarest(holders: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (holders.length <= queryTermsMax) return holders;
  const found = holders.filter(({ length }) => length > 0);
  const selected = new Set(found.toSorted((a, b) => a.length - b.length).slice(0, queryTermsMax));
  return found.filter((each) => selected.has(each));
}
