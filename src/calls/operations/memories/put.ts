// Owns creating or replacing the memory of a source id, so that an application can store what it has without knowing what is stored. The same
// call can be sent again: a memory that has the values already stays as it is.

import {
  agentMemory,
  contentKey,
  exampleMemory,
  type Memory,
  toAgentMemory,
} from "../../../memory/memory.ts";
import type { Owner } from "../../../memory/owner.ts";
import { idInExport, idOfSource } from "../../../memory/source-id.ts";
import { unavailable } from "../../../platform/errors.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { batchFields, sourceId, toNewItem } from "./batch-item.ts";
import { activity, changedAt, previousValues, storeChange, wording } from "./change.ts";
import { storeNew } from "./create.ts";

export const putMemory = projectOperation({
  name: "memory.put",
  summary: "Create or replace the memory of a source",
  description:
    "Stores the memory with this source_id: creates it (201), or replaces all of its values (200). A field that is not given gets its default. The id of the memory is derived from the source_id and from the project, as in a batch. A memory that has these values already stays as it is, so the same call can be sent again. The call is refused with 2104 if another unexpired memory has the same content, and with 2101 if the project has as many memories as its plan allows.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  feature: "memory",
  refusals: [2101, 2104],
  success: 201,
  otherSuccess: 200,
  input: Fields({ source_id: sourceId, ...batchFields }),
  output: agentMemory,
  example: {
    input: {
      source_id: "wiki:releases",
      content: exampleMemory.content,
      memory_type: exampleMemory.memory_type,
      importance: exampleMemory.importance,
    },
    data: exampleMemory,
  },

  async prepare(input, { embed, store, caller: { owner } }) {
    const { content } = toNewItem(input);
    const find = async (id: string) => (await store.memories.find(owner, id))?.memory ?? null;
    const known = await findKnown(owner, input.source_id, find);
    return known?.content === content ? null : await embed(content, "passage");
  },

  async apply(transaction, input, vector, applying) {
    const { memories } = transaction;
    const { owner } = applying.caller;
    const item = toNewItem(input);
    const before = await findKnown(owner, input.source_id, (id) => memories.find(owner, id));
    if (before?.content !== item.content && vector === null) throw changedMeanwhile;
    if (before !== null) {
      const { active, content, type, ...values } = item;
      const words = wording(before, { content, memory_type: type });
      const after = { ...before, ...values, ...words, ...activity(before, active) };
      const previous = previousValues(before, after);
      const isChanged = Object.keys(previous).length > 0;
      const memory = isChanged ? { ...after, updatedAt: changedAt(before, applying.now) } : before;
      const change = { before, memory, vector: before.content === item.content ? null : vector };
      if (isChanged) await storeChange(transaction, change, applying);
      return {
        status: 200 as const,
        data: toAgentMemory(memory),
        memoryId: memory.id,
        details: { former_values: previous },
      };
    }
    if (vector === null) throw changedMeanwhile;
    const id = idOfSource(owner, input.source_id);
    return storeNew(transaction, { ...item, contentKey: contentKey(item.content), vector, id }, applying);
  },
});

/** The memory of a source id; of one that an export has written, the memory itself, if the owner still has it. */
async function findKnown(
  owner: Owner,
  source: string,
  find: (id: string) => Promise<Memory | null>,
): Promise<Memory | null> {
  const exported = idInExport(source);
  return (await find(idOfSource(owner, source))) ?? (exported === null ? null : await find(exported));
}

const changedMeanwhile = unavailable(
  "The memory was changed or deleted while the call was prepared. Send the call again.",
);
