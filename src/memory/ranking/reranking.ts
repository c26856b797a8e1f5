// Owns the second ranking: how MaxSim and a period that the query names change the relevance of the first memories of a search, and their order.
// Must never read a text or know a model.

import { finalScore } from "./scores.ts";

/** How many memories are reranked; more if more results are wanted, so that one formula orders all results. */
export const candidatesMin = 32;

/** For a query that names a period: how many memories are looked through for those of it, and how many of the reranked ones these can be. */
const periodCandidatesMax = 200;
const periodPlacesMax = 16;

/**
 * What the share of a memory's date in the period adds. Chosen on questions about a time (test/memory/dated) as the greatest coarse value with which
 * no figure of the conversations falls; of a memory that is not reranked, less.
 */
export const periodWeight = 0.3;
const periodWeightWithoutRerank = 0.1;

/** Better than 0.5 on each set of at least 100 questions, in English, other languages and conversations (models/memledger-rerank-v2/README.md). */
const maxSimWeight = 1;
/** The greatest sum of relevance and MaxSim. That of a memory of the period can be greater, and is then cut; with a greater divisor, all other queries would change. */
const sumMax = 1 + maxSimWeight;
/**
 * A memory whose sum is not higher is irrelevant: half of the candidates have a MaxSim below 0.43. It decides how much importance weighs against
 * relevance: with importances at random, every share of questions whose answer is found is above that of the first ranking; with 0, importance would weigh more than before.
 */
const sumIrrelevant = 0.5;
/** By which the sum, less what is irrelevant, is divided. */
export const rerankedDivisor = sumMax - sumIrrelevant;

/** What the relevance of a reranked candidate is computed from. */
export interface Evidence {
  /** That of the first ranking, 0..1. */
  readonly relevance: number;
  /** -1..1 */
  readonly maxSim: number;
  /** How much of the memory's date is in the period that the query names, 0..1. */
  readonly period: number;
}

/** How many memories a search has to find, so that `topK` of them can be returned. */
export function candidatesFor(topK: number, hasPeriod: boolean): number {
  return Math.max(topK, candidatesMin, hasPeriod ? periodCandidatesMax : 0);
}

/**
 * The memories to rerank: the first ones. With a period, the last places of these are for the first memories of the period behind them, if
 * there are any.
 * @param isOfPeriod null: the query names no period
 */
export function candidatesAmong<Found>(
  found: readonly Found[],
  topK: number,
  isOfPeriod: ((found: Found) => boolean) | null,
): readonly Found[] {
  const count = Math.max(topK, candidatesMin);
  if (isOfPeriod === null || found.length <= count) return found.slice(0, count);
  const certain = found.slice(0, count - periodPlacesMax);
  const [ofPeriod, others]: [Found[], Found[]] = [[], []];
  for (const each of found.slice(certain.length)) {
    if (ofPeriod.length === periodPlacesMax) break;
    (isOfPeriod(each) ? ofPeriod : others).push(each);
  }
  return [...certain, ...ofPeriod, ...others].slice(0, count);
}

/** Replaces the relevance of the first ranking in the final score, 0..1. */
export function rerankedRelevance({ relevance, maxSim, period }: Evidence): number {
  const sum = relevance + maxSimWeight * maxSim + periodWeight * period;
  return Math.min(1, Math.max(0, sum - sumIrrelevant) / rerankedDivisor);
}

/** Of a memory that was not reranked: the part of its date that is in the period moves it up, too. */
export function relevanceWithoutRerank(relevance: number, period: number): number {
  return Math.min(1, relevance + periodWeightWithoutRerank * period);
}

/** The candidates by final score, best first. Equal ones keep their order. */
export function rerankedOrder<Candidate extends { readonly relevance: number; readonly importance: number }>(
  candidates: readonly Candidate[],
): readonly Candidate[] {
  return candidates.toSorted(
    (a, b) => finalScore(b.relevance, b.importance) - finalScore(a.relevance, a.importance),
  );
}
