// Owns changing a memory. Fields that are not in the request do not change.

import { Type } from "@sinclair/typebox";
import {
  agentMemory,
  content,
  exampleMemory,
  expiresAt,
  importance,
  type Memory,
  memoryId,
  memoryType,
  toAgentMemory,
} from "../../../memory/memory.ts";
import { NewMetadata, toMetadata } from "../../../memory/metadata.ts";
import { Tags, toTags } from "../../../memory/tags.ts";
import { Refusal } from "../../../platform/errors.ts";
import { atLeastOne, Fields } from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import {
  activity,
  changedAt,
  formerValues,
  ifUpdatedAt,
  readOnlyFields,
  requireKnown,
  requireUnchanged,
  storeChange,
  wording,
} from "./change.ts";
import { toExpiry } from "./create.ts";
import { requireMemory } from "./read.ts";

const { default: _, ...newImportance } = importance;

const changes = {
  content: Type.Optional(content),
  memory_type: Type.Optional(memoryType),
  importance: Type.Optional(newImportance),
  is_active: Type.Optional(
    Type.Boolean({ description: "If false, search and injection ignore the memory." }),
  ),
  expires_at: Type.Optional(expiresAt),
  tags: Type.Optional(Tags("Replaces all tags of the memory; [] removes them.")),
  metadata: NewMetadata("Replaces the metadata of the memory; null removes it."),
};

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
  success: 200,
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
    if (Object.keys(input).every((name) => !Object.hasOwn(changes, name))) {
      const names = Object.keys(changes).join(", ");
      throw new Refusal(1400, `The request changes nothing. Send at least one of ${names}.`, {
        reason: "at least one field is required",
      });
    }
    toMetadata(input.metadata);
    return input.content === undefined ? null : await embed(input.content, "passage");
  },

  async apply(transaction, input, vector, application) {
    const before = await requireMemory(transaction, application.caller.owner, input.memory_id);
    requireUnchanged(before, input);
    const memory: Memory = {
      ...before,
      ...wording(before, input),
      importance: input.importance ?? before.importance,
      ...activity(before, input.is_active),
      expiresAt: input.expires_at === undefined ? before.expiresAt : toExpiry(input.expires_at),
      tags: input.tags === undefined ? before.tags : toTags(input.tags),
      metadata: input.metadata === undefined ? before.metadata : toMetadata(input.metadata),
      updatedAt: changedAt(before, application.now),
    };
    requireKnown(before, memory, input.if_updated_at ?? input.updated_at);
    await storeChange(transaction, { before, memory, vector }, application);
    const details = { former_values: formerValues(before, memory) };
    return { data: toAgentMemory(memory), memoryId: memory.id, details };
  },
});
