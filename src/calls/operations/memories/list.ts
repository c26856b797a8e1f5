// Owns the paged list of memories. It includes expired and inactive memories.

import { Type } from "@sinclair/typebox";
import { agentMemory, exampleMemory, toAgentMemory } from "../../../memory/memory.ts";
import { type ListQuery, sortKeys } from "../../../memory/search/list-query.ts";
import { memoryFilterFields } from "../../../memory/search/memory-filter.ts";
import { toMetadataFilter } from "../../../memory/search/metadata-filter.ts";
import { toWordFilter, wordFilter } from "../../../memory/search/word-filter.ts";
import { toTagFilter } from "../../../memory/tags.ts";
import { pageSizeDefault } from "../../../platform/limits.ts";
import {
  cursorField,
  foreignCursor,
  nextCursor,
  pageFields,
  pageStart,
  pagination,
  toPageFields,
} from "../../../platform/schema/page.ts";
import { Choice, Fields, Flag, notTogether } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

/** What the pages of a list have in common. */
const same = "filters and order";

export const listMemories = projectOperation({
  name: "memory.list",
  summary: "List memories",
  description:
    "Returns a page of the project's memories, including expired and inactive ones unless is_active or expired is given. All filters apply together. With cursor, every page takes about the same time, a memory that stays at its place in the order is returned exactly once, whatever else changes meanwhile, and total stays that of the first page. Page numbers count in the list as it is when the page is read, and take longer the farther they are from the first.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  forConversations: "known",
  passages: "reads",
  feature: "memory",
  input: Fields(
    {
      ...memoryFilterFields,
      is_active: Flag("true: only active memories. false: only inactive ones."),
      expired: Flag("true: only expired memories. false: only those that have not expired."),
      text: Type.Optional(wordFilter),
      cursor: cursorField(same),
      ...pageFields({ items: "Memories", defaultSize: pageSizeDefault }),
      sort_by: Type.Optional(
        Choice(sortKeys, {
          title: "MemoryOrder",
          default: "created_at",
          description:
            "Field that the list is ordered by. Memories without the date are last, in both directions.",
        }),
      ),
      sort_dir: Type.Optional(
        Choice(["asc", "desc"], {
          title: "SortDirection",
          default: "desc",
          description: "Direction of the order.",
        }),
      ),
    },
    notTogether("cursor", "page"),
  ),
  output: Fields(
    {
      memories: Type.Array(agentMemory),
      pagination,
      next_cursor: nextCursor,
    },
    { title: "MemoryPage" },
  ),
  example: {
    input: { memory_type: "fact", page: 1, page_size: 20 },
    data: {
      memories: [exampleMemory],
      pagination: { page: 1, page_size: 20, total: 1, total_pages: 1 },
      next_cursor: null,
    },
  },

  async prepare(input, { store, caller, now, signal }) {
    const { page_size: limit = pageSizeDefault } = input;
    const query: ListQuery = {
      type: input.memory_type ?? null,
      origin: input.origin ?? null,
      tags: toTagFilter(input.tag),
      metadata: toMetadataFilter(input.metadata),
      conversation: caller.conversation?.name ?? null,
      active: input.is_active ?? null,
      expired: input.expired ?? null,
      words: toWordFilter(input.text),
      now,
      sortBy: input.sort_by ?? "created_at",
      direction: input.sort_dir ?? "desc",
      limit,
      after: pageStart(input, limit),
      withProject: caller.ownsProject,
    };
    const found = await store.memories.list(caller.owner, query, signal);
    if (found === null) throw foreignCursor(same);
    const data = { memories: found.memories.map(toAgentMemory), ...toPageFields(found, limit) };
    return { precomputed: { data }, prepared: null };
  },
});
