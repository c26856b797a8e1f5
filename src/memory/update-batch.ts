// Owns changing and deleting many memories in one call, with a result for each. One transaction has all changes and the one record, which
// has the former values of what was changed.

import { type Static, Type } from "@sinclair/typebox";
import type { Project } from "../access/project.ts";
import { type Preparation, projectOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import { embeddingsAtOnce } from "../limits.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { CheckedLater, Choice, Fields, jsonObject, Timestamp } from "../schema/schema.ts";
import type { Transaction } from "../storage/store.ts";
import { toTimestamp } from "../timestamp.ts";
import { refuseItem } from "./batch-item.ts";
import {
  changedAt,
  formerValues,
  requireKnown,
  requireUnchanged,
  requireVersion,
  storeChange,
} from "./change.ts";
import { batchMaxItems } from "./limits.ts";
import { exampleMemory, memoryId } from "./memory.ts";
import { requireMemory } from "./read.ts";
import { changed, readUpdateItem, updateItem } from "./update-item.ts";

const refusalFields = {
  code: Type.Optional(Type.Integer({ description: "Error code of a refused item." })),
  message: Type.Optional(
    Type.String({ description: "Of a refused item: what is wrong and what to do next." }),
  ),
  data: Type.Optional(jsonObject),
};
const index = Type.Integer({ minimum: 0, description: "Position of the item in the request." });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const updateResult = Fields(
  {
    index,
    status: Choice(["updated", "unchanged", "refused"], {
      title: "UpdateStatus",
      description:
        "updated: the memory was changed. unchanged: it has these values already. refused: it stays as it is.",
    }),
    id: Type.Optional(memoryId),
    updated_at: Type.Optional(
      Timestamp({
        description:
          "Of an updated memory: the time of this change. Sent back as if_updated_at with the former values, the undo leaves what somebody else has changed since.",
      }),
    ),
    former: Type.Optional(
      Type.Object(
        {},
        {
          title: "FormerValues",
          description:
            "Of an updated memory: what the changed fields were before. Sent back as an item, they undo the change.",
        },
      ),
    ),
    ...refusalFields,
  },
  { title: "UpdateResult", description: "What became of an item." },
);

export const updateMemories = projectOperation({
  name: "memory.update_batch",
  summary: "Update several memories",
  description:
    "Changes up to 1,000 memories, each as its item says, and answers with a result for each item, in the order of the request. An item that is refused does not refuse the others. A changed content is embedded again. All changes are stored in one transaction with one audit record, which has the former values.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  feature: "memory",
  mayRunLong: true,
  refusals: [],
  success: 200,
  input: Fields({
    memories: Type.Array(CheckedLater(updateItem), {
      minItems: 1,
      maxItems: batchMaxItems,
      description: "The changes.",
    }),
  }),
  output: Fields(
    {
      updated: count("Memories that were changed."),
      unchanged: count("Memories that have these values already."),
      refused: count("Items that were refused."),
      results: Type.Array(updateResult, {
        description: "One result for each item, in the order of the request.",
      }),
    },
    { title: "UpdateResults" },
  ),
  example: {
    input: { memories: [{ memory_id: exampleMemory.id, is_active: false, add_tags: ["old"] }] },
    data: {
      updated: 1,
      unchanged: 0,
      refused: 0,
      results: [
        {
          index: 0,
          status: "updated",
          id: exampleMemory.id,
          updated_at: exampleMemory.updated_at,
          former: { is_active: true, tags: [] },
        },
      ],
    },
  },

  async prepare({ memories }, preparation) {
    const contents = memories.map(newContent);
    // Only the embedder is slow.
    if (contents.every((content) => content === null)) return [];
    return preparation.inTurn(() => embedContents(contents, preparation));
  },

  async apply(transaction, { memories }, vectors, { caller: { project }, now }) {
    const results: Static<typeof updateResult>[] = [];
    for (const [index, value] of memories.entries()) {
      const vector = vectors[index] ?? null;
      results.push({ index, ...(await updateOne(transaction, project, { value, vector }, now)) });
    }
    const of = (wanted: string) => results.filter(({ status }) => status === wanted).length;
    const data = { updated: of("updated"), unchanged: of("unchanged"), refused: of("refused"), results };
    return { data };
  },
});

/** Null: the item changes no content, or is refused. */
function newContent(value: unknown): string | null {
  try {
    return readUpdateItem(value).content ?? null;
  } catch {
    return null;
  }
}

/** @returns the vector of each content. Few texts wait at once, so that other calls of the project can use the embedder, too */
async function embedContents(
  contents: readonly (string | null)[],
  { embed, signal, report }: Preparation,
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = [];
  for (let start = 0; start < contents.length; start += embeddingsAtOnce) {
    if (signal.aborted) throw cancelled();
    report(start / contents.length, "Embedding the contents");
    const some = contents.slice(start, start + embeddingsAtOnce);
    const embedded = some.map((content) => (content === null ? null : embed(content, "passage")));
    vectors.push(...(await Promise.all(embedded)));
  }
  return vectors;
}

async function updateOne(
  transaction: Transaction,
  project: Project,
  { value, vector }: { readonly value: unknown; readonly vector: Float32Array | null },
  now: number,
): Promise<Omit<Static<typeof updateResult>, "index">> {
  try {
    const item = readUpdateItem(value);
    const before = await requireMemory(transaction, project, item.memory_id);
    requireUnchanged(before, item);
    const after = changed(before, item);
    requireKnown(before, after, item.if_updated_at ?? item.updated_at);
    const former = formerValues(before, after);
    const { id } = before;
    if (Object.keys(former).length === 0) return { status: "unchanged", id };
    const memory = { ...after, updatedAt: changedAt(before, now) };
    await storeChange(transaction, project, { before, memory, vector }, now);
    return { status: "updated", id, updated_at: toTimestamp(memory.updatedAt), former };
  } catch (error) {
    return { status: "refused", ...refuseItem(error) };
  }
}

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
  feature: "memory",
  mayRunLong: true,
  refusals: [],
  success: 200,
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
      deleted: count("Memories that were deleted."),
      refused: count("Memories that do not exist, or were changed meanwhile."),
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

  async prepare() {},

  async apply(transaction, { memory_ids, if_updated_at: known }, _prepared, { caller: { project }, now }) {
    if (known !== undefined && known.length !== memory_ids.length)
      throw new Refusal(
        1400,
        `Field "if_updated_at" must have one time for each of the ${memory_ids.length} ids in "memory_ids", and it has ${known.length}.`,
      );
    const results: Static<typeof deleteResult>[] = [];
    const deleted: JsonObject[] = [];
    for (const [index, wanted] of memory_ids.entries()) {
      try {
        const memory = await requireMemory(transaction, project, wanted);
        requireVersion(memory, known?.[index], "delete it again");
        const { id, type, importance } = memory;
        await transaction.memories.remove(project, id, now);
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
      after: deleted.length === 0 ? [] : [{ effect: "remove_cached_vectors", project: project.id }],
    };
  },
});
