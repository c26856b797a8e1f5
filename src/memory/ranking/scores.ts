// Owns the scores by which memories are ranked. The formula is defined only here; every storage engine uses it.

export const relevanceWeight = 0.7;
export const importanceWeight = 0.3;

/** The relevance of a memory with keyword score 1 and similarity 0. */
const keywordWeight = 0.7;

/**
 * Relevance of a memory to a query that has words, 0..1, from its similarity and its keyword score, both 0..1. Each of the two is
 * independent evidence (noisy-or, Pearl 1988). With keyword score 0 it equals the similarity, so relevance means the same in every search.
 * It never decreases when one of the two increases, and never changes by more than they do. Other combinations find as much, but this one
 * separates relevant from irrelevant memories most, so that importance changes the order least. Any weight from 0.6 to 0.9 gives similar
 * results.
 */
export function relevance(similarity: number, keyword: number): number {
  return similarity + (1 - similarity) * keywordWeight * Math.min(1, keyword);
}

/** At least `relevance`: without the limit of the keyword score, and for similarities from 0 to more than 1. Fast. */
export function relevanceAtMost(similarity: number, keyword: number): number {
  return similarity + (1 - similarity) * keywordWeight * keyword;
}

/** Relevance in any search; `keyword` is undefined when the query has no words. */
export function relevanceOf(similarity: number, keyword: number | undefined): number {
  return keyword === undefined ? similarity : relevance(similarity, keyword);
}

/** Whether a hit was found by keywords or by meaning: the stronger evidence decides. */
export function sourceOf({ similarity, keyword }: { similarity: number; keyword: number }) {
  return keywordWeight * keyword > similarity ? "keyword" : "semantic";
}

/**
 * `relevance` (of a search by meaning alone: the similarity) and `importance` in 0..1; the result is unrounded, so a client
 * can compute it again.
 */
export function finalScore(relevance: number, importance: number): number {
  return relevance * relevanceWeight + importance * importanceWeight;
}

/**
 * The squared length of a stored vector differs from 1 by at most this. Rounding the components to float32 changes it by 2^-23 at most, so
 * the plain dot product of two equal vectors can be 0.9999999.
 */
export const squaredLengthTolerance = 2 ** -22;

/** Whether a vector can be stored and compared: any other would break every later search of its project. */
export function isUnitVector(vector: Float32Array, dimensions: number | undefined): boolean {
  return vector.length === dimensions && Math.abs(squaredLength(vector) - 1) <= squaredLengthTolerance;
}

/** Similarities are rounded to multiples of 1 / similaritySteps. */
const similaritySteps = 1e9;
export const similarityRounding = 0.5 / similaritySteps;

/**
 * Cosine of two vectors, accumulated in float64, rounded to nine decimals and clamped to 0..1. This is the similarity that clients
 * see and that thresholds are compared with; faster approximations only choose candidates for it. It is exactly 1 for a text and
 * itself: the function divides by both lengths, and a model that embeds texts in batches may change the last digits of a vector,
 * which changes the cosine by their square.
 *
 * @param squaredLengthOfA pass it when one vector is compared with many, so that it is computed once
 */
export function cosine(
  a: Float32Array,
  b: Float32Array,
  squaredLengthOfA: number = squaredLength(a),
): number {
  let dot = 0;
  let squaredLengthOfB = 0;
  // No destructured pairs: they make this loop ten times slower, and a search runs it for each candidate.
  for (let index = 0; index < a.length; index++) {
    const y = b[index] ?? 0;
    dot += (a[index] ?? 0) * y;
    squaredLengthOfB += y * y;
  }
  const exact = dot / Math.sqrt(squaredLengthOfA * squaredLengthOfB);
  return Math.min(1, Math.max(0, Math.round(exact * similaritySteps) / similaritySteps));
}

/** The dot product of a vector with itself. */
export function squaredLength(vector: Float32Array): number {
  return dotProduct(vector, vector);
}

/** Accumulated in float64. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
