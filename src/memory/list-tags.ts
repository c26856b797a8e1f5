// Owns the list of the tags of a project. A count is the number of memories that a list with this tag has.

import { Type } from "@sinclair/typebox";
import { confirm } from "../calls/applied.ts";
import { projectOperation } from "../calls/operation.ts";
import { tagPageSizeDefault } from "../limits.ts";
import { pageFields, pagination, toPagination } from "../schema/page.ts";
import { Fields } from "../schema/schema.ts";
import { originFilter } from "./kind.ts";
import { memoryType } from "./memory.ts";
import { tag } from "./tags.ts";

export const listTags = projectOperation({
  name: "memory.tags",
  summary: "List tags",
  description:
    "Returns a page of the tags of the project's memories, the most frequent first, equally frequent ones by Unicode code points. Counts include expired and inactive memories, as the list of memories does.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  refusals: [],
  success: 200,
  input: Fields({
    memory_type: Type.Optional(memoryType),
    origin: originFilter,
    ...pageFields({ items: "Tags", defaultSize: tagPageSizeDefault }),
  }),
  output: Fields(
    {
      tags: Type.Array(
        Fields(
          {
            tag,
            count: Type.Integer({ minimum: 1, description: "Number of memories that have the tag." }),
          },
          { title: "TagCount" },
        ),
      ),
      pagination,
    },
    { title: "TagPage" },
  ),
  example: {
    input: { page: 1 },
    data: {
      tags: [
        { tag: "team:payments", count: 12 },
        { tag: "release", count: 3 },
      ],
      pagination: { page: 1, page_size: tagPageSizeDefault, total: 2, total_pages: 1 },
    },
  },

  async prepare(
    { memory_type, origin, page = 1, page_size = tagPageSizeDefault },
    { store, caller, signal },
  ) {
    const offset = (page - 1) * page_size;
    const query = { type: memory_type ?? null, origin: origin ?? null, limit: page_size, offset };
    const { tags, total } = await store.memories.listTags(caller.owner, query, signal);
    const data = {
      tags: tags.map(({ tag, count }) => ({ tag, count })),
      pagination: toPagination(page, page_size, total),
    };
    return { foreseen: { data }, prepared: null };
  },

  apply: confirm,
});
