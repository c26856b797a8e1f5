// Owns the exact score of one candidate of a search.

import type { SearchHit } from "../../../../calls/storage/memory-store.ts";
import { cosine, finalScore, relevanceOf, squaredLength } from "../../../../memory/ranking/scores.ts";

export interface Scored extends Omit<SearchHit, "memory"> {
  readonly serial: number;
  readonly score: number;
}

interface Candidate {
  /** Increases with creation: a higher one is a newer memory. */
  readonly serial: number;
  readonly importance: number;
  readonly vector: Float32Array;
}

/** @returns the exact score of a candidate; `keyword` is undefined when the query has no words. */
export function createScorer(wanted: Float32Array) {
  const length = squaredLength(wanted);
  return ({ serial, importance, vector }: Candidate, keyword: number | undefined): Scored => {
    const similarity = cosine(wanted, vector, length);
    const relevance = relevanceOf(similarity, keyword);
    return {
      serial,
      similarity,
      keyword: Math.min(1, keyword ?? 0),
      relevance,
      score: finalScore(relevance, importance),
    };
  };
}
