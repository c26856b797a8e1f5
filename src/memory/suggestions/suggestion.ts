// Owns the suggestion: a change of memories that waits until somebody accepts or refuses it. Until then nothing else knows of it.

import type { JsonObject } from "../../platform/json/json.ts";

/** What accepting does. The kinds that a comparison finds say why it was found, and are accepted as a replacement. */
export const suggestionKinds = [
  "create",
  "change",
  "replace",
  "delete",
  "contradiction",
  "changed_value",
  "near_duplicate",
] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** key: a call has proposed it. comparison: found while memories were compared. model: a language model has said it. */
export const suggestionSources = ["key", "comparison", "model"] as const;
export type SuggestionSource = (typeof suggestionSources)[number];

/** A memory as it was when the suggestion was made. */
export interface ConcernedMemory {
  readonly id: string;
  /** Of the memory then: whoever accepts decides about this version. */
  readonly updatedAt: number;
}

export interface NewSuggestion {
  readonly kind: SuggestionKind;
  readonly source: SuggestionSource;
  /** create: none. change, delete: the memory. All others: the older one, and the one that replaces it, if it is stored already. */
  readonly memories: readonly ConcernedMemory[];
  /** The proposed values, as the API names them; null: there are none. */
  readonly fields: JsonObject | null;
  /** Why, in the words of whoever proposes it; null: nobody has said it. */
  readonly reason: string | null;
  /** What was said, word for word. */
  readonly quotes: readonly string[];
  /** Id of the record of the call that has made it. */
  readonly record: string;
  /** Id of the key of that call. */
  readonly key: string;
}

export interface Suggestion extends NewSuggestion {
  readonly id: string;
  readonly createdAt: number;
}

/** What somebody has said or written for it. The memories that it concerns are not in it. */
export function wordsOf({ fields, reason, quotes }: NewSuggestion): readonly string[] {
  return [reason, fields?.content, ...quotes].filter((text) => typeof text === "string");
}
