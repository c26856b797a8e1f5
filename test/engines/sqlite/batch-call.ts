// Owns the batch with which the tests of search create memories whose vectors they have chosen.

import { readBatchItem } from "../../../src/calls/operations/memories/batch-item.ts";
import { contentKey } from "../../../src/memory/memory.ts";
import type { SearchChoices } from "./search-choices.ts";

type ChosenMemory = ReturnType<SearchChoices["memory"]>;

/** @returns the body of `memory.create_batch`, and what its `prepare` makes of these memories */
export function toBatchCall(made: readonly ChosenMemory[]) {
  const prepared = made.map(({ fields, vector, passage }) => ({
    refused: null,
    // What was prepared is stored as it is.
    item: { ...readBatchItem(fields), passage },
    contentKey: contentKey(fields.content, { passage }),
    id: null,
    exportedId: null,
    vector,
  }));
  return { input: { memories: made.map(({ fields }) => fields) }, prepared };
}
