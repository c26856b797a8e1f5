// Owns how memories are ranked. The formula stands here once; engines use it, none repeats it.

export const relevanceWeight = 0.7;
export const importanceWeight = 0.3;

/** How far a keyword score of 1 goes towards full relevance by itself. */
export const keywordWeight = 0.7;

/**
 * How relevant a memory is to a query that has words, 0..1, from its similarity and its keyword score, both 0..1: either is
 * evidence by itself, and what one leaves open the other can still close (a noisy or, Pearl 1988). Without any word it is the
 * similarity, so relevance means the same in every search; it never falls when one of the two grows, and never moves further
 * than they do. Other ways to join them find as much, but this one spreads what is relevant furthest from what is not,
 * so that importance disturbs the order least. Any weight from 0.6 to 0.9 does about as well.
 */
export function relevance(similarity: number, keyword: number): number {
  return similarity + (1 - similarity) * keywordWeight * Math.min(1, keyword);
}

/** Relevance in any search; `keyword` is undefined when the query has no words. */
export function relevanceOf(similarity: number, keyword: number | undefined): number {
  return keyword === undefined ? similarity : relevance(similarity, keyword);
}

/** What brought a hit here: its words when they are the stronger evidence, else its meaning. */
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
 * How far from 1 the square of a stored vector's length may be. Rounding the components to float32 moves it by 2^-23 at most, so a
 * plain dot product can be 0.9999999 where two vectors are the same.
 */
export const squaredLengthTolerance = 2 ** -22;

/** Whether a vector can be stored and compared: any other would break every later search of its project. */
export function isUnitVector(vector: Float32Array, dimensions: number | undefined): boolean {
  return vector.length === dimensions && Math.abs(squaredLength(vector) - 1) <= squaredLengthTolerance;
}

/** Similarities are multiples of 1 / this. */
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

/** The dot product of a vector with itself, accumulated in float64. */
export function squaredLength(vector: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    const x = vector[index] ?? 0;
    sum += x * x;
  }
  return sum;
}
