// Owns deleting many memories in one call, with a result for each. One transaction has all deletions and the one record.

import { type Static, Type } from "@sinclair/typebox";
import { index, refusalFields } from "../../../memory/batch-result.ts";
import { batchMaxItems } from "../../../memory/limits.ts";
import { exampleMemory, memoryId } from "../../../memory/memory.ts";
import { ownerId } from "../../../memory/owner.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { Choice, Count, Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { refuseItem } from "./batch-item.ts";
import { requireVersion } from "./change.ts";
import { ownerIn, requireMemory } from "./read.ts";

const deleteResult = Fields(
  {
    index,
    status: Choice(["deleted", "refused"], {
      title: "DeleteStatus",
      description:
        "deleted: the memory does not exist any more. refused: there is no such memory, or it was changed meanwhile.",
    }),
    id: Type.Optional(memoryId),
    ...refusalFields,
  },
  { title: "DeleteResult", description: "What became of a memory." },
);

export const deleteMemories = projectOperation({
  name: "memory.delete_batch",
  summary: "Delete several memories",
  description:
    "Permanently deletes up to 1,000 memories and answers with a result for each, in the order of the request. A memory that does not exist does not refuse the others. With if_updated_at, a memory that somebody else has changed meanwhile is refused with 2108 and stays. One transaction and one audit record have all of them.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  passages: { memories: ({ memory_ids }) => memory_ids },
  feature: "memory",
  mayRunLong: true,
  input: Fields({
    memory_ids: Type.Array(memoryId, {
      minItems: 1,
      maxItems: batchMaxItems,
      description: "Ids of the memories to delete.",
    }),
    if_updated_at: Type.Optional(
      Type.Array(Timestamp({ description: "The updated_at of one memory, as the caller knows it." }), {
        maxItems: batchMaxItems,
        description:
          "One for each id, in the order of memory_ids. A memory that has been changed since stays, and is refused with 2108.",
      }),
    ),
  }),
  output: Fields(
    {
      deleted: Count("Memories that were deleted."),
      refused: Count("Memories that do not exist, or were changed meanwhile."),
      results: Type.Array(deleteResult, {
        description: "One result for each id, in the order of the request.",
      }),
    },
    { title: "DeleteResults" },
  ),
  example: {
    input: { memory_ids: [exampleMemory.id] },
    data: { deleted: 1, refused: 0, results: [{ index: 0, status: "deleted", id: exampleMemory.id }] },
  },

  async apply(transaction, { memory_ids, if_updated_at: known }, _prepared, { caller, now }) {
    if (known !== undefined && known.length !== memory_ids.length)
      throw new Refusal(
        1400,
        `Field "if_updated_at" must have one time for each of the ${memory_ids.length} ids in "memory_ids", and it has ${known.length}.`,
      );
    const results: Static<typeof deleteResult>[] = [];
    const deleted: JsonObject[] = [];
    const owners = new Set<string>();
    for (const [index, wanted] of memory_ids.entries()) {
      try {
        const owner = await ownerIn(transaction, caller, wanted);
        const memory = await requireMemory(transaction, owner, wanted);
        requireVersion(memory, known?.[index], "delete it again");
        const { id, type, importance } = memory;
        await transaction.memories.remove(owner, id, now);
        owners.add(ownerId(owner));
        deleted.push({ id, memory_type: type, importance });
        results.push({ index, status: "deleted", id });
      } catch (error) {
        results.push({ index, status: "refused", ...refuseItem(error) });
      }
    }
    const data = { deleted: deleted.length, refused: results.length - deleted.length, results };
    // Without the contents: the record of a deletion must not store the deleted texts.
    return {
      data,
      details: { deleted_memories: deleted },
      after: [...owners].map((project) => ({ effect: "remove_cached_vectors", project })),
    };
  },
});
