// Owns the query for the memories that a filter by tags and metadata selects. Knows no other filter.

import type { MetadataFilter } from "../../../memory/metadata-filter.ts";
import type { TagFilter } from "../../../memory/tags.ts";
import { describedMemories } from "./metadata.ts";
import { oneOwner, taggedMemories } from "./tags.ts";

export interface Selection {
  readonly tags: TagFilter | null;
  /** Null or absent: whatever the metadata is. */
  readonly metadata?: MetadataFilter | null | undefined;
}

interface SelectedMemories {
  /** A query for the serials of the memories, each once, without those that a bulk delete has hidden. */
  readonly sql: string;
  /** All of its parameters except `project`. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Null: all memories are selected. @param pools and @param owners as of taggedMemories */
export function selectedMemories(
  { tags, metadata }: Selection,
  pools = "TRUE",
  owners = oneOwner,
): SelectedMemories | null {
  const parts = [
    ...(tags === null ? [] : [taggedMemories(tags, pools, owners)]),
    ...(metadata ?? []).map((condition, at) => describedMemories(condition, at, pools, owners)),
  ];
  if (parts.length === 0) return null;
  return {
    sql: parts.map(({ sql }) => `SELECT memory FROM (${sql})`).join(" INTERSECT "),
    parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)),
  };
}
