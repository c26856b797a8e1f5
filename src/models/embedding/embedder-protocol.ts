// Owns the messages between the embedder and its worker threads. They must be plain data that structured clone supports.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import type { RuntimeFiles } from "../../platform/native/runtime.ts";
import type { ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type EmbedderInit = Readonly<{
  runtime: RuntimeFiles;
  model: ModelSource;
  /** The head of the reranker that belongs to the model; null: none does, or this thread does not rerank. */
  head: ModelSource | null;
  /** Threads of one inference. */
  threads: number;
  /** What the first thread has decided (see batching.ts); null: this is the first thread. */
  batching: boolean | null;
}>;

/** One text. The thread has several at once, and answers each when its run of the model is done. */
export type EmbedRequest = Readonly<{ text: string; role: EmbeddingRole }>;

export type EmbedAnswer = Readonly<{
  /** Transferred Float32Array [dimensions], L2-normalised; NaN means that the model failed on this text. */
  vector: Float32Array<ArrayBuffer>;
  /** True for one text of each run of the model, so that runs can be counted. */
  isFirstOfRun: boolean;
}>;

/** The memories that a search has found first, to be compared with its query. */
export type RerankRequest = Readonly<{ project: string; query: string; texts: readonly string[] }>;

export type RerankAnswer = Readonly<{
  /** Transferred Float64Array [texts] (ranking/max-sim.ts). */
  maxSims: Float64Array<ArrayBuffer>;
  /** How many token vectors were computed, those of the query included; the others were in memory. */
  computed: number;
}>;

/** `batching`: whether several texts are embedded in one run of the model (see batching.ts). */
export type EmbedderReady = Readonly<{ model: ModelIdentity; batching: boolean }>;
