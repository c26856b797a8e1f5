// Owns the configuration of a model: token limit, pooling, prefixes. Must never load ONNX Runtime.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import { isRecord, type ModelSource, readJson, readParts } from "./model-directory.ts";

type Pooling = "mean" | "cls" | "max";

/** Identifies a model. Stored in the database, because vectors of different models cannot be compared. */
export type ModelIdentity = Readonly<{ id: string; sha256: string; dimensions: number; maxTokens: number }>;

export type ModelConfig = Readonly<{
  dimensions: number;
  maxTokens: number;
  pooling: Pooling;
  /** Prepended to each text of that role, for models that were trained with prefixes. */
  prefixes: Readonly<Record<EmbeddingRole, string>>;
  /** Position of the first token, for graphs with the input `position_ids`. */
  firstPosition: number;
}>;

const dimensionLimits = { minimum: 256, maximum: 1024 } as const;
const defaultMaxTokens = 512;
/** In RoBERTa models, positions begin at the id of the padding token + 1. */
const offsetPositions = new Set(["roberta", "xlm-roberta", "camembert", "mpnet"]);

/** Reads only configuration files, so that the identity is known before the worker has loaded the model. @throws as readModelConfig */
export function identify(source: ModelSource): ModelIdentity {
  const { dimensions, maxTokens } = readModelConfig(source);
  return { id: source.id, sha256: source.sha256, dimensions, maxTokens };
}

/** Reads the configuration files. @throws Error that says what to do when the model is not supported */
export function readModelConfig(source: ModelSource): ModelConfig {
  const config = readPart(source, "config.json");
  const dimensions = config.hidden_size ?? config.dim;
  const { minimum, maximum } = dimensionLimits;
  if (typeof dimensions !== "number" || dimensions < minimum || dimensions > maximum) {
    throw new Error(
      `The model has ${dimensions ?? "unknown"} dimensions (config.json, hidden_size). Choose a model with ${minimum} to ${maximum} dimensions.`,
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
  // Tokenizers without a limit have the value 1e30.
  const usable = limits.filter((limit) => typeof limit === "number" && limit >= 8 && limit <= 65_536);
  return usable.length === 0 ? defaultMaxTokens : Math.min(...usable.map(Number));
}

function readPooling(source: ModelSource): Pooling {
  const flags = readPart(source, "1_Pooling/config.json");
  const named = Object.keys(flags).filter((name) => name.startsWith("pooling_mode_") && flags[name] === true);
  if (named.length === 0 || named.join() === "pooling_mode_mean_tokens") return "mean";
  if (named.join() === "pooling_mode_cls_token") return "cls";
  if (named.join() === "pooling_mode_max_tokens") return "max";
  throw new Error(
    `The model uses the pooling ${named.join(" + ")}. Choose a model with mean, cls or max pooling.`,
  );
}

function readPrefixes(source: ModelSource): Readonly<Record<EmbeddingRole, string>> {
  const { prompts } = readPart(source, "config_sentence_transformers.json");
  const find = (...names: readonly string[]) => {
    const found = names.map((name) => (isRecord(prompts) ? prompts[name] : undefined));
    return found.find((prompt) => typeof prompt === "string") ?? "";
  };
  return { query: find("query"), passage: find("passage", "document") };
}

/** A layer after the pooling (2_Dense) is not part of the ONNX graph. Without it, the vectors would be wrong. */
function refuseExtraModules(source: ModelSource): void {
  const parts = source.files["modules.json"];
  if (parts === undefined) return;
  const extra = /"sentence_transformers\.models\.(?!Transformer|Pooling|Normalize)(\w+)"/.exec(
    readParts(parts).toString("utf8"),
  );
  if (extra !== null) {
    throw new Error(
      `The model has a ${extra[1]} layer, which is not supported. Choose a model of Transformer, Pooling and Normalize layers.`,
    );
  }
}

function readPart(source: ModelSource, name: string): Readonly<Record<string, unknown>> {
  return source.files[name] === undefined ? {} : readJson(source, name);
}
