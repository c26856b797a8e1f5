// Owns the choice of candidates that makes a search result exact: from approximate similarities it chooses every row that can be among the
// top K. Pure. The other rows cannot be in the result, whatever their exact similarity is.

import {
  finalScore,
  relevanceOf,
  relevanceWeight,
  similarityRounding,
  squaredLengthTolerance,
} from "./scores.ts";

/**
 * The maximum difference between a score and the similarity (`cosine` in ranking/scores.ts) of two float32 unit vectors. For
 * any order of summation, with or without fused multiply-add, the dot product has |error| <= g * sum |x_i * y_i| <= g * |x| * |y|
 * with g = d * u / (1 - d * u) and u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The factor
 * 1.001 covers lengths slightly above 1 because of rounding. If both squared lengths are between 1 - t and 1 + t, the root of their product
 * is too, and division by it changes the dot product by t at most, apart from terms of t * t, which are covered by using 2 * t.
 */
export function scoreErrorBound(dimensions: number): number {
  const product = dimensions * 2 ** -24;
  return (1.001 * product) / (1 - product) + 2 * squaredLengthTolerance + similarityRounding;
}

export interface ApproximateRows {
  readonly length: number;
  /** Approximate dot products with the query, [length]. */
  readonly similarities: Float32Array;
  /** Exact keyword scores, [length]; null when the query has no words. */
  readonly keywords: Float64Array | null;
  importanceOf(row: number): number;
  isEligible(row: number): boolean;
}

interface CandidateLimits {
  readonly topK: number;
  /** Cosine, 0..1; rows below it are excluded. */
  readonly minSimilarity: number;
  /** The maximum difference between an approximate similarity and the exact one. */
  readonly errorBound: number;
}

/**
 * Rows that may be among the `topK` best by final score. `floor` is the K-th best lower bound of rows that certainly pass the threshold: a
 * row whose upper bound is below it cannot be in the result.
 */
export function chooseCandidates(
  rows: ApproximateRows,
  { topK, minSimilarity, errorBound }: CandidateLimits,
): number[] {
  // Relevance never changes by more than similarity (scores.ts), so the same margin is correct for hybrid searches.
  const margin = relevanceWeight * errorBound;
  const best = new LowestOfBest(topK);
  let floor = Number.NEGATIVE_INFINITY;
  const possible: number[] = [];
  const upperBounds: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (!rows.isEligible(row)) continue;
    // Limited to 0..1 like the exact similarity, so that opposite vectors pass a threshold of 0. This never increases an error.
    const similarity = Math.min(1, Math.max(0, rows.similarities[row] ?? 0));
    if (similarity + errorBound < minSimilarity) continue;
    const score = finalScore(relevanceOf(similarity, rows.keywords?.[row]), rows.importanceOf(row));
    if (score + margin < floor) continue;
    if (score - margin > floor && (similarity - errorBound >= minSimilarity || minSimilarity <= 0))
      floor = best.add(score - margin);
    possible.push(row);
    upperBounds.push(score + margin);
  }
  return possible.filter((_, index) => (upperBounds[index] ?? 0) >= floor);
}

/** The K best values so far, of which only the lowest is needed. K is at most 50, so insertion is faster than a heap. */
class LowestOfBest {
  readonly #capacity: number;
  readonly #ascending: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** @returns the K-th best value now, or minus infinity while there are fewer than K. */
  add(value: number): number {
    let at = this.#ascending.length;
    while (at > 0 && (this.#ascending[at - 1] ?? 0) > value) at--;
    this.#ascending.splice(at, 0, value);
    if (this.#ascending.length > this.#capacity) this.#ascending.shift();
    return this.#ascending.length < this.#capacity ? Number.NEGATIVE_INFINITY : (this.#ascending[0] ?? 0);
  }
}
