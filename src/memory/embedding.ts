// Owns the interface of embedding: a text in, a vector out. Must never depend on a model.

import type { Waiter } from "../scheduling/fair-queue.ts";

/** Models may embed queries and passages differently. */
export type EmbeddingRole = "query" | "passage";

/** Float32Array [dimensions of the model], L2-normalised. @throws Refusal 1503 or 1429 when it cannot be computed now. */
export type Embed = (text: string, role: EmbeddingRole, waiter: Waiter) => Promise<Float32Array>;
