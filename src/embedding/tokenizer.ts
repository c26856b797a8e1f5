// Turns text into the model's token ids. Must run in the embedder's worker only: a long text takes milliseconds.

import { Tokenizer } from "@huggingface/tokenizers";
import type { EmbeddingRole } from "../memory/embedding.ts";
import type { ModelConfig } from "./model.ts";
import { type ModelSource, readJson } from "./model-directory.ts";

/** Token ids of a text with its role's prefix, cut at the model's limit, special tokens kept; never empty. */
export type Tokenize = (text: string, role: EmbeddingRole) => readonly number[];

export function createTokenizer(source: ModelSource, config: ModelConfig): Tokenize {
  const tokenizer = new Tokenizer(
    readJson(source.files["tokenizer.json"] ?? "", "tokenizer.json"),
    readJson(source.files["tokenizer_config.json"] ?? "", "tokenizer_config.json"),
  );
  const { before, after } = specialTokens(tokenizer);
  const room = config.maxTokens - before.length - after.length;
  return (text, role) => {
    const { ids } = tokenizer.encode(config.prefixes[role] + text, { add_special_tokens: false });
    const all = [...before, ...ids.slice(0, room), ...after];
    return all.length > 0 ? all : [0];
  };
}

/** Which tokens the model wants around a text, found out by example: each model family writes its own template. */
function specialTokens(tokenizer: Tokenizer): { before: readonly number[]; after: readonly number[] } {
  const bare = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const full = tokenizer.encode("a").ids;
  const start = full.findIndex((_, index) => bare.every((id, offset) => full[index + offset] === id));
  if (bare.length === 0 || start < 0) {
    throw new Error(
      "The model's tokenizer.json does not keep a text's tokens together; choose another model.",
    );
  }
  return { before: full.slice(0, start), after: full.slice(start + bare.length) };
}
