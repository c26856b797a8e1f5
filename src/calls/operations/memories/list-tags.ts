// Owns the list of the tags of a project. A count is the number of memories that a list with this tag has.

import { Type } from "@sinclair/typebox";
import { originFilter } from "../../../memory/kind.ts";
import { memoryType } from "../../../memory/memory.ts";
import { tag } from "../../../memory/tags.ts";
import { tagPageSizeDefault } from "../../../platform/limits.ts";
import {
  cursorField,
  foreignCursor,
  nextCursor,
  pageFields,
  pageStart,
  pagination,
  toPageFields,
} from "../../../platform/schema/page.ts";
import { Fields, notTogether } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";

export const listTags = projectOperation({
  name: "memory.tags",
  summary: "List tags",
  description:
    "Returns a page of the tags of the project's memories, the most frequent first, equally frequent ones by Unicode code points. With cursor, a tag that stays at its place in the order is returned exactly once, whatever else changes meanwhile, and total stays that of the first page. Counts include expired and inactive memories, as the list of memories does.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  input: Fields(
    {
      memory_type: Type.Optional(memoryType),
      origin: originFilter,
      cursor: cursorField("memory_type and origin"),
      ...pageFields({ items: "Tags", defaultSize: tagPageSizeDefault }),
    },
    notTogether("cursor", "page"),
  ),
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
      next_cursor: nextCursor,
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
      next_cursor: null,
    },
  },

  async prepare(input, { store, caller, signal }) {
    const { memory_type: type = null, origin = null, page_size: limit = tagPageSizeDefault } = input;
    const query = { type, origin, limit, after: pageStart(input, limit) };
    const found = await store.memories.listTags(caller.owner, query, signal);
    if (found === null) throw foreignCursor("memory_type and origin");
    const tags = found.tags.map(({ tag, count }) => ({ tag, count }));
    const data = { tags, ...toPageFields(found, limit) };
    return { precomputed: { data }, prepared: null };
  },
});
