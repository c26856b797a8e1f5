// Owns reading suggestions: a page of them, and one.

import { Type } from "@sinclair/typebox";
import { memoryId } from "../../../memory/memory.ts";
import { toId } from "../../../platform/ids.ts";
import { nextCursor, pageSizeField } from "../../../platform/schema/page.ts";
import { Fields, Id } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import {
  exampleSuggestion,
  noSuggestion,
  suggestionId,
  suggestionKind,
  suggestionView,
  toSuggestionView,
} from "./view.ts";

const pageSizeDefault = 20;

export const listSuggestions = projectOperation({
  name: "suggestion.list",
  summary: "List suggestions",
  description:
    "Returns a page of the suggestions that wait, newest first, each with the memories that it concerns and what accepting it would change. A suggestion that nobody decides about meanwhile is on exactly one page.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  input: Fields({
    kind: Type.Optional(suggestionKind),
    memory_id: Type.Optional({ ...memoryId, description: "Only those that concern this memory." }),
    cursor: Type.Optional(Id({ description: "next_cursor of the previous page, with the same filters." })),
    page_size: pageSizeField("Suggestions of a page.", pageSizeDefault),
  }),
  output: Fields(
    { suggestions: Type.Array(suggestionView), next_cursor: nextCursor },
    { title: "SuggestionPage" },
  ),
  example: { input: {}, data: { suggestions: [exampleSuggestion], next_cursor: null } },

  async prepare({ kind = null, memory_id, cursor, page_size: limit = pageSizeDefault }, { store, caller }) {
    const memory = memory_id === undefined ? null : (toId(memory_id) ?? "");
    const after = cursor === undefined ? null : toId(cursor);
    const query = { kind, memory, after, limit: limit + 1 };
    const found = await store.suggestions.list(caller.owner, query);
    const page = found.slice(0, limit);
    const views = page.map((each) => toSuggestionView(each, caller, store.memories));
    const suggestions = (await Promise.all(views)).filter((view) => view !== null);
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
    return { precomputed: { data: { suggestions, next_cursor: next } }, prepared: null };
  },
});

export const readSuggestion = projectOperation({
  name: "suggestion.read",
  summary: "Read a suggestion",
  description: "Returns one suggestion that waits.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  refusals: [2110],
  input: Fields({ suggestion_id: suggestionId }),
  output: suggestionView,
  example: { input: { suggestion_id: exampleSuggestion.id }, data: exampleSuggestion },

  async prepare({ suggestion_id }, { store, caller }) {
    const id = toId(suggestion_id);
    const found = id === null ? null : await store.suggestions.find(caller.owner, id);
    const data = found === null ? null : await toSuggestionView(found, caller, store.memories);
    if (data === null) throw noSuggestion();
    return { precomputed: { data }, prepared: null };
  },
});
