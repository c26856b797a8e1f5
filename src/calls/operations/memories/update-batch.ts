// Owns changing many memories in one call, with a result for each. One transaction has all changes and the one record, which
// has the previous values of what was changed.

import { type Static, Type } from "@sinclair/typebox";
import { index, refusalFields } from "../../../memory/batch-result.ts";
import { batchMaxItems } from "../../../memory/limits.ts";
import { exampleMemory, memoryId } from "../../../memory/memory.ts";
import { isObject } from "../../../platform/json/json.ts";
import { embeddingsAtOnce } from "../../../platform/limits.ts";
import { cancelled } from "../../../platform/scheduling/cancellation.ts";
import { CheckedLater, Choice, Count, Fields, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { refuseItem } from "./batch-item.ts";
import { changedAt, previousValues, requireKnown, requireUnchanged, storeChange } from "./change.ts";
import { ownerIn, requireMemory } from "./read.ts";
import { changed, readUpdateItem, updateItem } from "./update-item.ts";

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
          "Of an updated memory: the time of this change. Sent back as if_updated_at with the previous values, the undo leaves what somebody else has changed since.",
      }),
    ),
    former: Type.Optional(
      Type.Object(
        {},
        {
          title: "PreviousValues",
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
    "Changes up to 1,000 memories, each as its item says, and answers with a result for each item, in the order of the request. An item that is refused does not refuse the others. A changed content is embedded again. All changes are stored in one transaction with one audit record, which has the previous values.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  passages: { memories: ({ memories }) => memories.map((each) => (isObject(each) ? each.memory_id : null)) },
  feature: "memory",
  mayRunLong: true,
  input: Fields({
    memories: Type.Array(CheckedLater(updateItem), {
      minItems: 1,
      maxItems: batchMaxItems,
      description: "The changes.",
    }),
  }),
  output: Fields(
    {
      updated: Count("Memories that were changed."),
      unchanged: Count("Memories that have these values already."),
      refused: Count("Items that were refused."),
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

  async apply(transaction, { memories }, vectors, application) {
    const results: Static<typeof updateResult>[] = [];
    for (const [index, value] of memories.entries()) {
      const vector = vectors[index] ?? null;
      results.push({ index, ...(await updateOne(transaction, { value, vector }, application)) });
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
  { value, vector }: { readonly value: unknown; readonly vector: Float32Array | null },
  application: ProjectApplication,
): Promise<Omit<Static<typeof updateResult>, "index">> {
  try {
    const item = readUpdateItem(value);
    const owner = await ownerIn(transaction, application.caller, item.memory_id);
    const before = await requireMemory(transaction, owner, item.memory_id);
    requireUnchanged(before, item);
    const after = changed(before, item);
    requireKnown(before, after, item.if_updated_at ?? item.updated_at);
    const former = previousValues(before, after);
    const { id } = before;
    if (Object.keys(former).length === 0) return { status: "unchanged", id };
    const memory = { ...after, updatedAt: changedAt(before, application.now) };
    const caller = { ...application.caller, owner };
    await storeChange(transaction, { before, memory, vector }, { ...application, caller });
    return { status: "updated", id, updated_at: toTimestamp(memory.updatedAt), former };
  } catch (error) {
    return { status: "refused", ...refuseItem(error) };
  }
}
