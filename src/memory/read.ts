// Owns reading one memory by its id.

import type { Project } from "../access/project.ts";
import { projectOperation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import { isId } from "../ids.ts";
import { Fields } from "../schema/schema.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Transaction } from "../storage/store.ts";
import { agentMemory, exampleMemory, type Memory, memoryId, toAgentMemory } from "./memory.ts";

export const readMemory = projectOperation({
  name: "memory.read",
  summary: "Read a memory",
  description: "Returns one memory of the project, even if it is inactive or expired.",
  permission: "memory.read",
  feature: "memory",
  refusals: [2100],
  success: 200,
  input: Fields({ memory_id: memoryId }),
  output: agentMemory,
  example: { input: { memory_id: exampleMemory.id }, data: exampleMemory },

  async prepare() {},

  async apply(transaction, input, _prepared, { caller: { project }, now }) {
    const memory = await requireMemory(transaction, project, input.memory_id);
    return {
      data: toAgentMemory(memory),
      memoryId: memory.id,
      after: [touchMemories(project, [memory], now)],
    };
  },
});

/** `last_accessed_at` of these memories follows. */
export function touchMemories(
  project: Project,
  memories: readonly { readonly id: string }[],
  now: number,
): AfterCommit {
  const ids = memories.map(({ id }) => id);
  return { effect: "touch_memories", project: project.id, memories: ids, at: now };
}

/** @throws Refusal 2100 when the project has no such memory; the refusal is the same when another project has it. */
export async function requireMemory(transaction: Transaction, project: Project, id: string): Promise<Memory> {
  const memory = isId(id) ? await transaction.memories.find(project, id) : null;
  if (memory === null) {
    throw new Refusal(2100, "The memory does not exist in this project. List memories to find its id.");
  }
  return memory;
}
