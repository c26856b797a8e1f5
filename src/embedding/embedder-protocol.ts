// What the embedder and its worker thread send each other. Must stay plain data that survives a structured clone.

import type { EmbeddingRole } from "../memory/embedding.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import type { ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type EmbedderInit = Readonly<{ runtime: RuntimeFiles; model: ModelSource; threads: number }>;

/** One batch. The answer is Float32Array [texts x dimensions], moved; a row of NaN is a text that the model failed on. */
export type EmbedRequest = readonly Readonly<{ text: string; role: EmbeddingRole }>[];

/** `batching`: whether several texts share one run of the model (see batching.ts). */
export type EmbedderReady = Readonly<{ model: ModelIdentity; batching: boolean }>;
