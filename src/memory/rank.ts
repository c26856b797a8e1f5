// Owns how memories are ranked. The formula stands here once; engines use it, none repeats it.

export const relevanceWeight = 0.7;
export const importanceWeight = 0.3;

/** Shares of meaning and words in the relevance of a hybrid search. */
export const similarityWeight = 0.7;
export const keywordWeight = 0.3;

/** How relevant a memory is to a query that has words, 0..1, from its similarity and its keyword score, both 0..1. */
export function relevance(similarity: number, keyword: number): number {
  return similarity * similarityWeight + keyword * keywordWeight;
}

/** What brought a hit here: its words when they weigh more in its relevance than its meaning. */
export function sourceOf({ similarity, keyword }: { similarity: number; keyword: number }) {
  return keyword * keywordWeight > similarity * similarityWeight ? "keyword" : "semantic";
}

/**
 * `relevance` (of a search by meaning alone: the similarity) and `importance` in 0..1; the result is unrounded, so a client
 * can compute it again.
 */
export function finalScore(relevance: number, importance: number): number {
  return relevance * relevanceWeight + importance * importanceWeight;
}

/**
 * Cosine of two L2-normalised vectors, accumulated in float64 and clamped to 0..1.
 * This is the similarity that clients see; faster approximations only choose candidates for it.
 */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return Math.min(1, Math.max(0, sum));
}
