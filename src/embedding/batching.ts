// Decides whether texts may share one run of the model. Must never let a batch change a text's vector.
//
// Dynamic int8 quantisation scales activations by the largest value in the whole tensor, neighbours and padding included, so
// the same text can get another vector in another batch (cosine 0.976 seen). Then every text runs alone, which on one thread
// costs little: the model, not the call, takes the time.

import { cosine } from "../ranking/scores.ts";
import type { Inference } from "./inference.ts";
import type { Tokenize } from "./tokenizer.ts";

/** The least cosine between a text's vector alone and in a batch. */
export const sameVectorCosine = 0.9999;
/** Below this gain a batch is not worth the wait of the texts in it. */
const worthwhileGain = 1.15;

/** Few and short, because every start of the server waits for them. */
const probes = [
  "ok",
  "Use bun@1.4.5, see https://example.com/?tag=v1.4.5 ✅",
  "Deploys happen on Thursday at 14:00 UTC, never on Friday.",
  `A longer note: ${"the quick brown fox jumps over the lazy dog; ".repeat(4)}`,
] as const;

/** True when texts of different lengths keep their vectors in one batch, and texts of one length run faster together. */
export function mayBatch(
  tokenize: Tokenize,
  inference: Inference,
  dimensions: number,
  now = () => performance.now(),
): boolean {
  const texts = probes.map((text) => tokenize(text, "passage"));
  const together = embedTogether(inference, texts, dimensions);
  for (const [row, ids] of texts.entries()) {
    const alone = embedAlone(inference, [ids], dimensions);
    if (!(cosine(alone, together.subarray(row * dimensions, (row + 1) * dimensions)) >= sameVectorCosine))
      return false;
  }
  const copies = Array.from({ length: 8 }, () => texts[2] ?? []);
  const singly = elapsedMs(() => embedAlone(inference, copies, dimensions), now);
  const jointly = elapsedMs(() => embedTogether(inference, copies, dimensions), now);
  return singly >= jointly * worthwhileGain;
}

/** One run for all. Rows [texts x dimensions]. */
export function embedTogether(
  inference: Inference,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  inference.run(texts, rows);
  return rows;
}

/** One run per text. Rows [texts x dimensions]. */
export function embedAlone(
  inference: Inference,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  for (const [row, ids] of texts.entries()) inference.run([ids], rows.subarray(row * dimensions));
  return rows;
}

/**
 * Runs texts of similar length together, so that little time goes into padding: sorted by length, a bucket ends where the
 * longest is more than a quarter longer than the shortest, or at eight texts.
 */
export function embedInBuckets(
  inference: Inference,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  const sorted = [...texts.entries()].sort(([, a], [, b]) => a.length - b.length);
  while (sorted.length > 0) {
    const shortest = sorted[0]?.[1].length ?? 0;
    const end = sorted.findIndex(([, ids], index) => index === 8 || ids.length > shortest * 1.25 + 4);
    const bucket = sorted.splice(0, end < 0 ? sorted.length : end);
    const vectors = embedTogether(
      inference,
      bucket.map(([, ids]) => ids),
      dimensions,
    );
    for (const [position, [row]] of bucket.entries()) {
      rows.set(vectors.subarray(position * dimensions, (position + 1) * dimensions), row * dimensions);
    }
  }
  return rows;
}

/** The better of two, since the first run of a shape allocates. */
function elapsedMs(work: () => void, now: () => number): number {
  const times = [0, 1].map(() => {
    const start = now();
    work();
    return now() - start;
  });
  return Math.min(...times);
}
