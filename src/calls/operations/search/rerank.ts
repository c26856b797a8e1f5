// Owns the reranking of a hybrid search: its first memories are compared with the query again, and ordered by the result. Must never
// add a memory, and leaves the order as it is where that is not possible.

import { Type } from "@sinclair/typebox";
import { toSearched } from "../../../memory/memory.ts";
import { shareOfPeriod } from "../../../memory/memory-period.ts";
import {
  candidatesAmong,
  candidatesFor,
  candidatesMin,
  relevanceWithoutRerank,
  rerankedOrder,
  rerankedRelevance,
} from "../../../memory/ranking/reranking.ts";
import { type CallReranker, type RerankChoice, rerankChoices } from "../../../memory/search/reranker.ts";
import type { Period } from "../../../platform/dates/period.ts";
import { periodOf } from "../../../platform/dates/query-period.ts";
import { Choice, Fields, Flag } from "../../../platform/schema/schema.ts";
import type { SearchHit } from "../../storage/memory-store.ts";

export interface RankedHit extends SearchHit {
  /** How it was reranked, with the relevance that follows; undefined: it was not. */
  readonly rerank?:
    | { readonly relevance: number; readonly maxSim: number; readonly period: number }
    | undefined;
  /** If it was not reranked, and the query names a time: how much of its date is in it, with the relevance that follows. */
  readonly period?: { readonly relevance: number; readonly share: number };
}

export interface Ranked {
  /** Best first. */
  readonly hits: readonly RankedHit[];
  /** Whether the reranker has ordered them; absent: it was not asked. */
  readonly reranked?: boolean;
}

const unit = { minimum: 0, maximum: 1 };

export const rerankField = Type.Optional(
  Choice(rerankChoices, {
    title: "Rerank",
    description: `Whether the best ${candidatesMin} memories (more if top_k is more) are reranked by a model that compares each word of the query with each word of a memory. auto: if it is done in time. on: however long it takes. off: never. An injection with auto waits as with on, so that equal queries give equal prompts. Only in hybrid searches, and in injections with a query. Without this field, the setting rerank of the server decides.`,
  }),
);

export const rerankedField = Flag(
  "Whether the memories were reranked; false: not in time, or the server cannot, and only a time that the query names changes the order. Absent if it was not asked for.",
);

/** A part of score_details. */
export const rerankDetails = Type.Optional(
  Fields(
    {
      relevance: Type.Number({
        ...unit,
        description:
          "Replaces the relevance in final_score: (relevance + max_sim + period * 0.3 - 0.5) / 1.5, limited to 0..1.",
      }),
      max_sim: Type.Number({
        minimum: -1,
        maximum: 1,
        description: "Mean over the words of the query: similarity to the most similar word of the memory.",
      }),
      period: Type.Number({
        ...unit,
        description:
          "If the query names a time, such as last May: how much of the memory's date is in it. The date is one in its text, or else said_at of its origin, or else created_at.",
      }),
    },
    { title: "RerankDetails", description: "Only if the memory was reranked." },
  ),
);

/** How a search wants to be reranked. */
export interface Reranking {
  readonly query: string;
  /** Number of results. */
  readonly topK: number;
  readonly choice: RerankChoice;
  /** That the query names; null: none, or nothing is reranked. */
  readonly period: Period | null;
}

export function toReranking(query: string, topK: number, choice: RerankChoice, now: number): Reranking {
  return { query, topK, choice, period: choice === "off" ? null : periodOf(query, now) };
}

/** How many memories a search has to find, so that `topK` of them can be returned. */
export function candidatesOf({ topK, choice, period }: Reranking): number {
  return choice === "off" ? topK : candidatesFor(topK, period !== null);
}

/**
 * Orders the hits again and returns the best `topK`.
 * @param found as many as `candidatesOf` or more, best first
 */
export async function rerank(
  found: readonly SearchHit[],
  { query, topK, choice, period }: Reranking,
  reranker: CallReranker,
): Promise<Ranked> {
  if (choice === "off") return { hits: found.slice(0, topK) };
  const isOfPeriod = period && (({ memory }: SearchHit) => shareOfPeriod(memory, period) >= 0.5);
  const chosen = candidatesAmong(found, topK, isOfPeriod);
  const contents = chosen.map(({ memory }) => toSearched(memory));
  const maxSims = await reranker.scoreTexts(query, contents, choice);
  if (maxSims === null) return { hits: withoutRerank(chosen, period).slice(0, topK), reranked: false };
  const candidates = chosen.map((hit, at) => {
    const share = period === null ? 0 : shareOfPeriod(hit.memory, period);
    const maxSim = maxSims[at] ?? 0;
    const relevance = rerankedRelevance({ relevance: hit.relevance, maxSim, period: share });
    const { importance } = hit.memory;
    return { relevance, importance, hit: { ...hit, rerank: { relevance, maxSim, period: share } } };
  });
  return {
    hits: rerankedOrder(candidates)
      .slice(0, topK)
      .map(({ hit }) => hit),
    reranked: true,
  };
}

/** In the order of the search, in which the memories of a period move up. */
function withoutRerank(found: readonly SearchHit[], period: Period | null): readonly RankedHit[] {
  if (period === null) return found;
  const candidates = found.map((hit) => {
    const share = shareOfPeriod(hit.memory, period);
    const relevance = relevanceWithoutRerank(hit.relevance, share);
    return { relevance, importance: hit.memory.importance, hit: { ...hit, period: { relevance, share } } };
  });
  return rerankedOrder(candidates).map(({ hit }) => hit);
}
