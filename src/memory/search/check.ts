// Owns the check: a search that is saved with the memory that it must find. Its fields, its schemas, and its form in the API.

import { type Static, Type } from "@sinclair/typebox";
import { topKMax } from "../../platform/limits.ts";
import { Choice, Fields, Id, Nullable, Timestamp } from "../../platform/schema/schema.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import {
  agentMemory,
  exampleMemory,
  type Memory,
  type MemoryType,
  memoryType,
  toAgentMemory,
} from "../memory.ts";
import { type TagFilter, tagsMatch, WantedTags } from "../tags.ts";
import { query, searchModes } from "./query.ts";

/** Plain data, stored as JSON. */
export interface CheckedSearch {
  readonly query: string;
  readonly mode: (typeof searchModes)[number];
  readonly type: MemoryType | null;
  readonly tags: TagFilter | null;
  /** Cosine, 0..1. */
  readonly minSimilarity: number;
}

export interface Check {
  readonly id: string;
  readonly search: CheckedSearch;
  /** Id of the memory that the search must find; it may be deleted meanwhile. */
  readonly memoryId: string;
  /** Position from 1 that the memory must not be behind. */
  readonly within: number;
  readonly createdAt: number;
}

export const withinDefault = 3;

export const checkFields = {
  query,
  mode: Type.Optional(
    Choice(searchModes, { title: "CheckMode", default: "hybrid", description: "As mode of a search." }),
  ),
  memory_type: Type.Optional(memoryType),
  tags: Type.Optional(WantedTags("Only memories with these tags are ranked.")),
  tags_match: Type.Optional(tagsMatch),
  min_similarity: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Memories with a lower similarity are excluded." }),
  ),
  expected_memory_id: Id({ description: "The memory that the search must find." }),
  within: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: topKMax,
      default: withinDefault,
      description: "The memory must be among this many first results.",
    }),
  ),
};

export const checkId = Type.String({ description: "Check identifier, 32 hexadecimal characters." });

export const checkView = Fields(
  {
    id: checkId,
    ...checkFields,
    created_at: Timestamp({ description: "When the check was created." }),
    memory: Nullable(agentMemory),
  },
  {
    title: "Check",
    description: "A saved search with the memory that it must find; memory is null after it was deleted.",
  },
);

/** @param memory that the check expects; null: it was deleted */
export function toCheckView(
  { id, search, memoryId, within, createdAt }: Check,
  memory: Memory | null,
): Static<typeof checkView> {
  const { query, mode, type, tags, minSimilarity } = search;
  return {
    id,
    query,
    mode,
    ...(type === null ? {} : { memory_type: type }),
    ...(tags === null ? {} : { tags: [...tags.tags], tags_match: tags.match }),
    ...(minSimilarity === 0 ? {} : { min_similarity: minSimilarity }),
    expected_memory_id: memoryId,
    within,
    created_at: toTimestamp(createdAt),
    memory: memory === null ? null : toAgentMemory(memory),
  };
}

export const exampleCheck: Static<typeof checkView> = {
  id: "019a2b3c6f1e7a608192a3b4c5d6e7f8",
  query: "When do we release?",
  mode: "hybrid",
  expected_memory_id: exampleMemory.id,
  within: withinDefault,
  created_at: "2026-11-21T09:30:00.000Z",
  memory: exampleMemory,
};
