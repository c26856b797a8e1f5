// Owns what a search or an injection has not returned, and why: the best of the other memories, each with the conditions that it does not meet.
// It follows from a second search without conditions, so it changes nothing about the first one.

import { type Static, Type } from "@sinclair/typebox";
import { originOf } from "../../../memory/kind.ts";
import { missedMax } from "../../../memory/limits.ts";
import { isExpired } from "../../../memory/memory.ts";
import { finalScore } from "../../../memory/ranking/scores.ts";
import { matchesMetadata } from "../../../memory/search/metadata-filter.ts";
import { matchesTags } from "../../../memory/tags.ts";
import { Choice, Fields, Flag } from "../../../platform/schema/schema.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { SearchHit, SearchQuery } from "../../storage/memory-store.ts";
import { searchResultFields, toDetailedResult, toResult } from "./search-result.ts";

const reasons = [
  "type",
  "origin",
  "tags",
  "metadata",
  "inactive",
  "expired",
  "below_floor",
  "rank",
  "budget",
] as const;
type MissedReason = (typeof reasons)[number];

export const missedMemory = Fields(
  {
    ...searchResultFields,
    reasons: Type.Array(
      Choice(reasons, {
        title: "MissedReason",
        description:
          "type, origin, tags, metadata: the call has a filter that the memory does not match. inactive, expired: the memory is. below_floor: the similarity is below min_similarity, or, in an injection without it, the relevance is not above that of unrelated prompts. rank: it has a lower score than the last of top_k results. budget: it does not fit into max_characters.",
      }),
      { minItems: 1, description: "All conditions that the memory does not meet." },
    ),
  },
  { title: "MissedMemory", description: "A memory that the call has not returned, and why." },
);
export type MissedMemory = Static<typeof missedMemory>;

export const explain = Flag(
  `Whether to return the best ${missedMax} of the memories that are not among the results, each with the reasons. It takes a second search.`,
  false,
);

export const missed = Type.Optional(
  Type.Array(missedMemory, {
    description:
      "With explain: the best of the other memories by final_score. Scores are those of a search in all memories; keyword scores differ from those of the results, because words have another rarity there.",
  }),
);

/**
 * Finds the best memories that a search has not returned.
 * @param hits what it has returned, best first
 * @param types that are found besides; null: all
 * @param floor of the relevance
 */
export async function findMissed(
  query: SearchQuery,
  hits: readonly SearchHit[],
  types: SearchQuery["types"],
  { store, caller, signal }: Pick<Preparation, "store" | "caller" | "signal">,
  floor = 0,
): Promise<MissedMemory[]> {
  const wide: SearchQuery = {
    ...query,
    types,
    origin: null,
    tags: null,
    metadata: null,
    minSimilarity: 0,
    includeExpired: true,
    includeInactive: true,
    topK: query.topK + missedMax,
  };
  const found = await store.memories.search(caller.owner, wide, signal);
  const returned = new Set(hits.map(({ memory }) => memory.id));
  // A reranker may have moved it to another place.
  const last = hits.length < query.topK ? null : Math.min(...hits.map(scoreOf));
  const toForm = query.words === null ? toResult : toDetailedResult;
  return found
    .filter(({ memory }) => !returned.has(memory.id))
    .slice(0, missedMax)
    .map((hit) => ({ ...toForm(hit), reasons: reasonsOf(hit, query, last, floor) }));
}

function scoreOf({ relevance, memory }: SearchHit): number {
  return finalScore(relevance, memory.importance);
}

/** All conditions that a memory does not meet. @param last the lowest score of a full page of results; null: there was room for more */
function reasonsOf(hit: SearchHit, query: SearchQuery, last: number | null, floor: number): MissedReason[] {
  const { types, origin = null, tags, metadata, includeExpired, includeInactive, minSimilarity, now } = query;
  const { memory, similarity, relevance } = hit;
  const conditions: readonly (readonly [MissedReason, boolean])[] = [
    ["type", types === null || types.includes(memory.type)],
    ["origin", origin === null || origin === originOf(memory)],
    ["tags", matchesTags(memory.tags, tags)],
    ["metadata", matchesMetadata(memory.metadata, metadata)],
    ["inactive", includeInactive || memory.active],
    ["expired", includeExpired || !isExpired(memory, now)],
    ["below_floor", similarity >= minSimilarity && relevance >= floor],
    ["rank", last === null || scoreOf(hit) > last],
  ];
  const failed = conditions.filter(([, isMet]) => !isMet).map(([reason]) => reason);
  // Keyword scores of the two searches differ a little: what meets all conditions was beaten by the results.
  return failed.length === 0 ? ["rank"] : failed;
}
