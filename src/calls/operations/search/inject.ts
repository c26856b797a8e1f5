// Owns injection: which memories go into a prompt. Must never shorten a memory. With a query, a memory below the minimum similarity or relevance is excluded,
// whatever its importance; without one, the most important and most recent memories are injected.

import { Type } from "@sinclair/typebox";
import { inConversationOrder, withoutRepeated } from "../../../memory/extraction/conversation-order.ts";
import { messages, readUtterances, requireOne } from "../../../memory/extraction/messages.ts";
import { describeTold } from "../../../memory/extraction/told.ts";
import { originFilter } from "../../../memory/kind.ts";
import type { AgentMemory, Memory } from "../../../memory/memory.ts";
import { agentMemory, exampleMemory, toAgentMemory } from "../../../memory/memory.ts";
import { saidAt } from "../../../memory/origin.ts";
import { includeProject } from "../../../memory/owner.ts";
import { finalScore, relevance } from "../../../memory/ranking/scores.ts";
import { queryOf } from "../../../memory/search/message-query.ts";
import { metadataFilter } from "../../../memory/search/metadata-filter.ts";
import { inPromptOrder, promptLineLength, toPrompt } from "../../../memory/search/prompt.ts";
import { query } from "../../../memory/search/query.ts";
import type { RerankChoice } from "../../../memory/search/reranker.ts";
import { sideBySide } from "../../../memory/search/side-by-side.ts";
import { tagsMatch, WantedTags } from "../../../memory/tags.ts";
import { fieldRefusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { promptMaxCharacters } from "../../../platform/limits.ts";
import { Count, type FieldRules, Fields, Nullable, notTogether } from "../../../platform/schema/schema.ts";
import { isBlank } from "../../../platform/text/characters.ts";
import { projectOperation } from "../../contract/operation.ts";
import { touchMemories } from "../memories/read.ts";
import { type Found, findCandidates } from "./injection-candidates.ts";
import { findNeighbours } from "./injection-neighbours.ts";
import { explain, type MissedMemory, missed } from "./missed.ts";
import { rerankedField, rerankField } from "./rerank.ts";
import { topK } from "./search.ts";
import { searchResult } from "./search-result.ts";

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
    "Returns all active, unexpired rules, facts and contexts, and the prompt section generated from both. With a query, these are the facts and contexts that are relevant to it (hybrid search, best first, reranked if rerank says so); without one, the most important and most recent ones. Rules are always included. Only if tags are given, a rule that has tags must match them, as facts and contexts must; a rule without tags is still included. The same applies to metadata. With origin, only facts and contexts of that origin are chosen; rules are still included.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  forConversations: true,
  passages: "reads",
  feature: "memory",
  input: Fields(
    {
      query: Type.Optional(query),
      messages: Type.Optional(
        messages(
          "A conversation in the form of chat APIs, instead of a query. The query is the last message of the user. Of a message of more than 2,000 characters, the first and the last 1,000 are read. A message of fewer than 25 characters (those of Chinese, Japanese and Korean count twice) is preceded by the last 240 characters of what the user said before. All other messages are ignored.",
        ),
      ),
      tags: Type.Optional(
        WantedTags(
          "Only facts and contexts with these tags. Rules that have tags are included only if they match. Rules without tags are always included.",
        ),
      ),
      tags_match: Type.Optional(tagsMatch),
      metadata: metadataFilter,
      origin: originFilter,
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
          description:
            "Facts and contexts with a lower similarity are excluded, whatever their importance. Needs a query. Without it, facts and contexts are excluded whose relevance is not above that of unrelated prompts in a project of this size, and passages of conversations that are less than half as relevant as the best memory.",
        }),
      ),
      rerank: rerankField,
      include_project: includeProject,
      explain,
    },
    {
      ...notTogether("query", "messages"),
      allOf: [
        needsQuery({ required: ["min_similarity"] }),
        needsQuery({ required: ["rerank"], properties: { rerank: { const: "on" } } }),
      ],
    },
  ),
  output: Fields(
    {
      prompt: Type.String({ description: "The prompt section; empty when there are no memories to inject." }),
      query: Nullable(query),
      rules: Type.Array(agentMemory, { description: "Ordered by importance, then oldest first." }),
      results: Type.Array(searchResult, {
        description:
          "The facts and contexts in the prompt, ordered by final_score; without a query, passages of conversations after all others.",
      }),
      neighbours: Type.Optional(
        Type.Array(agentMemory, {
          description:
            "Passages of conversations that are in the prompt because they were said next to one of the best three passages of the results, and that fit into max_characters after all of these. The field is absent if there are none.",
        }),
      ),
      omitted: Count(
        "Number of facts and contexts among the best top_k that were omitted because of max_characters.",
      ),
      rules_exceed_budget: Type.Boolean({
        description: "Whether the lines of the rules alone are longer than max_characters.",
      }),
      characters: Count(
        "Total length of the lines of facts and contexts in the prompt, in Unicode code points.",
      ),
      reranked: rerankedField,
      missed,
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

  async prepare(input, preparation) {
    const { caller, now } = preparation;
    const query = readQuery(input);
    const {
      rules,
      results: found,
      missed: others,
      isSelected,
      withProject,
      ...ranked
    } = await findCandidates(input, query, preparation);
    const budget = input.max_characters ?? Number.POSITIVE_INFINITY;
    const fitting = fit(found, budget);
    const chosen = withoutRepeated(fitting, ({ memory }) => memory.content);
    const shown = chosen.map(({ memory }) => memory);
    const room = { characters: budget - lengthOf(shown), isSelected, withProject };
    const neighbours = query === null ? [] : await findNeighbours(shown, room, preparation);
    const references = [...shown, ...neighbours];
    const ids = [...rules, ...references].map(({ id }) => id);
    const links = await preparation.store.suggestions.linksBetween(caller.owner, ids);
    const injected = sideBySide(inConversationOrder([...rules, ...references]), links, saidAt);
    const data = {
      prompt: toPrompt(injected),
      query,
      rules: rules.map(toAgentMemory),
      results: chosen.map(({ result }) => result),
      ...(neighbours.length > 0 ? { neighbours: neighbours.map(toAgentMemory) } : {}),
      omitted: found.length - fitting.length,
      rules_exceed_budget: lengthOf(rules) > budget,
      characters: lengthOf(references),
      ...ranked,
      ...(input.explain === true ? { missed: [...overBudget(found, fitting), ...others] } : {}),
    };
    const after = touchMemories(caller.owner, injected, now);
    const told = describeTold(inPromptOrder(injected), data.prompt === "" ? [] : [data.prompt]);
    const details = { output_content: data.prompt, ...told };
    return { precomputed: { data, details, after }, prepared: null };
  },
});

