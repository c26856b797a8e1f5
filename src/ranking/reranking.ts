// Owns the second ranking: how MaxSim and the signs change the relevance of the first memories of a search, and their order. Must never read
// a text or know a model.

import { finalScore } from "./scores.ts";
import { type Signs, signWeights } from "./signs.ts";

/** How many memories are judged again; more if more results are wanted, so that one formula orders all results. */
export const candidatesMin = 32;

export const maxSimWeight = 1;
/** The greatest sum of relevance, MaxSim and signs. */
const sumMax = 1 + maxSimWeight + signWeights.speaker + signWeights.time;
/**
 * A memory whose sum is not higher is irrelevant. 1 % of the candidates of questions about conversations are below 0.67. It decides how much
 * importance weighs against relevance: with importances at random, every share of questions whose answer is found stays above that of the
 * first ranking; with 0, importance would weigh more than before.
 */
const sumIrrelevant = 0.5;

/** What a candidate is judged by. */
export interface Evidence {
  /** That of the first ranking, 0..1. */
  readonly relevance: number;
  /** -1..1 */
  readonly maxSim: number;
  readonly signs: Signs;
}

/** Replaces the relevance of the first ranking in the final score, 0..1. */
export function rerankedRelevance({ relevance, maxSim, signs }: Evidence): number {
  const { speaker, time, asks } = signWeights;
  const signed = speaker * signs.speaker + time * signs.time + asks * signs.asks;
  const sum = relevance + maxSimWeight * maxSim + signed;
  return Math.min(1, Math.max(0, sum - sumIrrelevant) / (sumMax - sumIrrelevant));
}

/** The candidates by final score, best first. Equal ones keep their order. */
export function rerankedOrder<Candidate extends { readonly relevance: number; readonly importance: number }>(
  candidates: readonly Candidate[],
): readonly Candidate[] {
  return candidates.toSorted(
    (a, b) => finalScore(b.relevance, b.importance) - finalScore(a.relevance, a.importance),
  );
}
