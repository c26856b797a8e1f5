// Converts text to the token ids of the model. Must run only in the worker of the embedder: a long text takes milliseconds.

import { Tokenizer } from "@huggingface/tokenizers";
import type { EmbeddingRole } from "../../memory/embedding.ts";
import type { ModelConfig } from "./model.ts";
import { type ModelSource, readJson } from "./model-directory.ts";

/**
 * Token ids of a text with the prefix of its role. Truncated to the limit of the model, or to fewer tokens, with all special tokens. Never
 * empty.
 */
export type Tokenize = (text: string, role: EmbeddingRole, maxTokens?: number) => readonly number[];

export function createTokenizer(source: ModelSource, config: ModelConfig): Tokenize {
  const tokenizer = new Tokenizer(
    readJson(source, "tokenizer.json"),
    readJson(source, "tokenizer_config.json"),
  );
  const { before, after } = specialTokens(tokenizer);
  const special = before.length + after.length;
  return (text, role, maxTokens = config.maxTokens) => {
    const { ids } = tokenizer.encode(config.prefixes[role] + text, { add_special_tokens: false });
    const all = [...before, ...ids.slice(0, maxTokens - special), ...after];
    return all.length > 0 ? all : [0];
  };
}

/** The tokens before and after a text, found by tokenising an example, because each model family has its own template. */
function specialTokens(tokenizer: Tokenizer): { before: readonly number[]; after: readonly number[] } {
  const bare = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const full = tokenizer.encode("a").ids;
  const start = full.findIndex((_, index) => bare.every((id, offset) => full[index + offset] === id));
  if (bare.length === 0 || start < 0) {
    throw new Error(
      "The tokenizer.json of the model changes the tokens of a text when it adds special tokens. Choose another model.",
    );
  }
  return { before: full.slice(0, start), after: full.slice(start + bare.length) };
}
