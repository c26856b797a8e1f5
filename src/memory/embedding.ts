// Owns what embedding is to the rest of the program: text goes in, a vector comes out. Knows no model.

import type { Waiter } from "../scheduling/fair-queue.ts";

/** Models may treat a question and what it is compared with differently. */
export type EmbeddingRole = "query" | "passage";

/** Float32Array [dimensions of the model], L2-normalised. @throws Refusal 1503 or 1429 when it cannot be computed now. */
export type Embed = (text: string, role: EmbeddingRole, waiter: Waiter) => Promise<Float32Array>;