/** What a request that matches `given` needs. */
function needsQuery(given: JsonObject): FieldRules {
  return { anyOf: [{ not: given }, { required: ["query"] }, { required: ["messages"] }] };
}

/** The fields from which the query follows. */
interface Asked {
  readonly query?: string;
  readonly messages?: readonly object[];
  readonly min_similarity?: number;
  readonly rerank?: RerankChoice;
}

/**
 * Null without a query, for a blank one, and for messages in which no user says anything.
 * @throws Refusal 1400 when query and messages are given, or min_similarity or a certain rerank without both
 */
function readQuery({ query, messages, min_similarity, rerank }: Asked): string | null {
  requireOne("query", query, messages);
  if (messages !== undefined) return queryOf(readUtterances(messages));
  if (query === undefined && min_similarity !== undefined) {
    throw fieldRefusal("min_similarity", "needs a query. Add query or messages, or omit this field");
  }
  if (query === undefined && rerank === "on") {
    throw fieldRefusal("rerank", "needs a query. Add query or messages, or omit this field");
  }
  // A blank query says nothing, and is answered as none.
  return query === undefined || isBlank(query) ? null : query;
}

/** Takes the memories in their order and skips each that does not fit, so shorter ones after a long one may still fit. */
function fit(found: readonly Found[], budget: number): readonly Found[] {
  let characters = 0;
  return found.filter(({ memory }) => {
    const length = promptLineLength(memory);
    if (characters + length > budget) return false;
    characters += length;
    return true;
  });
}

/** What does not fit would be in the prompt with a larger budget, so it is in front of what was not chosen. */
function overBudget(found: readonly Found[], fitting: readonly Found[]): MissedMemory[] {
  const taken = new Set(fitting);
  return found.filter((each) => !taken.has(each)).map(({ result }) => ({ ...result, reasons: ["budget"] }));
}

function lengthOf(memories: readonly Memory[]): number {
  return memories.reduce((sum, memory) => sum + promptLineLength(memory), 0);
}

function toExample({ content, memory_type, created_at }: AgentMemory) {
  const at = Date.parse(created_at);
  return { content, type: memory_type, createdAt: at, updatedAt: at, expiresAt: null };
}
