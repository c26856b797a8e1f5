// Owns what an answer costs: the price of the first pattern that names the model. An estimate, because providers have more prices than
// these, such as those of batches. Pure.

import type { JsonObject } from "../platform/json/json.ts";
import { type Tokens, tokenKindsIn } from "./answer/token-counts.ts";
import { matches } from "./model-pattern.ts";

/** In US dollars for a million tokens. */
export interface ModelPrice {
  /** Name of a model, or a pattern in which `*` is any text. */
  readonly model: string;
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** Of tokens that the provider has read from its cache; null: inputUsd. */
  readonly cachedInputUsd: number | null;
  /** Of tokens that the provider has written to its cache; absent: inputUsd. */
  readonly cacheWriteInputUsd?: number;
}

const million = 1_000_000;

/**
 * US dollars of one answer; null: the model has no price.
 * @param usage the figures of the provider in its own form
 */
export function costUsd(
  prices: readonly ModelPrice[],
  model: string,
  { prompt_tokens, completion_tokens }: Tokens,
  usage: JsonObject | null,
): number | null {
  const price = prices.find((each) => matches(each.model, model));
  if (price === undefined) return null;
  const { inputUsd, outputUsd, cachedInputUsd, cacheWriteInputUsd } = price;
  const { cached_tokens = 0, cache_write_tokens = 0 } = tokenKindsIn(usage);
  const cached = Math.min(cached_tokens, prompt_tokens);
  const written = Math.min(cache_write_tokens, prompt_tokens - cached);
  const input =
    (prompt_tokens - cached - written) * inputUsd +
    cached * (cachedInputUsd ?? inputUsd) +
    written * (cacheWriteInputUsd ?? inputUsd);
  return (input + completion_tokens * outputUsd) / million;
}
