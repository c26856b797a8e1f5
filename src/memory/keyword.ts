// Owns how well a memory meets the words of a query. Pure; where the words stand in memories is the engine's business.

/**
 * English words that ask. They are in the question and not in the answer, but in notes written as statements they are rare,
 * so that rarity alone would take them for telling. "may" and "us" are not among them: a month and a country.
 */
const askingWords = [
  ..."what which who whom whose when where why how do does did am is are was were".split(" "),
  ..."has have had can could will would shall should".split(" "),
];
const asking = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}])(?:${askingWords.join("|")})(?![\\p{L}\\p{M}\\p{N}])`,
  "giu",
);

/** The text of a query without the words that only ask; the text itself when nothing else is in it. */
export function tellingText(query: string): string {
  const rest = query.replace(asking, " ");
  return /[\p{L}\p{N}]/u.test(rest) ? rest : query;
}

/**
 * What each distinct word of a query is worth, in the order given; together 1, so that a memory's keyword score is the sum
 * of the shares of the words it contains: 0 none of them, 1 all. How often a word is repeated and how long the memory is
 * count nothing: memories are a sentence or two, and measured, both only add noise.
 *
 * A share grows with the square of the word's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)) as in BM25
 * (Robertson and Zaragoza 2009): once for the query and once for the memory, as in the vector space model (Salton and
 * Buckley 1988). A word that no memory contains has its share too: a query that is met in part is met in part.
 *
 * @param memories number of memories searched, N
 * @param containing for each word the number of memories that contain it, n
 */
export function wordShares(memories: number, containing: readonly number[]): number[] {
  const weights = containing.map((n) => Math.log(1 + (memories - n + 0.5) / (n + 0.5)) ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
