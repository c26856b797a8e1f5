// Owns an extraction's item towards clients: what was extracted, and what became of it.

import { type Static, Type } from "@sinclair/typebox";
import { toTimestamp } from "../clock.ts";
import { Choice, Fields, Nullable } from "../schema/schema.ts";
import { actions, type Outcome } from "./deduplicate.ts";
import { content, exampleMemory, expiresAt, importance, memoryId, memoryType } from "./memory.ts";

export const extractionItem = Fields(
  {
    id: Nullable(memoryId),
    content,
    memory_type: memoryType,
    importance,
    expires_at: expiresAt,
    action: Choice(actions, {
      title: "ExtractionAction",
      description:
        "created: a new memory. updated: the memory was similar (above 0.90) and has this content now; its type and importance have not changed, and its expiry only where the item has one. skipped: the memory says this already (above 0.98, or the same text), or is similar and inactive.",
    }),
    evidence: Type.String({ description: "The sentence of the text that says it, verbatim." }),
    match: Nullable(
      Fields(
        {
          id: Nullable(memoryId),
          similarity: Type.Number({ minimum: 0, maximum: 1, description: "Cosine similarity to the item." }),
        },
        {
          title: "ExtractionMatch",
          description: "The memory that was updated, or for which the item was skipped.",
        },
      ),
    ),
  },
  {
    title: "ExtractionItem",
    description: "What was extracted, and what became of it. An id is null in a dry run.",
  },
);
export type ExtractionItem = Static<typeof extractionItem>;

/** In a dry run the memories that the call itself would have created have no id. */
export function toExtractionItem(outcome: Outcome, created: ReadonlySet<string>): ExtractionItem {
  const { item, action, memoryId, memoryType, match } = outcome;
  const shown = (id: string) => (created.has(id) ? null : id);
  return {
    id: shown(memoryId),
    content: item.content,
    memory_type: memoryType,
    importance: item.importance,
    expires_at: item.expiresAt === null ? null : toTimestamp(item.expiresAt),
    action,
    evidence: item.evidence,
    match: match === null ? null : { id: shown(match.id), similarity: match.similarity },
  };
}

export const exampleExtraction = {
  id: exampleMemory.id,
  content: exampleMemory.content,
  memory_type: "fact",
  importance: 0.7,
  expires_at: null,
  action: "created",
  evidence: "We decided that releases go out on Tuesdays.",
  match: null,
} as const satisfies ExtractionItem;
