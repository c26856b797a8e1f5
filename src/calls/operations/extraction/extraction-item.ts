// Owns the form of an extracted item in the API: what was extracted, and what the call did with it.

import { type Static, Type } from "@sinclair/typebox";
import {
  content,
  exampleMemory,
  expiresAt,
  importance,
  memoryId,
  memoryOrigin,
  memoryType,
} from "../../../memory/memory.ts";
import { origins, toOrigins } from "../../../memory/origin.ts";
import { Tags } from "../../../memory/tags.ts";
import { Choice, Fields, Nullable } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { type Replaced, replacedStatuses, type WithReplaced } from "../memories/replace.ts";
import { actions, type Outcome } from "./deduplicate.ts";

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
        "created: the item is a new memory. updated: a similar memory (above 0.90) has this content now; its type and importance have not changed, and its expiry only if the item has one. skipped: a memory already has this content (similarity above 0.98, or the same text).",
    }),
    origin: Type.Optional(memoryOrigin),
    origins: Type.Optional(origins),
    tags: Type.Optional(
      Tags("Tags of the memory after the call, sorted. The field is absent if there are none."),
    ),
    evidence: Type.String({
      description: "The sentence of the text from which the item was extracted, verbatim.",
    }),
    former: Type.Optional(
      Fields(
        { id: Nullable(memoryId), content },
        {
          title: "PreviousMemory",
          description:
            "The memory that has the previous text of the updated memory. Absent if the new text contains it, and without an update.",
        },
      ),
    ),
    replaces: Type.Optional(
      Type.Array(
        Fields(
          {
            id: Nullable(memoryId),
            quote: Type.String({ description: "The words of the memory that are no longer true, verbatim." }),
            status: Choice(replacedStatuses, {
              title: "ReplacementStatus",
              description:
                "suggested: a suggestion waits for a decision. replaced: the memory is inactive now, with superseded_by.",
            }),
            suggestion_id: Type.Optional(
              Nullable(Type.String({ description: "Identifier of the suggestion; null in a dry run." })),
            ),
          },
          { title: "ReplacedMemory" },
        ),
        {
          description:
            "Memories that are no longer true because of the item, as the language model says. The field is absent if there are none.",
        },
      ),
    ),
    match: Nullable(
      Fields(
        {
          id: Nullable(memoryId),
          similarity: Type.Number({
            minimum: 0,
            maximum: 1,
            description:
              "Similarity to the item, which decided: the cosine of the embeddings, each joined with the trigrams of the words. 1 if the texts are the same.",
          }),
        },
        {
          title: "ExtractionMatch",
          description: "The memory that the item updated, or the memory that it duplicates.",
        },
      ),
    ),
  },
  {
    title: "ExtractionItem",
    description:
      "An extracted item and what the call did with it. In a dry run the id of a new memory is null.",
  },
);
export type ExtractionItem = Static<typeof extractionItem>;

/** `created` are the ids of memories that a dry run would create: clients see null instead. */
export function toExtractionItem(
  outcome: WithReplaced<Outcome>,
  created: ReadonlySet<string>,
  isDryRun: boolean,
): ExtractionItem {
  const { item, action, memoryId, memoryType, tags, match, former, replaced } = outcome;
  const shown = (id: string) => (created.has(id) ? null : id);
  const toReplaced = ({ id, quote, status, suggestion }: Replaced) => ({
    id: shown(id),
    quote,
    status,
    ...(suggestion === null ? {} : { suggestion_id: isDryRun ? null : suggestion }),
  });
  return {
    id: shown(memoryId),
    content: item.content,
    memory_type: memoryType,
    importance: item.importance,
    expires_at: item.expiresAt === null ? null : toTimestamp(item.expiresAt),
    action,
    ...(item.passage === true ? { origin: "conversation" as const } : {}),
    ...(item.origin ? { origins: toOrigins([item.origin]) } : {}),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    evidence: item.evidence,
    ...(former === null ? {} : { former: { id: shown(former.memory.id), content: former.memory.content } }),
    ...(replaced.length === 0 ? {} : { replaces: replaced.map(toReplaced) }),
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
