// Owns the keyword scores of rows in one pass over all of them, which the test engine has, and with which scans are compared.

import { countedWords } from "../../../src/memory/ranking/keyword-scores.ts";

/**
 * Keyword scores of all rows, Float64Array [rows].
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
  const counts = holders.map(({ length }) => length);
  for (const { at, share } of countedWords(counts, searched)) {
    for (const row of holders[at] ?? []) scores[row] = (scores[row] ?? 0) + share;
  }
  return scores;
}
