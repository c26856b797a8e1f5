// Owns how memories are ranked. The formula stands here once; engines use it, none repeats it.

export const similarityWeight = 0.7;
export const importanceWeight = 0.3;

/** `similarity` and `importance` in 0..1; the result is unrounded, so a client can compute it again. */
export function finalScore(similarity: number, importance: number): number {
  return similarity * similarityWeight + importance * importanceWeight;
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
