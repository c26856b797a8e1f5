// Owns creating a memory. Must never store the same content twice in a project.

import { type Static, type TObject, Type } from "@sinclair/typebox";
import type { Plan } from "../../../access/plan.ts";
import type { Project } from "../../../access/project.ts";
import { passageRemovalsMax } from "../../../memory/limits.ts";
import {
  agentMemory,
  content,
  contentKey,
  exampleMemory,
  importance,
  memoryType,
  toAgentMemory,
} from "../../../memory/memory.ts";
import { toMetadata } from "../../../memory/metadata.ts";
import { provenance, readProvenance } from "../../../memory/origin.ts";
import { readValues, valueFields } from "../../../memory/values.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { counted } from "../../../platform/text/plural.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { NewMemory } from "../../storage/memory-store.ts";
import type { Transaction } from "../../storage/store.ts";

/** A memory that is created. */
export const newMemoryFields = {
  content,
  memory_type: memoryType,
  importance: Type.Optional(importance),
  ...valueFields({ tags: "Tags of the memory, a set.", metadata: "Metadata of the memory." }),
};

export const createMemory = projectOperation({
  name: "memory.create",
  summary: "Create a memory",
  description:
    "Stores a memory of the project. The call is refused with 2104 if an unexpired memory has the same content (differences in Unicode normalisation and white space are ignored), and with 2101 if the project has as many memories as its plan allows.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  permission: "memory.write",
  forSubjects: true,
  feature: "memory",
  refusals: [2101, 2104],
  success: 201,
  input: Fields({ ...newMemoryFields, ...provenance }),
  output: agentMemory,
  example: {
    input: { content: exampleMemory.content, memory_type: "fact", importance: 0.7 },
    data: exampleMemory,
  },

  async prepare(input, { embed }) {
    toMetadata(input.metadata);
    const said = readProvenance(input);
    const vector = await embed(`${said.lead ?? ""}${input.content}`, "passage");
    return { ...said, vector, contentKey: contentKey(input.content) };
  },

  async apply(transaction, input, prepared, applying) {
    return storeNew(transaction, { ...toNew(input), ...prepared }, applying);
  },
});

/** @throws Refusal 1400 when the metadata exceeds a limit */
export function toNew(input: Static<TObject<typeof newMemoryFields>>) {
  return { content: input.content, type: input.memory_type, ...readValues(input) };
}

/** @throws Refusal 2101, or 2104 when another memory of the owner has the content */
export async function storeNew(
  transaction: Transaction,
  memory: NewMemory,
  { caller: { project, owner }, plan, now }: ProjectApplication,
) {
  const holder = await transaction.memories.claimContent(owner, memory.contentKey, now);
  if (holder !== null) throw duplicate(holder);
  await requireRoom(transaction, project, plan);
  const stored = await transaction.memories.insert(owner, memory, now);
  return { data: toAgentMemory(stored), memoryId: stored.id };
}

/** @throws Refusal 2101 when the project has as many memories as its plan allows; passages do not count. */
export async function requireRoom(
  transaction: Transaction,
  project: Project,
  { memoryLimit }: Plan,
): Promise<void> {
  if (memoryLimit === null || (await transaction.memories.count(project, "kept")) < memoryLimit) return;
  throw new Refusal(
    2101,
    `The project has reached its limit of ${counted(memoryLimit, "memory", "memories")}. Delete memories, or ask the operator for a larger plan.`,
    { memory_limit: memoryLimit },
  );
}

/** How many of the new passages have room, and what is left to do after the commit. */
export interface Room {
  readonly passages: number;
  readonly after: readonly AfterCommit[];
}

/** Makes room for new passages: the oldest ones are removed, as many as are added, and a few of those that a lower limit has left. */
export async function makeRoom(
  { memories }: Pick<Transaction, "memories">,
  project: Project,
  { passageLimit }: Plan,
  added: number,
  now: number,
): Promise<Room> {
  if (passageLimit === null) return { passages: added, after: [] };
  const passages = Math.min(added, passageLimit);
  const excess = (await memories.count(project, "conversation")) + passages - passageLimit;
  if (excess <= 0) return { passages, after: [] };
  await memories.removeOldestPassages(project, Math.min(excess, passages + passageRemovalsMax), now);
  return { passages, after: [{ effect: "remove_cached_vectors", project: project.id }] };
}

export function duplicate(holderId: string): Refusal {
  return new Refusal(
    2104,
    `The project already has a memory with this content: ${holderId}. Update that memory instead.`,
    {
      memory_id: holderId,
    },
  );
}
