// Owns how relevant a memory has to be for a prompt that names no floor: more relevant than the best memories of this project are to prompts
// that have nothing to do with them. Pure.

import { dotProduct } from "./scores.ts";
import { rowsOf } from "./vector-matrix.ts";

/** How relevant memories are to unrelated prompts. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
}

/** Chosen on stores of 25 to 2,000 memories (bench/everyday), so that an unrelated prompt gets at most one memory, and about as many in each of them. */
const growth = 0.75;
/** Of so few memories that one alone decides, about 3 % of the unrelated ones are above it. */
const least = 2;

/**
 * Of more memories, the best one for an unrelated prompt is better: for relevances whose tail is exponential, by the logarithm of their
 * number (Gumbel 1958).
 */
export function relevanceFloor({ mean, deviation }: Spread, memories: number): number {
  return Math.min(1, Math.max(0, mean + deviation * Math.max(least, growth * Math.log(memories + 1))));
}

/**
 * @param prompts vectors one behind the other, [prompts x dimensions]
 * @param sample vectors of memories
 */
export function spreadOf(prompts: Float32Array, sample: readonly Float32Array[]): Spread {
  let count = 0;
  let sum = 0;
  let squares = 0;
  const rows = rowsOf(prompts, sample[0]?.length ?? prompts.length);
  for (const memory of sample) {
    for (const prompt of rows) {
      const similarity = dotProduct(prompt, memory);
      count += 1;
      sum += similarity;
      squares += similarity * similarity;
    }
  }
  if (count === 0) return { mean: 0, deviation: 0 };
  const mean = sum / count;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}
