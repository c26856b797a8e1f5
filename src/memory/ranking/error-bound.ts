// Owns the error of a similarity that is computed in float32.

import { similarityRounding, squaredLengthTolerance } from "./scores.ts";

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
