// Owns which memories an injection chooses from: all rules, and the facts and contexts that are relevant to its query, or without one the
// most important and most recent ones. Must never decide what fits into a prompt.

import type { Static } from "@sinclair/typebox";
import { missedMax } from "../../../memory/limits.ts";
import { type Memory, type MemoryOrigin, type MemoryType, toAgentMemory } from "../../../memory/memory.ts";
import { priority, recencyOf } from "../../../memory/ranking/priority.ts";
import {
  type MetadataFilter,
  matchesMetadata,
  toMetadataFilter,
} from "../../../memory/search/metadata-filter.ts";
import type { RerankChoice } from "../../../memory/search/reranker.ts";
import { matchesTags, type TagFilter, toTagFilter } from "../../../memory/tags.ts";
import { topKDefault } from "../../../platform/limits.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { TopMemories, TopMemoriesQuery } from "../../storage/memory-store.ts";
import { findMissed, type MissedMemory } from "./missed.ts";
import { candidatesOf, type RankedHit, rerank, toReranking } from "./rerank.ts";
import { type searchResult, toDetailedResult } from "./search-result.ts";

const searchedTypes: readonly MemoryType[] = ["fact", "context"];

/** The fields that restrict the choice. */
interface Wanted {
  readonly tags?: readonly string[];
  readonly tags_match?: TagFilter["match"];
  readonly metadata?: object;
  readonly origin?: MemoryOrigin;
  readonly top_k?: number;
  readonly min_similarity?: number;
  readonly include_project?: boolean;
  readonly explain?: boolean;
  readonly rerank?: RerankChoice;
}

/** A fact or a context, and its form in the answer. */
export interface Found {
  readonly memory: Memory;
  readonly result: Static<typeof searchResult>;
}

interface Candidates {
  /** Whether a fact or a context has the tags and the metadata that are wanted. */
  readonly isSelected: (memory: Memory) => boolean;
  /** Whether memories of the project itself are among the results, if the call is for a subject. */
  readonly withProject: boolean;
  readonly rules: readonly Memory[];
  /** Best first. */
  readonly results: readonly Found[];
  /** As Ranked.reranked. */
  readonly reranked?: boolean;
  /** With `explain`: the best of the other facts and contexts. */
  readonly missed: readonly MissedMemory[];
}

/** @param query null: the most important and most recent memories */
export async function findCandidates(
  { top_k: topK = topKDefault, explain = false, origin, ...wanted }: Wanted,
  query: string | null,
  preparation: Preparation,
): Promise<Candidates> {
  const { store, caller, embed, placePrompt, now, signal, reranker } = preparation;
  const tags = toTagFilter(wanted.tags, wanted.tags_match);
  const metadata = toMetadataFilter(wanted.metadata);
  const isInScope = inScope(tags, metadata);
  const isSelected = (memory: Memory) =>
    matchesTags(memory.tags, tags) && matchesMetadata(memory.metadata, metadata);
  const withProject = caller.ownsProject || (wanted.include_project ?? true);
  if (query === null) {
    const most = explain ? topK + missedMax : topK;
    const search = {
      types: searchedTypes,
      origin: origin ?? null,
      tags,
      metadata,
      topK: most,
      withProject,
      now,
    };
    const { rules, memories } = await readTopMemories(search, preparation);
    const ranked = memories.map((memory) => ({ memory, result: toUnqueried(memory, now) }));
    return {
      isSelected,
      withProject,
      rules: rules.filter(isInScope),
      results: ranked.slice(0, topK),
      missed: ranked.slice(topK).map(({ result }) => ({ ...result, reasons: ["rank"] })),
    };
  }
  const search = {
    vector: await embed(query, "query"),
    words: query,
    types: searchedTypes,
    origin: origin ?? null,
    tags,
    metadata,
    topK,
    minSimilarity: wanted.min_similarity ?? 0,
    includeExpired: false,
    includeInactive: false,
    withProject,
    now,
  };
  // A prompt that depends on how busy the server is would not be in the caches of providers.
  const choice = wanted.rerank ?? reranker.choice;
  const reranking = toReranking(query, topK, choice === "auto" ? "on" : choice, now);
  const prompt = wanted.min_similarity === undefined ? await placePrompt(search.vector) : null;
  const candidates = { ...search, prompt, topK: candidatesOf(reranking) };
  const read = await store.memories.readForInjection(caller.owner, candidates, signal);
  const { rules, hits: found, floor } = read;
  const { hits: best, ...ranked } = await rerank(found, reranking, reranker);
  const hits = wanted.min_similarity === undefined ? withoutFaint(best) : best;
  const others = explain ? await findMissed(search, hits, searchedTypes, preparation, floor) : [];
  return {
    isSelected,
    withProject,
    rules: rules.filter(isInScope),
    missed: others,
    results: hits.map((hit) => ({ memory: hit.memory, result: toDetailedResult(hit) })),
    ...ranked,
  };
}

/**
 * Without the passages that are less than half as relevant as the best memory. Conversations have many that resemble a query a little; what is
 * kept was chosen, and stays. With 0.7 instead, answers are lost (bench/said.ts).
 */
function withoutFaint(hits: readonly RankedHit[]): readonly RankedHit[] {
  const relevanceOf = ({ rerank, period, relevance }: RankedHit) =>
    rerank?.relevance ?? period?.relevance ?? relevance;
  const least = Math.max(0, ...hits.map(relevanceOf)) / 2;
  return hits.filter((hit) => !hit.memory.passage || relevanceOf(hit) >= least);
}

/** Passages are injected without a query only where what is kept leaves room: nobody has chosen them, and the newest ones are many. */
async function readTopMemories(
  query: TopMemoriesQuery,
  { store, caller, signal }: Preparation,
): Promise<TopMemories> {
  const read = (wanted: TopMemoriesQuery) => store.memories.readTopMemories(caller.owner, wanted, signal);
  if (query.origin !== null) return await read(query);
  const { rules, memories: kept } = await read({ ...query, origin: "kept" });
  if (kept.length === query.topK) return { rules, memories: kept };
  const rest = await read({ ...query, origin: "conversation", topK: query.topK - kept.length });
  return { rules, memories: [...kept, ...rest.memories] };
}

/** A rule without tags is a rule of the whole project, and so is one without metadata. */
function inScope(tags: TagFilter | null, metadata: MetadataFilter | null) {
  return (rule: Memory) =>
    (rule.tags.length === 0 || matchesTags(rule.tags, tags)) &&
    (rule.metadata === null || matchesMetadata(rule.metadata, metadata));
}

/** Nothing was compared, so the similarity is 0. */
function toUnqueried(memory: Memory, now: number): Static<typeof searchResult> {
  const { importance } = memory;
  const recency = recencyOf(memory.updatedAt, now);
  return {
    memory: toAgentMemory(memory),
    similarity: 0,
    final_score: priority(importance, recency),
    score_details: { similarity: 0, keyword: 0, relevance: 0, importance, recency },
  };
}
