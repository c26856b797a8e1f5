// Decides whether several texts are embedded in one run of the model. A batch must never change the vector of a text.
//
// Dynamic int8 quantisation scales activations by the largest value in the whole tensor, including other texts and padding, so the same
// text can have different vectors in different batches (cosine 0.976 measured). Then each text is embedded in a run of its own. On one
// thread this is hardly slower: nearly all of the time is spent in the model.

import { cosine } from "../ranking/scores.ts";
import type { Inference } from "./inference.ts";
import type { Tokenize } from "./tokenizer.ts";

/** The minimum cosine between the vector of a text from a run of its own and from a batch. */
export const sameVectorCosine = 0.9999;
/** Batches are used only if they are faster by this factor, because a text waits for the whole batch. */
const minSpeedup = 1.15;

/** Few and short: they are embedded at every start of the server. */
const probes = [
  "ok",
  "Use bun@1.4.5, see https://example.com/?tag=v1.4.5 ✅",
  "Deploys happen on Thursday at 14:00 UTC, never on Friday.",
  `A longer note: ${"the quick brown fox jumps over the lazy dog; ".repeat(4)}`,
] as const;

/** True when a batch does not change the vectors of its texts, and texts of equal length are faster in a batch. */
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
  return singly >= jointly * minSpeedup;
}

/** One run for all texts. Rows [texts x dimensions]. */
function embedTogether(
  inference: Inference,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  inference.run(texts, rows);
  return rows;
}

/** One run for each text. Rows [texts x dimensions]. */
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
 * Embeds texts of similar length in one run, to avoid padding. The texts are sorted by length; a bucket has at most eight texts, and its
 * longest text is at most about a quarter longer than its shortest.
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

/** The faster of two runs, because the first run with a shape allocates memory. */
function elapsedMs(work: () => void, now: () => number): number {
  const times = [0, 1].map(() => {
    const start = now();
    work();
    return now() - start;
  });
  return Math.min(...times);
}
