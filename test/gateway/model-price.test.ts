// Proves what an answer costs: by the first price that names the model, with the tokens that a provider read from its cache.

import { expect, test } from "bun:test";
import { costUsd, type ModelPrice } from "../../src/gateway/model-price.ts";

const prices: readonly ModelPrice[] = [
  { model: "gpt-mini", inputUsd: 1, outputUsd: 2, cachedInputUsd: null },
  { model: "gpt-*", inputUsd: 10, outputUsd: 40, cachedInputUsd: 1 },
];
const tokens = { prompt_tokens: 1_000_000, completion_tokens: 500_000, total_tokens: 1_500_000 };

test.each([
  ["gpt-mini", null, 2],
  ["gpt-mini", { prompt_tokens_details: { cached_tokens: 400_000 } }, 2],
  ["gpt-5", null, 30],
  ["gpt-5", { prompt_tokens_details: { cached_tokens: 400_000 } }, 26.4],
  ["gpt-5", { input_tokens_details: { cached_tokens: 400_000 } }, 26.4],
  ["gpt-5", { cache_read_input_tokens: 400_000 }, 26.4],
  ["gpt-5", { cache_read_input_tokens: 2_000_000 }, 21],
  ["gpt-5", { cache_read_input_tokens: -1, prompt_tokens_details: "none" }, 30],
  ["claude", null, null],
])("%s with %j costs %p", (model, usage, cost) => {
  const found = costUsd(prices, model, tokens, usage);
  if (cost === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(cost, 9);
});
