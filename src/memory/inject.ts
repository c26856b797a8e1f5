// Owns injection: which memories go into a prompt. Must never shorten a memory. A memory below min_similarity is excluded, whatever its
// importance.

import { Type } from "@sinclair/typebox";
import { confirm, projectOperation } from "../calls/operation.ts";
import { injectionFloorDefault, promptMaxCharacters, topKDefault } from "../limits.ts";
import { finalScore, relevance } from "../ranking/scores.ts";
import { Fields } from "../schema/schema.ts";
import { type AgentMemory, agentMemory, exampleMemory, type Memory, toAgentMemory } from "./memory.ts";
import { promptLineLength, toPrompt } from "./prompt.ts";
import { touchMemories } from "./read.ts";
import { query, searchResult, toDetailedResult, topK } from "./search.ts";
import type { SearchHit, SearchQuery } from "./store.ts";

const exampleRule: AgentMemory = {
  ...exampleMemory,
  id: "019a2b3c4d5e7f708192a3b4c5d6e7f9",
  content: "Never use npm in this project; use bun.",
  memory_type: "rule",
  importance: 1,
};

const exampleRelevance = relevance(0.62, 0.25);

export const injectMemories = projectOperation({
  name: "memory.inject",
  summary: "Choose memories for a prompt",
  description:
    "Returns all active, unexpired rules, the facts and contexts that are relevant to the query (hybrid search, best first), and the prompt section generated from both. Rules are always included.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  feature: "memory",
  refusals: [],
  success: 200,
  input: Fields({
    query,
    top_k: topK("Maximum number of facts and contexts."),
    max_characters: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: promptMaxCharacters,
        description:
          "Maximum total length of the lines of facts and contexts in the prompt, in Unicode code points. A memory that does not fit is omitted, never shortened. Without this field there is no limit.",
      }),
    ),
    min_similarity: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        default: injectionFloorDefault,
        description: "Facts and contexts with a lower similarity are excluded, whatever their importance.",
      }),
    ),
  }),
  output: Fields(
    {
      prompt: Type.String({ description: "The prompt section; empty when there are no memories to inject." }),
      query,
      rules: Type.Array(agentMemory, { description: "Ordered by importance, then newest first." }),
      results: Type.Array(searchResult, {
        description: "The facts and contexts in the prompt, ordered by final_score.",
      }),
      omitted: Type.Integer({
        minimum: 0,
        description:
          "Number of facts and contexts among the best top_k that were omitted because of max_characters.",
      }),
      rules_exceed_budget: Type.Boolean({
        description: "Whether the lines of the rules alone are longer than max_characters.",
      }),
      characters: Type.Integer({
        minimum: 0,
        description: "Total length of the lines of facts and contexts in the prompt, in Unicode code points.",
      }),
    },
    { title: "Injection" },
  ),
  example: {
    input: { query: "When do we release?", max_characters: 2000 },
    data: {
      prompt: toPrompt([toExample(exampleRule), toExample(exampleMemory)]),
      query: "When do we release?",
      rules: [exampleRule],
      results: [
        {
          memory: exampleMemory,
          similarity: 0.62,
          final_score: finalScore(exampleRelevance, exampleMemory.importance),
          score_details: {
            similarity: 0.62,
            keyword: 0.25,
            relevance: exampleRelevance,
            importance: exampleMemory.importance,
          },
        },
      ],
      omitted: 0,
      rules_exceed_budget: false,
      characters: promptLineLength(toExample(exampleMemory)),
    },
  },

  async prepare(input, { store, caller, embed, now, signal }) {
    const wanted: SearchQuery = {
      vector: await embed(input.query, "query"),
      words: input.query,
      types: ["fact", "context"],
      topK: input.top_k ?? topKDefault,
      minSimilarity: input.min_similarity ?? injectionFloorDefault,
      includeExpired: false,
      includeInactive: false,
      now,
    };
    const { rules, hits } = await store.memories.readForInjection(caller.project, wanted, signal);
    const budget = input.max_characters ?? Number.POSITIVE_INFINITY;
    const { fitting, characters } = fit(hits, budget);
    const injected = [...rules, ...fitting.map(({ memory }) => memory)];
    const data = {
      prompt: toPrompt(injected),
      query: input.query,
      rules: rules.map(toAgentMemory),
      results: fitting.map(toDetailedResult),
      omitted: hits.length - fitting.length,
      rules_exceed_budget: lengthOf(rules) > budget,
      characters,
    };
    const after = touchMemories(caller.project, injected, now);
    return { foreseen: { data, details: { output_content: data.prompt }, after }, prepared: null };
  },

  apply: confirm,
});

/** Takes the hits in their order and skips each that does not fit, so shorter ones after a long one may still fit. */
function fit(hits: readonly SearchHit[], budget: number) {
  let characters = 0;
  const fitting = hits.filter(({ memory }) => {
    const length = promptLineLength(memory);
    if (characters + length > budget) return false;
    characters += length;
    return true;
  });
  return { fitting, characters };
}

function lengthOf(memories: readonly Memory[]): number {
  return memories.reduce((sum, memory) => sum + promptLineLength(memory), 0);
}

function toExample({ content, memory_type, created_at }: AgentMemory) {
  const at = Date.parse(created_at);
  return { content, type: memory_type, createdAt: at, updatedAt: at, expiresAt: null };
}
