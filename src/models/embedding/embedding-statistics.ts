// Owns the counts of the embedder: texts by how their vector was found, runs of the model, and the time in which there was work.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import type { QueueCounts } from "../../platform/scheduling/fair-queue.ts";
import { stageSeconds } from "../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../platform/statistics/distribution.ts";
import type { RerankCounts } from "./rerank-queue.ts";

/** computed: by the model. shared: another call of the project waited for the same text. cached: a query that was embedded before. */
export const embeddingResults = ["computed", "shared", "cached"] as const;
export type EmbeddingResult = (typeof embeddingResults)[number];

export interface EmbeddingCounts {
  readonly texts: readonly Readonly<{ role: EmbeddingRole; result: EmbeddingResult; texts: number }>[];
  /** Seconds of a text, from the call until its vector is there. */
  readonly seconds: Readonly<Record<EmbeddingRole, DistributionState>>;
  /** Runs of the model; each computes a batch of texts. */
  readonly batches: number;
  /** Seconds in which a thread had at least one text. */
  readonly busySeconds: number;
  readonly queries: QueueCounts;
  readonly passages: QueueCounts;
  readonly reranks: RerankCounts;
}

export interface EmbeddingStatistics {
  text(role: EmbeddingRole, result: EmbeddingResult, seconds: number): void;
  /** A text was sent to a thread. */
  sent(): void;
  /** Once for each `sent`. */
  answered(): void;
  /** The model has computed a batch. */
  ran(): void;
  read(): Omit<EmbeddingCounts, "queries" | "passages" | "reranks">;
}

export function createEmbeddingStatistics(): EmbeddingStatistics {
  const results = () => ({ computed: 0, shared: 0, cached: 0 });
  const texts = { query: results(), passage: results() };
  const seconds = { query: createDistribution(stageSeconds), passage: createDistribution(stageSeconds) };
  let batches = 0;
  let unanswered = 0;
  let busySinceMs = 0;
  let busySeconds = 0;
  const countsOf = (role: EmbeddingRole) =>
    embeddingResults.map((result) => ({ role, result, texts: texts[role][result] }));
  return {
    text(role, result, secondsOfText) {
      texts[role][result] += 1;
      seconds[role].observe(secondsOfText);
    },
    sent() {
      if (unanswered === 0) busySinceMs = performance.now();
      unanswered += 1;
    },
    answered() {
      unanswered -= 1;
      if (unanswered === 0) busySeconds += secondsBetween(busySinceMs, performance.now());
    },
    ran() {
      batches += 1;
    },
    read: () => ({
      texts: [...countsOf("query"), ...countsOf("passage")],
      seconds: { query: seconds.query.read(), passage: seconds.passage.read() },
      batches,
      busySeconds: busySeconds + (unanswered > 0 ? secondsBetween(busySinceMs, performance.now()) : 0),
    }),
  };
}
