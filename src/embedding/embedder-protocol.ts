// Owns the messages between the embedder and its worker thread. They must be plain data that structured clone supports.

import type { EmbeddingRole } from "../memory/embedding.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import type { ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type EmbedderInit = Readonly<{ runtime: RuntimeFiles; model: ModelSource; threads: number }>;

/** One batch. The answer is a transferred Float32Array [texts x dimensions]; a row of NaN means that the model failed on this text. */
export type EmbedRequest = readonly Readonly<{ text: string; role: EmbeddingRole }>[];

/** `batching`: whether several texts are embedded in one run of the model (see batching.ts). */
export type EmbedderReady = Readonly<{ model: ModelIdentity; batching: boolean }>;
