// Owns how well memories meet the words of a query. Pure; where the words stand in memories is the engine's business.

import { queryTermsMax } from "../limits.ts";

/**
 * Keyword scores of all rows, 0..1, Float64Array [rows]: the shares of the query's words that a memory contains, added up; 0 none of
 * them, 1 all (rounding may add a little). How often a word is repeated and how long the memory is count nothing: measured, counts
 * only add noise, and a factor for length hides long memories that hold the answer.
 *
 * @param holders for each distinct word of the query the rows searched that contain it, each row once
 * @param rows number of rows, those that are not searched included
 * @param searched number of rows searched
 */
export function keywordScores(
  holders: readonly (readonly number[])[],
  rows: number,
  searched: number,
): Float64Array {
  const scores = new Float64Array(rows);
  const counted = rarest(holders);
  const weights = counted.map(({ length }) => weigh(searched, length));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  for (const [at, containing] of counted.entries()) {
    const share = (weights[at] ?? 0) / total;
    for (const row of containing) scores[row] = (scores[row] ?? 0) + share;
  }
  return scores;
}

/**
 * The square of the word's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)) as in BM25 (Robertson and Zaragoza
 * 2009): once for the query and once for the memory, as in the vector space model (Salton and Buckley 1988). A word that no
 * memory contains has its weight too: a query that is met in part is met in part.
 */
function weigh(searched: number, containing: number): number {
  return Math.log(1 + (searched - containing + 0.5) / (containing + 0.5)) ** 2;
}

/**
 * Of a query with too many words those that fewest memories contain, but one at least; all others count nothing. They stay in
 * the order of the query, so that a sum does not depend on where the rows came from.
 */
function rarest(holders: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (holders.length <= queryTermsMax) return holders;
  const found = holders.filter(({ length }) => length > 0);
  const kept = new Set(found.toSorted((a, b) => a.length - b.length).slice(0, queryTermsMax));
  return found.filter((each) => kept.has(each));
}
