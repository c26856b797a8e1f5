// Judges rankings: where each one has what its question needs, and the measures of many. Pure.

import { mean, percent } from "./figures.ts";

/** How many places are asked for. */
export const depth = 20;

/** The place, from 1, by which a ranking has what its question needs; null: not among the first `depth`. */
export type Rank = number | null;

/**
 * `places`: for each place, from the first, the ids of the memories found there (several if their texts are equal). A question needs any
 * of its evidence, or all of it.
 */
export function rankOf(
  places: readonly (readonly string[])[],
  evidence: readonly string[],
  needsAll = false,
): Rank {
  const found = evidence.map((id) => places.findIndex((ids) => ids.includes(id)));
  const wanted = needsAll ? found : found.filter((at) => at >= 0);
  if (wanted.length === 0 || wanted.includes(-1)) return null;
  const at = needsAll ? Math.max(...wanted) : Math.min(...wanted);
  return at < depth ? at + 1 : null;
}

/** 1 or 0: whether the rank is among the first k. */
export const hit = (rank: Rank, k: number) => (rank !== null && rank <= k ? 1 : 0);

export const reciprocal = (rank: Rank) => (rank === null ? 0 : 1 / rank);

export const qualityColumns = ["hit@1", "hit@5", "hit@10", `hit@${depth}`, `MRR@${depth}`];

/** Means over all questions, in percent, in the order of qualityColumns. */
export function judge(ranks: readonly Rank[]): string[] {
  const hits = [1, 5, 10, depth].map((k) => mean(ranks.map((rank) => hit(rank, k))));
  return [...hits, mean(ranks.map(reciprocal))].map(percent);
}
