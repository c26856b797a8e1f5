// Owns the paged list of memories. It includes expired and inactive memories.

import { Type } from "@sinclair/typebox";
import { confirm, projectOperation } from "../calls/operation.ts";
import { pageSizeDefault } from "../limits.ts";
import { pageFields, pagination, toPagination } from "../schema/page.ts";
import { Choice, Fields } from "../schema/schema.ts";
import { agentMemory, exampleMemory, toAgentMemory } from "./memory.ts";
import { memoryFilterFields } from "./memory-filter.ts";
import type { ListQuery } from "./store.ts";
import { toTagFilter } from "./tags.ts";

export const listMemories = projectOperation({
  name: "memory.list",
  summary: "List memories",
  description: "Returns a page of the project's memories, including expired and inactive ones.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  feature: "memory",
  refusals: [],
  success: 200,
  input: Fields({
    ...memoryFilterFields,
    ...pageFields({ items: "Memories", defaultSize: pageSizeDefault }),
    sort_by: Type.Optional(
      Choice(["created_at", "updated_at", "importance"], {
        title: "MemoryOrder",
        default: "created_at",
        description: "Field that the list is ordered by.",
      }),
    ),
    sort_dir: Type.Optional(
      Choice(["asc", "desc"], {
        title: "SortDirection",
        default: "desc",
        description: "Direction of the order.",
      }),
    ),
  }),
  output: Fields(
    {
      memories: Type.Array(agentMemory),
      pagination,
    },
    { title: "MemoryPage" },
  ),
  example: {
    input: { memory_type: "fact", page: 1, page_size: 20 },
    data: { memories: [exampleMemory], pagination: { page: 1, page_size: 20, total: 1, total_pages: 1 } },
  },

  async prepare(
    { memory_type, tag, page = 1, page_size = pageSizeDefault, sort_by, sort_dir },
    { store, caller, signal },
  ) {
    const query: ListQuery = {
      type: memory_type ?? null,
      tags: toTagFilter(tag),
      sortBy: sort_by ?? "created_at",
      direction: sort_dir ?? "desc",
      limit: page_size,
      offset: (page - 1) * page_size,
    };
    const { memories, total } = await store.memories.list(caller.project, query, signal);
    const data = {
      memories: memories.map(toAgentMemory),
      pagination: toPagination(page, page_size, total),
    };
    return { foreseen: { data }, prepared: null };
  },

  apply: confirm,
});
