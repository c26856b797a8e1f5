// Owns the tags of memories: their schemas, their canonical form, and which memories a filter matches. Knows no storage.

import { Type } from "@sinclair/typebox";
import { tagMaxCharacters, tagsMax } from "../platform/limits.ts";
import { Choice, Label } from "../platform/schema/schema.ts";
import { compareLabels, toLabel } from "../platform/text/label.ts";

/** One tag. */
export const tag = Label({
  maxLength: tagMaxCharacters,
  description: `A label of 1 to ${tagMaxCharacters} characters, without control characters. Unicode form and surrounding white space do not count; case does.`,
  examples: ["team:payments"],
});

/** The tags of a memory. `description` says what the operation does with them. */
export function Tags(description: string) {
  return Type.Array(tag, { maxItems: tagsMax, description, examples: [["team:payments", "release"]] });
}

/** Tags that memories must have. An empty list is refused: it would mean everything or nothing. */
export function WantedTags(description: string) {
  return Type.Array(tag, {
    minItems: 1,
    maxItems: tagsMax,
    description,
    examples: [["team:payments", "release"]],
  });
}

const tagMatches = ["all", "any"] as const;

export const tagsMatch = Choice(tagMatches, {
  title: "TagsMatch",
  default: "all",
  description: "all: memories that have all of the tags. any: memories that have at least one of them.",
});

/** Which memories are wanted. `tags` is canonical and not empty. */
export interface TagFilter {
  readonly tags: readonly string[];
  readonly match: (typeof tagMatches)[number];
}

/** Of all memories without tags, so that they need no array of their own. */
export const noTags: readonly string[] = Object.freeze([]);

/** The canonical form of tags: labels, each once, sorted by Unicode code points. */
export function toTags(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? noTags : [...new Set(texts.map(toLabel))].sort(compareLabels);
}

/** Null: all memories are wanted. */
export function toTagFilter(
  texts: readonly string[] | undefined,
  match: TagFilter["match"] = "all",
): TagFilter | null {
  return texts === undefined || texts.length === 0 ? null : { tags: toTags(texts), match };
}

/** Whether a memory with these tags has all of the others, which may be none. */
export function hasTags(tags: readonly string[], others: readonly string[]): boolean {
  return others.every((other) => tags.includes(other));
}

/** The tags of both, in canonical form; null when they are more than a memory can have. Both are canonical. */
export function joinTags(tags: readonly string[], others: readonly string[]): readonly string[] | null {
  const joined = toTags([...tags, ...others]);
  return joined.length > tagsMax ? null : joined;
}

export function matchesTags(tags: readonly string[], filter: TagFilter | null): boolean {
  if (filter === null) return true;
  return filter.match === "all"
    ? hasTags(tags, filter.tags)
    : filter.tags.some((wanted) => tags.includes(wanted));
}
