// Owns what an answer costs: the price of the first pattern that names the model. An estimate, because providers have more prices than
// these, such as those of batches. Pure.

import { isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Tokens } from "./answer/assembled.ts";
import { countIn } from "./answer/parts.ts";
import { matches } from "./model-pattern.ts";

/** In US dollars for a million tokens. */
export interface ModelPrice {
  /** Name of a model, or a pattern in which `*` is any text. */
  readonly model: string;
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** Of tokens that the provider has read from its cache; null: inputUsd. */
  readonly cachedInputUsd: number | null;
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
  const { inputUsd, outputUsd, cachedInputUsd } = price;
  const cached = Math.min(cachedTokensOf(usage), prompt_tokens);
  const input = (prompt_tokens - cached) * inputUsd + cached * (cachedInputUsd ?? inputUsd);
  return (input + completion_tokens * outputUsd) / million;
}

/** The members of Anthropic Messages, Chat Completions and Responses. */
function cachedTokensOf(usage: JsonObject | null): number {
  if (usage === null) return 0;
  const { cache_read_input_tokens: read, prompt_tokens_details, input_tokens_details } = usage;
  return Math.max(countIn(read), cachedIn(prompt_tokens_details), cachedIn(input_tokens_details));
}

function cachedIn(details: Json | undefined): number {
  return isObject(details) ? countIn(details.cached_tokens) : 0;
}
