// Owns the form of a result of a search in the API: a memory with its scores.

import { type Static, Type } from "@sinclair/typebox";
import { agentMemory, toAgentMemory } from "../../../memory/memory.ts";
import { finalScore } from "../../../memory/ranking/scores.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { type RankedHit, rerankDetails } from "./rerank.ts";

const unit = { minimum: 0, maximum: 1 };

const scoreDetails = Fields(
  {
    similarity: Type.Number({ ...unit, description: "The similarity of the result." }),
    keyword: Type.Number({
      ...unit,
      description: "Keyword score: how many words of the query the memory contains, weighted by rarity.",
    }),
    relevance: Type.Number({ ...unit, description: "Similarity and keyword score combined." }),
    importance: Type.Number({ ...unit, description: "The importance of the memory." }),
    rerank: rerankDetails,
    period: Type.Optional(
      Type.Number({
        ...unit,
        description:
          "Only if the query names a time and the memory was to be reranked, but was not: how much of its date is in that time. Then final_score = min(1, relevance + period * 0.1) * 0.7 + importance * 0.3.",
      }),
    ),
    recency: Type.Optional(
      Type.Number({
        ...unit,
        description:
          "Only without a query, where final_score = importance * 0.7 + recency * 0.3: 1 for a memory that was created or changed now, halved with every 30 days.",
      }),
    ),
  },
  {
    title: "ScoreDetails",
    description: "The components of final_score; only in the mode hybrid and in injections.",
  },
);

export const searchResultFields = {
  memory: agentMemory,
  similarity: Type.Number({
    ...unit,
    description: "Cosine similarity of the query and the content, limited to 0..1; 0 without a query.",
  }),
  final_score: Type.Number({
    ...unit,
    description:
      "similarity * 0.7 + importance * 0.3; in the mode hybrid, relevance * 0.7 + importance * 0.3, with the relevance of rerank if the memory was reranked; without a query, importance * 0.7 + recency * 0.3.",
  }),
  score_details: Type.Optional(scoreDetails),
};
export const searchResult = Fields(searchResultFields, { title: "SearchResult" });

/** The form of a result in the mode semantic. */
export function toResult({
  memory,
  similarity,
  relevance,
  rerank,
  period,
}: RankedHit): Static<typeof searchResult> {
  const final = rerank?.relevance ?? period?.relevance ?? relevance;
  return {
    memory: toAgentMemory(memory),
    similarity,
    final_score: finalScore(final, memory.importance),
  };
}

/** The form of a result in the mode hybrid. */
export function toDetailedResult(hit: RankedHit): Static<typeof searchResult> {
  const { similarity, keyword, relevance, memory, rerank, period } = hit;
  const details = { similarity, keyword, relevance, importance: memory.importance };
  const reranked = rerank && {
    rerank: { relevance: rerank.relevance, max_sim: rerank.maxSim, period: rerank.period },
  };
  const dated = period && { period: period.share };
  return { ...toResult(hit), score_details: { ...details, ...reranked, ...dated } };
}
