// Owns how relevant a memory has to be for a prompt that names no floor: more relevant than the best memories of this project are to prompts
// that have nothing to do with them. Pure.

import { rowsOf } from "./scan/vector-matrix.ts";
import { dotProduct } from "./scores.ts";

/** How relevant memories are to unrelated prompts. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
}

/**
 * Chosen together on 60 prompts of tasks with their memories and 80 unrelated prompts, in stores of 25 to 1,900 memories (bench/everyday), so that an
 * unrelated prompt gets less than one memory, and nine of ten right memories among the first three are kept.
 */
const growth = 0.7;
/** Of so few memories that one alone decides, about 4 % of the unrelated ones are above it. */
const least = 1.75;
const needWeight = 1.5;

/**
 * Of more memories, the best one for an unrelated prompt is better: for relevances whose tail is exponential, by the logarithm of their
 * number (Gumbel 1958). A prompt of the kind that memories help with needs less evidence than one of the other kind, as with prior odds.
 *
 * @param need as of `createNeedMeasure`
 */
export function relevanceFloor({ mean, deviation }: Spread, memories: number, need: number): number {
  const reached = mean + deviation * Math.max(least, growth * Math.log(memories + 1));
  // What is no nearer than many unrelated prompts are is no evidence, whatever the prompt is.
  return Math.min(1, Math.max(0, mean + deviation, reached - needWeight * need));
}

/**
 * How much nearer a prompt is to the mean of prompts that memories help with than to that of unrelated ones: 0 in the middle, greater if memories help.
 *
 * @param helped vectors of prompts
 * @param unrelated as `helped`
 */
export function createNeedMeasure(helped: readonly Float32Array[], unrelated: readonly Float32Array[]) {
  const near = meanOf(helped);
  const far = meanOf(unrelated);
  const middle = (dotProduct(near, near) - dotProduct(far, far)) / 2;
  return (prompt: Float32Array): number => dotProduct(prompt, near) - dotProduct(prompt, far) - middle;
}

function meanOf(rows: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(rows[0]?.length ?? 0);
  for (const row of rows)
    for (const [at, value] of row.entries()) mean[at] = (mean[at] ?? 0) + value / rows.length;
  return mean;
}

interface CountedSpread extends Spread {
  readonly memories: number;
}

/** Of all memories of several groups: as if they were one group (pooled mean and variance). */
export function spreadOfAll(groups: readonly CountedSpread[]): CountedSpread {
  const [only] = groups;
  if (only !== undefined && groups.length === 1) return only;
  const memories = groups.reduce((sum, group) => sum + group.memories, 0);
  const meanOfGroups = (numberOf: (group: CountedSpread) => number) =>
    groups.reduce((sum, group) => sum + numberOf(group) * group.memories, 0) / Math.max(1, memories);
  const mean = meanOfGroups((group) => group.mean);
  const square = meanOfGroups((group) => group.deviation ** 2 + group.mean ** 2);
  return { mean, deviation: Math.sqrt(Math.max(0, square - mean * mean)), memories };
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
