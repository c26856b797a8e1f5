// Owns reading the numbers of tokens that a provider reports, in the forms of all APIs. Must never invent one: what is not reported and does
// not follow from the others is unknown.

import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";

/** As the provider counted them, in the form of audit records. */
export interface Tokens {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Those among them that have prices of their own, as far as they are reported. */
export interface TokenKinds {
  /** Of the prompt: read from the cache of the provider, and written to it. */
  readonly cached_tokens?: number;
  readonly cache_write_tokens?: number;
  /** Of the completion. */
  readonly reasoning_tokens?: number;
}

/** The tokens in the usage of an API of OpenAI, which names them differently; null: at least one of the numbers is unknown. */
export function tokensIn(usage: JsonObject | null, prompt: string, completion: string): Tokens | null {
  if (usage === null) return null;
  const [given, made, total] = [usage[prompt], usage[completion], usage.total_tokens].map(countIn);
  return toTokens(given ?? null, made ?? null, total ?? null);
}

/** Two of the numbers say the third. Null: unknown. */
export function toTokens(
  prompt: number | null,
  completion: number | null,
  total: number | null,
): Tokens | null {
  const prompt_tokens = prompt ?? difference(total, completion);
  const completion_tokens = completion ?? difference(total, prompt);
  if (prompt_tokens === null || completion_tokens === null) return null;
  return { prompt_tokens, completion_tokens, total_tokens: total ?? prompt_tokens + completion_tokens };
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null || part > total ? null : total - part;
}

/** The members of Anthropic Messages, Chat Completions and Responses, and those of servers with their APIs. */
export function tokenKindsIn(usage: JsonObject | null): TokenKinds {
  if (usage === null) return {};
  const input = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const output = objectOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  const cached = firstCount(
    usage.cache_read_input_tokens,
    input.cached_tokens,
    usage.prompt_cache_hit_tokens,
  );
  const written = firstCount(
    usage.cache_creation_input_tokens,
    input.cache_write_tokens,
    input.cache_creation_tokens,
  );
  const reasoning = firstCount(output.reasoning_tokens, output.thinking_tokens, usage.reasoning_tokens);
  return {
    ...(cached === null ? {} : { cached_tokens: cached }),
    ...(written === null ? {} : { cache_write_tokens: written }),
    ...(reasoning === null ? {} : { reasoning_tokens: reasoning }),
  };
}

function firstCount(...values: readonly (Json | undefined)[]): number | null {
  return values.map(countIn).find((count) => count !== null) ?? null;
}

/** Null for what is no count. */
export function countIn(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
