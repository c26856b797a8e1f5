// The suggestions of the test engine.

import type { SuggestionReader, SuggestionTransaction } from "../../../src/calls/storage/suggestion-store.ts";
import { type Owner, ownerId } from "../../../src/memory/owner.ts";
import type { Suggestion } from "../../../src/memory/suggestions/suggestion.ts";
import type { Data } from "./data.ts";
import { ownIds } from "./subjects.ts";

/** Oldest first: ids grow with creation. Those of a deleted memory do not exist any more. */
function suggestionsOf({ suggestions, memories }: Data, project: string): Suggestion[] {
  return suggestions
    .all()
    .filter((row) => row.project === project)
    .map(({ suggestion }) => suggestion)
    .filter((suggestion) => suggestion.memories.every(({ id }) => memories.get(id) !== undefined))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function findIn(data: Data, owner: Owner, id: string): Suggestion | null {
  return suggestionsOf(data, ownerId(owner)).find((each) => each.id === id) ?? null;
}

export function createSuggestionReader(data: Data): SuggestionReader {
  return {
    find: (owner, id) => data.inTurn(() => findIn(data, owner, id)),
    list: (owner, { kind, memory, after, limit }) =>
      data.inTurn(() =>
        suggestionsOf(data, ownerId(owner))
          .filter((each) => after === null || each.id < after)
          .filter((each) => kind === null || each.kind === kind)
          .filter((each) => memory === null || each.memories.some(({ id }) => id === memory))
          .reverse()
          .slice(0, limit),
      ),
    linksBetween: (owner, wanted) =>
      data.inTurn(() =>
        [...new Set([ownerId(owner), owner.project])]
          .flatMap((id) => suggestionsOf(data, id))
          .filter(({ kind }) => ["contradiction", "changed_value", "replace"].includes(kind))
          .flatMap(({ memories: [one, other] }) =>
            one !== undefined && other !== undefined && [one.id, other.id].every((id) => wanted.includes(id))
              ? [[one.id, other.id] as const]
              : [],
          ),
      ),
  };
}

export function createSuggestionTransaction(data: Data): SuggestionTransaction {
  const { suggestions, createId } = data;
  const removeAll = (wanted: readonly Suggestion[]) => {
    for (const { id } of wanted) suggestions.delete(id);
    return wanted.length;
  };
  const of = (owner: Owner, isProposed: boolean) =>
    suggestionsOf(data, ownerId(owner)).filter(({ source }) => (source === "key") === isProposed);
  return {
    find: async (owner, id) => findIn(data, owner, id),
    about: async (owner, memory) =>
      suggestionsOf(data, ownerId(owner)).filter(({ memories }) => memories.some(({ id }) => id === memory)),
    count: async (owner, which, key) =>
      of(owner, which === "proposed").filter((each) => key === null || each.key === key).length,
    async insert(owner, fields, now) {
      const suggestion = { ...fields, id: createId(now), createdAt: now };
      suggestions.set(suggestion.id, { suggestion, project: ownerId(owner) });
      return suggestion;
    },
    remove: async (owner, id) => {
      const found = findIn(data, owner, id);
      return found !== null && removeAll([found]) > 0;
    },
    async removeOldestFound(owner, count) {
      removeAll(of(owner, false).slice(0, Math.max(0, count)));
    },
    listOf: async (owner) => suggestionsOf(data, ownerId(owner)),
    listAll: async ({ id }) => ownIds(data, id).flatMap((owner) => suggestionsOf(data, owner)),
    removeById: async (id) => {
      const isKnown = suggestions.get(id) !== undefined;
      suggestions.delete(id);
      return Number(isKnown);
    },
    removeOfRecord: async (record) =>
      removeAll(
        suggestions
          .all()
          .map(({ suggestion }) => suggestion)
          .filter((suggestion) => suggestion.record === record),
      ),
    async removeAll({ id }) {
      for (const owner of ownIds(data, id)) removeAll(suggestionsOf(data, owner));
    },
  };
}
