// Owns the numbers of a project's memories. Counts no tags: memory.tags does.

import { Type } from "@sinclair/typebox";
import { Count, Fields, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { projectOperation } from "../../contract/operation.ts";

export const readMemoryStatistics = projectOperation({
  name: "memory.statistics",
  summary: "Count memories",
  description:
    "Returns how many memories the project has, by type and by state, the length of their texts, and when one was last created or changed. It takes about the same time for any number of memories: above 1,000 memories, the length of their texts is estimated from 1,000 of them.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  feature: "memory",
  input: Fields({}),
  output: Fields(
    {
      total: Count("Number of memories, including expired and inactive ones."),
      by_type: Fields(
        { rule: Count("Rules."), fact: Count("Facts."), context: Count("Contexts.") },
        { title: "MemoryTypeCounts" },
      ),
      passages: Count("Contexts that are passages of conversations, the origin conversation."),
      searchable: Count("Active memories that have not expired: those that a search can find."),
      inactive: Count("Inactive memories, including expired ones."),
      expired: Count("Expired memories, including inactive ones."),
      content_bytes: Count("Length of the texts of all memories in UTF-8."),
      content_bytes_estimated: Type.Boolean({ description: "Whether content_bytes is an estimate." }),
      last_changed_at: Nullable(
        Timestamp({
          description:
            "When one of these memories was last created or changed; null: there is none. A deletion does not count.",
        }),
      ),
    },
    { title: "MemoryStatistics" },
  ),
  example: {
    input: {},
    data: {
      total: 4120,
      by_type: { rule: 20, fact: 3900, context: 200 },
      passages: 150,
      searchable: 3990,
      inactive: 10,
      expired: 120,
      content_bytes: 412_000,
      content_bytes_estimated: true,
      last_changed_at: "2026-11-21T09:30:00.000Z",
    },
  },

  async prepare(_input, { store, caller, now, signal }) {
    const found = await store.memories.statistics(caller.owner, now, signal);
    const data = {
      total: found.byType.rule + found.byType.fact + found.byType.context,
      by_type: found.byType,
      passages: found.passages,
      searchable: found.searchable,
      inactive: found.inactive,
      expired: found.expired,
      content_bytes: found.contentBytes,
      content_bytes_estimated: found.isEstimate,
      last_changed_at: found.changedAt === null ? null : toTimestamp(found.changedAt),
    };
    return { precomputed: { data }, prepared: null };
  },
});
