// Owns the configuration of heads of rerankers, and which of them belongs to an embedding model. Must never load ONNX Runtime.

import { builtInHeads, type ModelSource, readJson } from "./model-directory.ts";

/** How token vectors are made, and compared (ranking/max-sim.ts). */
export type HeadConfig = Readonly<{
  dimensions: number;
  /** The greatest component of a token vector. */
  levels: number;
  /** Tokens of a text, special ones included; further ones are ignored. */
  maxTokens: number;
  /** Tokens of a query that say nothing about its subject. */
  ignoredQueryTokens: ReadonlySet<number>;
  /** SHA-256 of the graphs of the embedding models whose hidden states it reads. */
  embedders: readonly string[];
}>;

/** @throws Error when config.json is not that of a head */
export function readHeadConfig(source: ModelSource): HeadConfig {
  const config = readJson(source, "config.json");
  const whole = (name: string): number => {
    const value = config[name];
    if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    throw new Error(`config.json of ${source.id} has no whole number ${name}. Copy its directory again.`);
  };
  const { embedder_sha256: embedders, ignored_query_tokens: ignored } = config;
  return {
    dimensions: whole("dimensions"),
    levels: whole("levels"),
    maxTokens: whole("max_tokens"),
    ignoredQueryTokens: new Set((Array.isArray(ignored) ? ignored : []).map(Number)),
    embedders: (Array.isArray(embedders) ? embedders : [embedders]).map(String),
  };
}

/** The head that belongs to a model; null: none does. */
export function headOf({ graphSha256 }: ModelSource, heads = builtInHeads()): ModelSource | null {
  return heads.find((head) => readHeadConfig(head).embedders.includes(graphSha256)) ?? null;
}
