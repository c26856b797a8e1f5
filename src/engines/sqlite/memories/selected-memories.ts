// Owns the query for the memories that a filter by tags, metadata and conversation selects. Knows no other filter.

import type { MetadataFilter } from "../../../memory/search/metadata-filter.ts";
import type { TagFilter } from "../../../memory/tags.ts";
import { describedMemories } from "./metadata.ts";
import { oneOwner, taggedMemories } from "./tags.ts";

export interface Selection {
  readonly tags: TagFilter | null;
  /** Null or absent: whatever the metadata is. */
  readonly metadata?: MetadataFilter | null | undefined;
  /** Null or absent: wherever its words were said. */
  readonly conversation?: string | null | undefined;
}

interface SelectedMemories {
  /** A query for the serials of the memories, each once, without those that a bulk delete has hidden. */
  readonly sql: string;
  /** All of its parameters except `project`. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Null: all memories are selected. @param pools and @param owners as of taggedMemories */
export function selectedMemories(
  { tags, metadata, conversation = null }: Selection,
  pools = "TRUE",
  owners = oneOwner,
): SelectedMemories | null {
  const parts = [
    ...(tags === null ? [] : [taggedMemories(tags, pools, owners)]),
    ...(conversation === null ? [] : [memoriesOfConversation(conversation, pools, owners)]),
    ...(metadata ?? []).map((condition, at) => describedMemories(condition, at, pools, owners)),
  ];
  if (parts.length === 0) return null;
  return {
    sql: parts.map(({ sql }) => `SELECT memory FROM (${sql})`).join(" INTERSECT "),
    parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)),
  };
}

/** As taggedMemories. */
function memoriesOfConversation(name: string, pools: string, owners: string): SelectedMemories {
  return {
    sql: `SELECT r.memory FROM pool p CROSS JOIN conversation c ON c.project = p.project AND c.name = :conversation
      CROSS JOIN memory_conversation r ON r.conversation = c.serial AND r.memory_type = p.memory_type AND r.epoch = p.epoch
      WHERE p.project ${owners} AND (${pools})`,
    parameters: { conversation: name },
  };
}
