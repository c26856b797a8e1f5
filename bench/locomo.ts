// Reads conversations with questions in the LoCoMo format and judges rankings of their turns.

import { readFileSync } from "node:fs";
import { mean, percent } from "./figures.ts";

export interface Conversation {
  readonly id: string;
  readonly turns: readonly {
    readonly id: string;
    readonly session: number;
    readonly date: string;
    readonly text: string;
  }[];
  readonly questions: readonly {
    readonly question: string;
    readonly answer: string | number;
    readonly evidence: readonly string[];
  }[];
}

export function readConversations(file: string): readonly Conversation[] {
  return JSON.parse(readFileSync(file, "utf8")) as Conversation[];
}

/** How a turn is stored as a memory. */
export function toContent({ date, text }: Conversation["turns"][number]): string {
  return `[${date}] ${text}`;
}

/** One question's ranking: for each place, from the first, the ids of the turns found there (several if their texts are equal). */
export interface Ranking {
  readonly places: readonly (readonly string[])[];
  readonly evidence: readonly string[];
}

export const qualityColumns = [
  ...["hit@1", "hit@5", "hit@10", "hit@20"],
  ...["recall@1", "recall@5", "recall@10", "recall@20"],
  ...["nDCG@10", "MRR@20"],
];

/** Means over all questions, in percent, in the order of qualityColumns. */
export function judge(rankings: readonly Ranking[]): string[] {
  const cuts = [1, 5, 10, 20];
  const over = (measure: (ranking: Ranking) => number) => percent(mean(rankings.map(measure)));
  return [
    ...cuts.map((k) => percent(hitRate(rankings, k))),
    ...cuts.map((k) => over((ranking) => recall(ranking, k))),
    over(normalisedGain),
    percent(meanReciprocalRank(rankings)),
  ];
}

/** Share (0..1) of the questions with any evidence turn among the first k places. */
export function hitRate(rankings: readonly Ranking[], k: number): number {
  return mean(rankings.map((ranking) => (recall(ranking, k) > 0 ? 1 : 0)));
}

/** Share of the evidence turns among the first k places. */
function recall({ places, evidence }: Ranking, k: number): number {
  const found = new Set(places.slice(0, k).flat());
  return evidence.filter((id) => found.has(id)).length / evidence.length;
}

/** Of the first evidence among the first 20 places, 0..1. */
export function meanReciprocalRank(rankings: readonly Ranking[]): number {
  return mean(rankings.map(reciprocalRank));
}

function reciprocalRank({ places, evidence }: Ranking): number {
  const first = places.slice(0, 20).findIndex((ids) => ids.some((id) => evidence.includes(id)));
  return first < 0 ? 0 : 1 / (first + 1);
}

/** nDCG@10 with gain 1 for a place that holds evidence (Järvelin and Kekäläinen 2002). */
function normalisedGain({ places, evidence }: Ranking): number {
  const discount = (place: number) => 1 / Math.log2(place + 2);
  const gain = places
    .slice(0, 10)
    .reduce((sum, ids, place) => sum + (ids.some((id) => evidence.includes(id)) ? discount(place) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, evidence.length) }, (_, place) => discount(place));
  return gain / ideal.reduce((sum, value) => sum + value, 0);
}
