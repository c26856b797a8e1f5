// Owns the interface of embedding: a text in, a vector out. Must never depend on a model.

import type { Waiter } from "../platform/scheduling/fair-queue.ts";

/** Models may embed queries and passages differently. */
export type EmbeddingRole = "query" | "passage";

export interface Embedding {
  /** Float32Array [dimensions of the model], L2-normalised. */
  readonly vector: Float32Array;
  /** SHA-256 of the model. Vectors of two models cannot be compared. */
  readonly model: string;
}

/** A call that waits for a vector. */
export interface EmbeddingWaiter extends Waiter {
  /** Called when its text, or an equal one of the project, no longer waits for a thread of the embedder. */
  readonly sent?: (() => void) | undefined;
}

/** @throws Refusal 1503 or 1429 when it cannot be computed now. */
export type Embed = (text: string, role: EmbeddingRole, waiter: EmbeddingWaiter) => Promise<Embedding>;
