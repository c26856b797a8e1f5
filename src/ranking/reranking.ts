// Owns the second ranking: how MaxSim and the signs change the relevance of the first memories of a search, and their order. Must never read
// a text or know a model.

import { finalScore } from "./scores.ts";
import { type Signs, signWeights } from "./signs.ts";

/** How many memories are judged again; more if more results are wanted, so that one formula orders all results. */
export const candidatesMin = 32;

/** For a query that names a period: how many memories are looked through for those of it, and how many of the judged ones these can be. */
const periodCandidatesMax = 200;
const periodPlacesMax = 16;

/** Chosen as signWeights.period; with more, a figure of the conversations falls. */
const unjudgedPeriodWeight = 0.1;

export const maxSimWeight = 1;
/**
 * The greatest sum of relevance, MaxSim and the signs that every query can have. The sum of a memory of the period can be greater, and is then
 * cut; with a greater divisor, all other queries would change.
 */
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

/** How many memories a search has to find, so that `topK` of them can be returned. */
export function candidatesFor(topK: number, hasPeriod: boolean): number {
  return Math.max(topK, candidatesMin, hasPeriod ? periodCandidatesMax : 0);
}

/**
 * The memories to judge: the first ones. With a period, the last places of these are for the first memories of the period behind them, if
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
export function rerankedRelevance({ relevance, maxSim, signs }: Evidence): number {
  const { speaker, time, asks, period } = signWeights;
  const signed = speaker * signs.speaker + time * signs.time + asks * signs.asks + period * signs.period;
  const sum = relevance + maxSimWeight * maxSim + signed;
  return Math.min(1, Math.max(0, sum - sumIrrelevant) / (sumMax - sumIrrelevant));
}

/** Of a memory that was not judged again: the part of its date that is in the period moves it up, too. */
export function unjudgedRelevance(relevance: number, period: number): number {
  return Math.min(1, relevance + unjudgedPeriodWeight * period);
}

/** The candidates by final score, best first. Equal ones keep their order. */
export function rerankedOrder<Candidate extends { readonly relevance: number; readonly importance: number }>(
  candidates: readonly Candidate[],
): readonly Candidate[] {
  return candidates.toSorted(
    (a, b) => finalScore(b.relevance, b.importance) - finalScore(a.relevance, a.importance),
  );
}
