// Decides which texts share a run of the model. A batch must never change the vector of a text.
//
// Dynamic int8 quantisation scales activations by the largest value in the whole tensor, including other texts and padding, so the same
// text can have different vectors in different batches (cosine 0.976 measured). Then each text is embedded in a run of its own.

import { cosine } from "../../memory/ranking/scores.ts";
import type { Inference } from "./inference.ts";
import { runCostTokens, runMaxTexts, runMaxTokens } from "./limits.ts";
import type { Tokenize } from "./tokenizer.ts";

/** What computes vectors of texts. */
export type Runs = Pick<Inference, "run">;

/** The minimum cosine between the vector of a text from a run of its own and from a batch. */
export const sameVectorCosine = 0.9999;
/** Few and short: they are embedded at every start of the server. */
export const probes = [
  "ok",
  "Use bun@1.4.5, see https://example.com/?tag=v1.4.5 ✅",
  "Deploys happen on Thursday at 14:00 UTC, never on Friday.",
  `A longer note: ${"the quick brown fox jumps over the lazy dog; ".repeat(4)}`,
] as const;

/** True when a batch does not change the vectors of its texts. Whether it is faster is not measured: that took longer than all other steps. */
export function mayBatch(tokenize: Tokenize, inference: Runs, dimensions: number): boolean {
  const texts = probes.map((text) => tokenize(text, "passage"));
  const together = embedTogether(inference, texts, dimensions);
  return texts.every((ids, row) => {
    const alone = embedAlone(inference, [ids], dimensions);
    return cosine(alone, together.subarray(row * dimensions, (row + 1) * dimensions)) >= sameVectorCosine;
  });
}

/** One run for all texts. Rows [texts x dimensions]. */
export function embedTogether(
  inference: Runs,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  inference.run(texts, rows);
  return rows;
}

/** One run for each text. Rows [texts x dimensions]. */
export function embedAlone(
  inference: Runs,
  texts: readonly (readonly number[])[],
  dimensions: number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(texts.length * dimensions);
  for (const [row, ids] of texts.entries()) inference.run([ids], rows.subarray(row * dimensions));
  return rows;
}

/**
 * Chooses the texts of the next run. All texts are divided into runs of similar lengths, so that all runs together cost least: a run
 * costs `runCostTokens`, and each of its texts as many tokens as the longest one, because shorter ones are padded. The next run is the
 * one of the first text, so no text waits forever for others of its length.
 * @param lengths of the texts in tokens, those that have waited longest first
 * @returns the positions of the chosen texts; at least that of the first one
 */
export function chooseRun(lengths: readonly number[]): readonly number[] {
  const order = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  /** For each number of shortest texts: the least cost of their runs, and where the last one of these runs begins. */
  const costs = [0];
  const begins = [0];
  for (const [last, at] of order.entries()) {
    const longest = lengths[at] ?? 0;
    let [cost, begin] = [Number.POSITIVE_INFINITY, last];
    for (let from = last; from >= 0; from--) {
      const texts = last + 1 - from;
      if (texts > runMaxTexts || (texts > 1 && texts * longest > runMaxTokens)) break;
      const total = (costs[from] ?? 0) + runCostTokens + texts * longest;
      if (total < cost) [cost, begin] = [total, from];
    }
    costs.push(cost);
    begins.push(begin);
  }
  let end = order.length;
  for (;;) {
    const begin = begins[end] ?? 0;
    const run = order.slice(begin, end);
    if (begin === 0 || run.includes(0)) return run;
    end = begin;
  }
}
