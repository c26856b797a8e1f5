// Owns the items of a batch and their results, in the form of the API. An invalid item is refused alone: its call is not.

import { type Static, type TObject, Type } from "@sinclair/typebox";
import { index, refusalFields } from "../../../memory/batch-result.ts";
import { sourceIdMaxCharacters } from "../../../memory/limits.ts";
import { memoryId } from "../../../memory/memory.ts";
import { provenance, readProvenance } from "../../../memory/origin.ts";
import { type ErrorData, Refusal } from "../../../platform/errors.ts";
import { isObject } from "../../../platform/json/json.ts";
import { Choice, createParser, Fields, Flag, Text } from "../../../platform/schema/schema.ts";
import { newMemoryFields, toNew } from "./create.ts";

/** A memory that is created, without its id at its source. */
export const batchFields = {
  ...newMemoryFields,
  is_active: Flag("Whether the memory is searched and injected.", true),
};

export const sourceId = Text({
  maxLength: sourceIdMaxCharacters,
  description:
    "Identifier of the memory at its source, compared exactly. The id of the memory is derived from it and from the project, so a repeated item is found even if the memory has been changed meanwhile.",
  examples: ["mem0:9a2b3c4d"],
});

export const batchItem = Fields(
  { ...batchFields, ...provenance, source_id: Type.Optional(sourceId) },
  { title: "BatchItem", description: "A memory to create." },
);

const parse = createParser(batchItem);

/** An item that is valid. */
export type NewItem = ReturnType<typeof toNewItem> &
  ReturnType<typeof readProvenance> & { readonly sourceId: string | null };

/** @throws Refusal 1400 that names the field */
export function readBatchItem(value: unknown): NewItem {
  if (!isObject(value))
    throw new Refusal(1400, "The item must be a JSON object.", {
      field: "",
      reason: "must be a JSON object",
    });
  const item: Static<typeof batchItem> = parse(value);
  return { ...toNewItem(item), ...readProvenance(item), sourceId: item.source_id ?? null };
}

/** @throws Refusal 1400 when the metadata exceeds a limit */
export function toNewItem(item: Static<TObject<typeof batchFields>>) {
  return { ...toNew(item), active: item.is_active ?? true };
}

export const batchResult = Fields(
  {
    index,
    status: Choice(["created", "existing", "refused"], {
      title: "BatchItemStatus",
      description:
        "created: the item is a new memory. existing: a memory has the source_id, or an unexpired memory has the content; nothing was changed. refused: nothing was stored.",
    }),
    id: Type.Optional(memoryId),
    ...refusalFields,
  },
  {
    title: "BatchResult",
    description: "What became of an item: id if a memory has it, code, message and data if it was refused.",
  },
);
export type BatchResult = Static<typeof batchResult>;

/** A refusal of one item, as plain data. */
export interface RefusedItem {
  readonly code: number;
  readonly message: string;
  readonly data: ErrorData;
}

/** Any other error is thrown again: it concerns the whole call. */
export function refuseItem(error: unknown): RefusedItem {
  if (!(error instanceof Refusal)) throw error;
  const { code, message, data } = error;
  return { code, message, data };
}
