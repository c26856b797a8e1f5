// Owns the form of suggestions in the API: what is suggested, and what accepting it would change, for people who compare both.

import { type Static, Type } from "@sinclair/typebox";
import { agentMemory, exampleMemory, type Memory, memoryId, toAgentMemory } from "../../../memory/memory.ts";
import type { Owner, Subject } from "../../../memory/owner.ts";
import {
  type Suggestion,
  suggestionKinds,
  suggestionSources,
} from "../../../memory/suggestions/suggestion.ts";
import { toChangeable } from "../../../memory/values.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { Choice, Fields, Id, jsonObject, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { Store } from "../../storage/store.ts";
import { previousValues } from "../memories/change.ts";
import { asProposed, type PlannedChange, plannedChanges } from "./planned-changes.ts";

export const suggestionKind = Choice(suggestionKinds, {
  title: "SuggestionKind",
  description:
    "create, change, replace, delete: what somebody has proposed. contradiction, changed_value, near_duplicate: two memories that look like it; accepting one replaces the older memory by the newer one.",
});

export const suggestionId = Type.String({
  description: "Suggestion identifier, 32 hexadecimal characters.",
  examples: ["019a2b3c4d5e7f708192a3b4c5d6e7f9"],
});

export const suggestedChange = Fields(
  {
    change: Choice(["created", "changed", "deleted"], {
      title: "SuggestedChangeKind",
      description: "What becomes of the memory.",
    }),
    id: Nullable(memoryId),
    before: Nullable(jsonObject),
    after: Nullable(jsonObject),
    updated_at: Type.Optional(
      Timestamp({
        description:
          "Of a memory that was created or changed: the time of it. Sent as if_updated_at with the fields of before, memory.update undoes the change.",
      }),
    ),
  },
  {
    title: "SuggestedChange",
    description:
      "A memory before and after. changed: only the fields that differ. The id is null while the memory does not exist, before is null of a memory that is created, and after of one that is deleted.",
  },
);

export const suggestionView = Fields(
  {
    id: suggestionId,
    kind: suggestionKind,
    proposed_by: Choice(suggestionSources, {
      title: "SuggestionSource",
      description:
        "key: a call has proposed it. comparison: found when memories were compared. model: a language model has said it.",
    }),
    key_id: Id({ description: "The key of the call that has made it." }),
    audit_id: Id({ description: "The audit record of that call." }),
    created_at: Timestamp({ description: "When it was made." }),
    subject: Type.Optional(
      Type.String({ description: "Whose memories it concerns. Absent if they are the project's own." }),
    ),
    reason: Nullable(
      Type.String({ description: "Why, as whoever proposes it says; null: nothing is said." }),
    ),
    quotes: Type.Array(Type.String(), { description: "What was said, word for word." }),
    memories: Type.Array(agentMemory, {
      description: "The memories that it concerns, as they are now, the older one first.",
    }),
    changes: Type.Array(suggestedChange, { description: "What accepting it would change." }),
    outdated: Type.Boolean({
      description: "Whether a memory has been changed since. Such a suggestion can only be refused.",
    }),
  },
  {
    title: "Suggestion",
    description: "A change of memories that waits until somebody accepts or refuses it.",
  },
);
export type SuggestionView = Static<typeof suggestionView>;

/** Null: a memory was deleted meanwhile, and with it the suggestion. */
export async function toSuggestionView(
  suggestion: Suggestion,
  { owner, subject }: { readonly owner: Owner; readonly subject: Subject | null },
  memories: Pick<Store["memories"], "find">,
): Promise<SuggestionView | null> {
  const found = await concernedBy(suggestion, async (id) => (await memories.find(owner, id))?.memory ?? null);
  if (found === null) return null;
  const { id, kind, source, key, record, createdAt, reason, quotes } = suggestion;
  return {
    id,
    kind,
    proposed_by: source,
    key_id: key,
    audit_id: record,
    created_at: toTimestamp(createdAt),
    ...(subject === null ? {} : { subject: subject.name }),
    reason,
    quotes: [...quotes],
    memories: found.map(toAgentMemory),
    changes: plannedChanges(suggestion, found, asProposed).map(toPreview),
    outdated: isOutdated(suggestion, found),
  };
}

/** The memories of the suggestion, as they are now; null: one was deleted meanwhile. */
export async function concernedBy(
  { memories }: Suggestion,
  find: (id: string) => Promise<Memory | null>,
): Promise<readonly Memory[] | null> {
  const found: Memory[] = [];
  for (const { id } of memories) {
    const memory = await find(id);
    if (memory === null) return null;
    found.push(memory);
  }
  return found;
}

export function isOutdated({ memories }: Pick<Suggestion, "memories">, now: readonly Memory[]): boolean {
  return memories.some(({ updatedAt }, at) => updatedAt !== now[at]?.updatedAt);
}

function toPreview(planned: PlannedChange): Static<typeof suggestedChange> {
  if (planned.change === "created")
    return { change: "created", id: null, before: null, after: toChangeable(planned.after) };
  const { id } = planned.before;
  if (planned.change === "deleted")
    return { change: "deleted", id, before: toChangeable(planned.before), after: null };
  return { change: "changed", id, ...toDifference(planned.before, planned.after) };
}

/** The fields that differ. */
export function toDifference(before: Memory, after: Memory): { before: JsonObject; after: JsonObject } {
  const previous = previousValues(before, after);
  const values: JsonObject = toChangeable(after);
  const changed = Object.keys(previous).map((name) => [name, values[name] ?? null]);
  const { supersededBy } = after;
  const newer = supersededBy === null || before.supersededBy !== null ? {} : { superseded_by: supersededBy };
  return { before: previous, after: { ...Object.fromEntries(changed), ...newer } };
}

export function noSuggestion(): Refusal {
  return new Refusal(
    2110,
    "The suggestion does not exist in this project. It may have been accepted or refused, or one of its memories was deleted. List suggestions to find its id.",
  );
}

const newerMemory = {
  ...exampleMemory,
  id: "019a2b3c4d5e7f708192a3b4c5d6e7fa",
  content: "Releases go out on Thursdays.",
};

export const exampleSuggestion = {
  id: "019a2b3c4d5e7f708192a3b4c5d6e7f9",
  kind: "changed_value",
  proposed_by: "comparison",
  key_id: "019a2b3c4d5e7f708192a3b4c5d6e7fb",
  audit_id: "019a2b3c4d5e7f708192a3b4c5d6e7fc",
  created_at: "2026-11-21T09:30:00.000Z",
  reason: null,
  quotes: [],
  memories: [exampleMemory, newerMemory],
  changes: [
    {
      change: "changed",
      id: exampleMemory.id,
      before: { is_active: true },
      after: { is_active: false, superseded_by: newerMemory.id },
    },
  ],
  outdated: false,
} satisfies SuggestionView;
