// Owns the interface of a reranker: a query and texts in, one score for each text out. Must never depend on a model.

import type { Waiter } from "../../platform/scheduling/fair-queue.ts";

/** When the first memories of a hybrid ranking are reranked: never, if it is done in time, or however long it takes. */
export const rerankChoices = ["auto", "on", "off"] as const;
export type RerankChoice = (typeof rerankChoices)[number];

/**
 * MaxSim of the query and each text (ranking/max-sim.ts), in their order. The same texts always have the same scores on one machine.
 * @param deadlineMs null: waits however long it takes
 * @returns null when the deadline has passed, too many searches wait, or no reranker belongs to the embedding model
 * @throws Refusal 1503 when the call was cancelled
 */
export type ScoreTexts = (
  query: string,
  texts: readonly string[],
  waiter: Waiter,
  deadlineMs: number | null,
) => Promise<Float64Array | null>;

/** The reranker, and its settings. */
export interface Reranker {
  readonly scoreTexts: ScoreTexts;
  /** For hybrid searches and injections that do not choose. */
  readonly choice: RerankChoice;
  /** How long `auto` waits. */
  readonly deadlineMs: number;
}

/** The reranker, for one call. */
export interface CallReranker extends Pick<Reranker, "choice"> {
  /** As ScoreTexts, with the deadline of the choice. */
  scoreTexts(query: string, texts: readonly string[], choice: "auto" | "on"): Promise<Float64Array | null>;
}

/**
 * How long a call waits for the reranker. A caller that waits for a limited time must get the hybrid order within it, so the reranker has
 * half of it at most, whatever the choice is.
 * @returns null: however long it takes
 */
export function rerankDeadlineMs(
  { deadlineMs }: Pick<Reranker, "deadlineMs">,
  choice: "auto" | "on",
  answerWithinMs = Number.POSITIVE_INFINITY,
): number | null {
  const chosenMs = choice === "on" ? Number.POSITIVE_INFINITY : deadlineMs;
  const leastMs = Math.min(chosenMs, answerWithinMs / 2);
  return leastMs === Number.POSITIVE_INFINITY ? null : leastMs;
}

/** Reranks nothing. */
export const noReranker: Reranker & CallReranker = {
  scoreTexts: async () => null,
  choice: "off",
  deadlineMs: 0,
};
