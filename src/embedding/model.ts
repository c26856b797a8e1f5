// Knows what a model's configuration means for the embedder: limits, pooling, prefixes. Must never touch ONNX Runtime.

import { readFileSync } from "node:fs";
import type { EmbeddingRole } from "../memory/embedding.ts";
import { isRecord, type ModelSource, readJson } from "./model-directory.ts";

export type Pooling = "mean" | "cls" | "max";

/** What tells two models apart; kept in the database, because vectors of different models cannot be compared. */
export type ModelIdentity = Readonly<{ id: string; sha256: string; dimensions: number; maxTokens: number }>;

export type ModelConfig = Readonly<{
  dimensions: number;
  maxTokens: number;
  pooling: Pooling;
  /** Put before every text of that role; some models were trained with them. */
  prefixes: Readonly<Record<EmbeddingRole, string>>;
  /** Position of the first token, for graphs that ask for `position_ids`. */
  firstPosition: number;
}>;

export const dimensionLimits = { minimum: 256, maximum: 1024 } as const;
const defaultMaxTokens = 512;
/** RoBERTa and its kin count positions from the padding token's id + 1. */
const offsetPositions = new Set(["roberta", "xlm-roberta", "camembert", "mpnet"]);

/** Cheap: reads configuration only, so it is known before the worker has loaded the model. Throws as readModelConfig. */
export function identify(source: ModelSource): ModelIdentity {
  const { dimensions, maxTokens } = readModelConfig(source);
  return { id: source.id, sha256: source.sha256, dimensions, maxTokens };
}

/** Reads the configuration files. Throws an Error that says what to do when the model cannot serve. */
export function readModelConfig(source: ModelSource): ModelConfig {
  const config = readPart(source, "config.json");
  const dimensions = config.hidden_size ?? config.dim;
  const { minimum, maximum } = dimensionLimits;
  if (typeof dimensions !== "number" || dimensions < minimum || dimensions > maximum) {
    throw new Error(
      `The model has ${dimensions ?? "unknown"} dimensions; choose one with ${minimum} to ${maximum} (config.json, hidden_size).`,
    );
  }
  refuseExtraModules(source);
  const padding = typeof config.pad_token_id === "number" ? config.pad_token_id : 1;
  const firstPosition = offsetPositions.has(String(config.model_type)) ? padding + 1 : 0;
  return {
    dimensions,
    maxTokens: maxTokens(source, config.max_position_embeddings, firstPosition),
    pooling: readPooling(source),
    prefixes: readPrefixes(source),
    firstPosition,
  };
}

function maxTokens(source: ModelSource, positions: unknown, firstPosition: number): number {
  const limits = [
    typeof positions === "number" ? positions - firstPosition : undefined,
    readPart(source, "tokenizer_config.json").model_max_length,
    readPart(source, "sentence_bert_config.json").max_seq_length,
  ];
  // Tokenizers without a limit say 1e30.
  const usable = limits.filter((limit) => typeof limit === "number" && limit >= 8 && limit <= 65_536);
  return usable.length === 0 ? defaultMaxTokens : Math.min(...usable.map(Number));
}

function readPooling(source: ModelSource): Pooling {
  const flags = readPart(source, "1_Pooling/config.json");
  const named = Object.keys(flags).filter((name) => name.startsWith("pooling_mode_") && flags[name] === true);
  if (named.length === 0 || named.join() === "pooling_mode_mean_tokens") return "mean";
  if (named.join() === "pooling_mode_cls_token") return "cls";
  if (named.join() === "pooling_mode_max_tokens") return "max";
  throw new Error(`The model pools by ${named.join(" + ")}; choose one that pools by mean, cls or max.`);
}

function readPrefixes(source: ModelSource): Readonly<Record<EmbeddingRole, string>> {
  const { prompts } = readPart(source, "config_sentence_transformers.json");
  const find = (...names: readonly string[]) => {
    const found = names.map((name) => (isRecord(prompts) ? prompts[name] : undefined));
    return found.find((prompt) => typeof prompt === "string") ?? "";
  };
  return { query: find("query"), passage: find("passage", "document") };
}

/** A layer after pooling (2_Dense) lies outside the ONNX graph; leaving it out would give wrong vectors in silence. */
function refuseExtraModules(source: ModelSource): void {
  const path = source.files["modules.json"];
  if (path === undefined) return;
  const extra = /"sentence_transformers\.models\.(?!Transformer|Pooling|Normalize)(\w+)"/.exec(
    readFileSync(path, "utf8"),
  );
  if (extra !== null) {
    throw new Error(
      `The model ends in a ${extra[1]} layer; choose one made of Transformer, Pooling and Normalize.`,
    );
  }
}

function readPart(source: ModelSource, name: string): Readonly<Record<string, unknown>> {
  const path = source.files[name];
  return path === undefined ? {} : readJson(path, name);
}
