// Owns changing a memory. Fields that are not in the request do not change.

import { agentMemory, exampleMemory, memoryId, toAgentMemory } from "../../../memory/memory.ts";
import { toMetadata } from "../../../memory/metadata.ts";
import { atLeastOne, Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import {
  changedAt,
  ifUpdatedAt,
  previousValues,
  readOnlyFields,
  requireKnown,
  requireUnchanged,
  storeChange,
} from "./change.ts";
import { requireMemory } from "./read.ts";
import { changed, changes, requireChange } from "./update-item.ts";

export const updateMemory = projectOperation({
  name: "memory.update",
  summary: "Update a memory",
  description:
    "Changes the given fields; at least one is required. A changed content is embedded again. expires_at null removes the expiry. A passage of a conversation whose content or memory_type is changed is kept from then on: it counts as a memory of the project, and the change is refused with 2101 if the project has as many as its plan allows. With if_updated_at, the change is refused with 2108 if somebody else has changed the memory meanwhile. A memory can be sent back as it was read: fields that cannot be changed are ignored if they are unchanged, and refused otherwise.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  passages: { memories: ({ memory_id }) => [memory_id] },
  feature: "memory",
  refusals: [2100, 2101, 2104, 2108],
  input: Fields(
    { memory_id: memoryId, ...changes, ...readOnlyFields, if_updated_at: ifUpdatedAt },
    atLeastOne(Object.keys(changes)),
  ),
  output: agentMemory,
  example: {
    input: { memory_id: exampleMemory.id, importance: 0.9 },
    data: { ...exampleMemory, importance: 0.9, updated_at: "2026-11-21T10:00:00.000Z" },
  },

  async prepare(input, { embed }) {
    requireChange("request", input, changes);
    toMetadata(input.metadata);
    return input.content === undefined ? null : await embed(input.content, "passage");
  },

  async apply(transaction, input, vector, application) {
    const before = await requireMemory(transaction, application.caller.owner, input.memory_id);
    requireUnchanged(before, input);
    const memory = { ...changed(before, input), updatedAt: changedAt(before, application.now) };
    requireKnown(before, memory, input.if_updated_at ?? input.updated_at);
    await storeChange(transaction, { before, memory, vector }, application);
    const details = { former_values: previousValues(before, memory) };
    return { data: toAgentMemory(memory), memoryId: memory.id, details };
  },
});
