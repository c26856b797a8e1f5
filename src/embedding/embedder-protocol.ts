// The messages between the embedder and its worker. Must stay plain data that survives a structured clone.

import type { EmbeddingRole } from "../memory/embedding.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import type { ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type EmbedderInit = Readonly<{ runtime: RuntimeFiles; model: ModelSource; threads: number }>;

/** One batch; a null asks the worker to end. */
export type EmbedRequest = readonly Readonly<{ text: string; role: EmbeddingRole }>[] | null;

/** `batching`: whether several texts share one run of the model (see batching.ts). */
export type EmbedderReady = Readonly<{ kind: "ready"; model: ModelIdentity; batching: boolean }>;

export type EmbedderMessage =
  | EmbedderReady
  /** The model cannot be used at all; the worker ends. */
  | Readonly<{ kind: "unusable"; message: string }>
  /** Rows of the batch, [texts x dimensions], transferred. A row of NaN is a text that the model failed on. */
  | Readonly<{ kind: "vectors"; vectors: Float32Array<ArrayBuffer> }>
  | Readonly<{ kind: "failed"; message: string }>;
