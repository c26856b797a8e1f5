// Owns search: the best memories by final score. The order is exact over all matching memories.

import { Type } from "@sinclair/typebox";
import { originFilter } from "../../../memory/kind.ts";
import { exampleMemory, memoryType } from "../../../memory/memory.ts";
import { includeProject } from "../../../memory/owner.ts";
import { finalScore } from "../../../memory/ranking/scores.ts";
import { metadataFilter, toMetadataFilter } from "../../../memory/search/metadata-filter.ts";
import { query, searchModes } from "../../../memory/search/query.ts";
import { tagsMatch, toTagFilter, WantedTags } from "../../../memory/tags.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import { topKDefault, topKMax } from "../../../platform/limits.ts";
import { Choice, Count, Fields, Flag } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { SearchQuery } from "../../storage/memory-store.ts";
import { touchMemories } from "../memories/read.ts";
import { explain, findMissed, missed } from "./missed.ts";
import { candidatesOf, rerank, rerankedField, rerankField, toReranking } from "./rerank.ts";
import { searchResult, toDetailedResult, toResult } from "./search-result.ts";

export const topK = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: topKMax, default: topKDefault, description }));
const unit = { minimum: 0, maximum: 1 };

export const searchMemories = projectOperation({
  name: "memory.search",
  summary: "Search memories by meaning, or by meaning and keywords",
  description:
    "Ranks all active, unexpired memories by final_score = similarity * 0.7 + importance * 0.3 and returns the best top_k. In the mode hybrid, relevance (similarity and keyword score combined) replaces similarity, and the best memories can be reranked by a model (rerank), whose relevance then replaces it. total is the number of results returned.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  passages: "reads",
  feature: "memory",
  input: Fields(
    {
      query,
      mode: Type.Optional(
        Choice(searchModes, {
          title: "SearchMode",
          default: "semantic",
          description:
            "semantic: by meaning. hybrid: by meaning and keywords, which also finds names, numbers and identifiers; each result then has score_details.",
        }),
      ),
      rerank: rerankField,
      memory_type: Type.Optional(memoryType),
      origin: originFilter,
      tags: Type.Optional(WantedTags("Only memories with these tags are ranked.")),
      tags_match: Type.Optional(tagsMatch),
      metadata: metadataFilter,
      top_k: topK("Maximum number of results."),
      min_similarity: Type.Optional(
        Type.Number({
          ...unit,
          description: "Memories with a lower similarity are excluded before ranking.",
        }),
      ),
      include_expired: Flag("Whether to include expired memories.", false),
      include_inactive: Flag("Whether to include inactive memories.", false),
      include_project: includeProject,
      explain,
    },
    {
      anyOf: [
        { not: { required: ["rerank"], properties: { rerank: { const: "on" } } } },
        { required: ["mode"], properties: { mode: { const: "hybrid" } } },
      ],
    },
  ),
  output: Fields(
    {
      results: Type.Array(searchResult),
      query,
      total: Count("Number of results."),
      reranked: rerankedField,
      missed,
    },
    { title: "SearchResults" },
  ),
  example: {
    input: { query: "When do we release?", top_k: 5 },
    data: {
      results: [
        { memory: exampleMemory, similarity: 0.62, final_score: finalScore(0.62, exampleMemory.importance) },
      ],
      query: "When do we release?",
      total: 1,
    },
  },

  async prepare(input, preparation) {
    const { store, caller, embed, now, signal } = preparation;
    const isHybrid = input.mode === "hybrid";
    if (!isHybrid && input.rerank === "on") {
      throw fieldRefusal("rerank", 'needs the mode hybrid. Add "mode": "hybrid", or omit this field');
    }
    const choice = isHybrid ? (input.rerank ?? preparation.reranker.choice) : "off";
    const topK = input.top_k ?? topKDefault;
    const metadata = toMetadataFilter(input.metadata);
    const wanted: SearchQuery = {
      vector: await embed(input.query, "query"),
      words: isHybrid ? input.query : null,
      types: input.memory_type === undefined ? null : [input.memory_type],
      origin: input.origin ?? null,
      tags: toTagFilter(input.tags, input.tags_match),
      metadata,
      topK,
      minSimilarity: input.min_similarity ?? 0,
      includeExpired: input.include_expired ?? false,
      includeInactive: input.include_inactive ?? false,
      withProject: caller.ownsProject || (input.include_project ?? true),
      now,
    };
    const reranking = toReranking(input.query, topK, choice, now);
    const candidates = { ...wanted, topK: candidatesOf(reranking) };
    const found = await store.memories.search(caller.owner, candidates, signal);
    const { hits, ...ranked } = await rerank(found, reranking, preparation.reranker);
    const results = hits.map(isHybrid ? toDetailedResult : toResult);
    const others =
      input.explain === true
        ? { missed: await findMissed(wanted, hits, null, { store, caller, signal }) }
        : {};
    const data = { results, query: input.query, total: results.length, ...ranked, ...others };
    const memories = hits.map(({ memory }) => memory);
    return { precomputed: { data, after: touchMemories(caller.owner, memories, now) }, prepared: null };
  },
});
