// Owns creating many memories in one call, with a result for each item. All valid items are stored in one transaction, together with the
// record that names every item.

import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../access/caller.ts";
import type { Plan } from "../../../access/plan.ts";
import { batchMaxItems } from "../../../memory/limits.ts";
import { contentKey, exampleMemory } from "../../../memory/memory.ts";
import type { Owner } from "../../../memory/owner.ts";
import { idInExport, idOfSource } from "../../../memory/source-id.ts";
import { Refusal } from "../../../platform/errors.ts";
import { embeddingsAtOnce } from "../../../platform/limits.ts";
import { cancelled } from "../../../platform/scheduling/cancellation.ts";
import { CheckedLater, Count, Fields } from "../../../platform/schema/schema.ts";
import { type Preparation, projectOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import {
  type BatchResult,
  batchItem,
  batchResult,
  type NewItem,
  type RefusedItem,
  readBatchItem,
  refuseItem,
} from "./batch-item.ts";
import { requireRoom } from "./create.ts";

/** What the transaction needs of an item. */
type PreparedItem =
  | { readonly refused: RefusedItem }
  | (IdentifiedItem & { readonly vector: Float32Array | null });

interface IdentifiedItem {
  readonly refused: null;
  readonly item: NewItem;
  readonly contentKey: Uint8Array;
  /** Derived from the source id; null: the memory gets a new one. */
  readonly id: string | null;
  /** The memory itself, if the item is from an export of the project; null: it is not from an export. */
  readonly exportedId: string | null;
}

export const createMemories = projectOperation({
  name: "memory.create_batch",
  summary: "Create several memories",
  description:
    "Stores up to 1,000 memories and answers with a result for each item, in the order of the request. An item that is refused does not refuse the others. An item with a source_id that a memory of the project has, or with the content of an unexpired memory, is existing: it is not embedded, and the memory stays as it is. So the same call can be sent again if its outcome is unknown. After the memory has been deleted, the same source_id creates it again, with the same id. Items beyond the memory limit of the plan are refused with 2101. All items are stored in one transaction with one audit record.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  feature: "memory",
  mayRunLong: true,
  refusals: [2101],
  input: Fields({
    memories: Type.Array(CheckedLater(batchItem), {
      minItems: 1,
      maxItems: batchMaxItems,
      description: "The memories to create.",
    }),
  }),
  output: Fields(
    {
      created: Count("Items that are new memories."),
      existing: Count("Items that memories of the project already have."),
      refused: Count("Items that were refused."),
      results: Type.Array(batchResult, {
        description: "One result for each item, in the order of the request.",
      }),
    },
    { title: "BatchResults" },
  ),
  example: {
    input: {
      memories: [{ content: exampleMemory.content, memory_type: "fact", source_id: "wiki:releases" }],
    },
    data: {
      created: 1,
      existing: 0,
      refused: 0,
      results: [{ index: 0, status: "created", id: exampleMemory.id }],
    },
  },

  async prepare({ memories }, preparation) {
    const { owner } = preparation.caller;
    const items = memories.map((value) => identify(value, owner));
    return preparation.inTurn(() => embedItems(items, preparation));
  },

  async apply(transaction, _input, prepared, { caller, plan, now }) {
    const results: BatchResult[] = [];
    for (const [index, item] of prepared.entries()) {
      const result = item.refused ?? (await storeItem(transaction, item, caller, plan, now));
      results.push("status" in result ? { index, ...result } : { index, status: "refused", ...result });
    }
    const count = (wanted: BatchResult["status"]) => results.filter(({ status }) => status === wanted).length;
    return {
      data: { created: count("created"), existing: count("existing"), refused: count("refused"), results },
    };
  },
});

function identify(value: unknown, owner: Owner): IdentifiedItem | { readonly refused: RefusedItem } {
  try {
    const item = readBatchItem(value);
    const { sourceId } = item;
    const id = sourceId === null ? null : idOfSource(owner, sourceId);
    const exportedId = sourceId === null ? null : idInExport(sourceId);
    return { refused: null, item, contentKey: contentKey(item.content), id, exportedId };
  } catch (error) {
    return { refused: refuseItem(error) };
  }
}

/**
 * Embeds the items that no memory has, equal contents once. Few texts wait at once, so that other calls of the project can use the
 * embedder, too.
 */
async function embedItems(
  items: readonly (IdentifiedItem | { readonly refused: RefusedItem })[],
  { embed, store, caller: { owner }, now, signal, report }: Preparation,
): Promise<PreparedItem[]> {
  const vectors = new Map<string, Float32Array>();
  const prepared: PreparedItem[] = [];
  for (let start = 0; start < items.length; start += embeddingsAtOnce) {
    if (signal.aborted) throw cancelled();
    report(start / items.length, "Embedding the memories");
    const batch = items.slice(start, start + embeddingsAtOnce);
    const valid = batch.filter((item) => item.refused === null);
    const held = await store.memories.findHeld(owner, valid, now);
    const exported = valid.map(({ exportedId, contentKey }) => ({ id: exportedId, contentKey }));
    const heldAsExported = await store.memories.findHeld(owner, exported, now);
    const wanted = new Map(
      valid
        .filter((_, at) => held[at] !== true && heldAsExported[at] !== true)
        .map((each) => [keyOf(each), `${each.item.lead ?? ""}${each.item.content}`]),
    );
    const added = [...wanted].filter(([key]) => !vectors.has(key));
    await Promise.all(added.map(async ([key, text]) => vectors.set(key, await embed(text, "passage"))));
    for (const each of batch) {
      prepared.push(each.refused === null ? { ...each, vector: vectors.get(keyOf(each)) ?? null } : each);
    }
  }
  return prepared;
}

/** Of what is embedded. */
function keyOf({ contentKey, item: { lead } }: IdentifiedItem): string {
  return `${Buffer.from(contentKey).toString("base64")} ${lead ?? ""}`;
}

type StoredItem = Pick<BatchResult, "status" | "id">;

async function storeItem(
  transaction: Transaction,
  { item, contentKey, id, exportedId, vector }: IdentifiedItem & { readonly vector: Float32Array | null },
  { project, owner }: Pick<Caller, "project" | "owner">,
  plan: Plan,
  now: number,
): Promise<StoredItem | RefusedItem> {
  const { memories } = transaction;
  for (const known of [id, exportedId]) {
    if (known !== null && (await memories.find(owner, known)) !== null)
      return { status: "existing", id: known };
  }
  const holder = await memories.claimContent(owner, contentKey, now);
  if (holder !== null) return { status: "existing", id: holder };
  try {
    if (vector === null) throw new Refusal(1503, deletedMeanwhile);
    await requireRoom(transaction, project, plan);
  } catch (error) {
    return refuseItem(error);
  }
  const memory = await memories.insert(owner, { ...item, contentKey, vector, id }, now);
  return { status: "created", id: memory.id };
}

const deletedMeanwhile =
  "The memory that had this content or source_id was deleted while the call was prepared. Send the item again.";
