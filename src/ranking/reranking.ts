// Owns the second ranking: how MaxSim and the signs change the relevance of the first memories of a search, and their order. Must never read
// a text or know a model.

import { finalScore } from "./scores.ts";
import { type Signs, signWeights } from "./signs.ts";

/** How many memories are judged again; more if more results are wanted, so that one formula orders all results. */
export const candidatesMin = 32;

export const maxSimWeight = 1;
/** The greatest sum of relevance, MaxSim and signs. */
const sumMax = 1 + maxSimWeight + signWeights.speaker + signWeights.time;

/** What a candidate is judged by. */
export interface Evidence {
  /** That of the first ranking, 0..1. */
  readonly relevance: number;
  /** -1..1 */
  readonly maxSim: number;
  readonly signs: Signs;
}

/** Replaces the relevance of the first ranking in the final score, 0..1. A sum below 0 is irrelevant. */
export function rerankedRelevance({ relevance, maxSim, signs }: Evidence): number {
  const { speaker, time, asks } = signWeights;
  const signed = speaker * signs.speaker + time * signs.time + asks * signs.asks;
  return Math.max(0, relevance + maxSimWeight * maxSim + signed) / sumMax;
}

/** The candidates by final score, best first. Equal ones keep their order. */
export function rerankedOrder<Candidate extends { readonly relevance: number; readonly importance: number }>(
  candidates: readonly Candidate[],
): readonly Candidate[] {
  return candidates.toSorted(
    (a, b) => finalScore(b.relevance, b.importance) - finalScore(a.relevance, a.importance),
  );
}
