// Owns the deletion of memories, one or many. After the answer, no search, list or injection returns a deleted memory.

import { Type } from "@sinclair/typebox";
import { ownersOf } from "../../../access/caller.ts";
import { kindsOf, originFilter } from "../../../memory/kind.ts";
import { exampleMemory, memoryId, memoryType } from "../../../memory/memory.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import { metadataFilter, toMetadataFilter } from "../../../memory/search/metadata-filter.ts";
import { toTagFilter, WantedTags } from "../../../memory/tags.ts";
import { Count, Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import { requireMemory } from "./read.ts";

export const deleteMemory = projectOperation({
  name: "memory.delete",
  summary: "Delete a memory",
  description: "Permanently deletes one memory of the project.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  passages: { memories: ({ memory_id }) => [memory_id] },
  feature: "memory",
  refusals: [2100],
  success: 204,
  input: Fields({ memory_id: memoryId }),
  output: null,
  example: { input: { memory_id: exampleMemory.id }, data: null },

  async apply(transaction, input, _prepared, { caller: { owner }, now }) {
    const memory = await requireMemory(transaction, owner, input.memory_id);
    await transaction.memories.remove(owner, memory.id, now);
    const { id, type, importance } = memory;
    // Without the content: the record of a deletion must not store the deleted text.
    return {
      data: null,
      memoryId: id,
      details: { deleted_memory: { memory_type: type, importance } },
      after: [{ effect: "remove_cached_vectors", project: ownerId(owner) }],
    };
  },
});

export const deleteAllMemories = projectOperation({
  name: "memory.delete_all",
  summary: "Delete all memories",
  description:
    "Permanently deletes all memories of the project, or those of one memory_type, those of one origin, those with all of the given tags, or those with the given metadata; several conditions apply together. The body is optional. If the body is not valid, nothing is deleted.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  passages: "reads",
  feature: "memory",
  input: Fields({
    memory_type: Type.Optional(memoryType),
    origin: originFilter,
    tags: Type.Optional(WantedTags("Only memories that have all of these tags.")),
    metadata: metadataFilter,
  }),
  output: Fields({ deleted_count: Count("Number of deleted memories.") }, { title: "DeletedMemories" }),
  example: { input: { memory_type: "context" }, data: { deleted_count: 12 } },

  async apply({ memories }, input, _prepared, { caller, now }) {
    const kinds = kindsOf(input.memory_type ?? null, input.origin);
    const tags = toTagFilter(input.tags);
    const metadata = toMetadataFilter(input.metadata);
    const after: AfterCommit[] = [];
    let deleted = 0;
    for (const owner of ownersOf(caller)) {
      const count = await (tags === null && metadata === null
        ? memories.removeAll(owner, kinds)
        : memories.removeSelected(owner, kinds, { tags, metadata }, now));
      deleted += count;
      after.push(...afterBulkDelete(owner, count));
    }
    return { data: { deleted_count: deleted }, after };
  },
});

/** What is left to do after all or many memories of an owner were deleted. */
export function afterBulkDelete(owner: Owner, count: number): readonly AfterCommit[] {
  if (count === 0) return [];
  return [{ effect: "purge_memories" }, { effect: "remove_cached_vectors", project: ownerId(owner) }];
}
