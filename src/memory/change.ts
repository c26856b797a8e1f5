// Owns what a change of a memory needs: the claim of its content, and the former values, with which the change can be undone. Decides
// nothing about requests.

import type { Project } from "../access/project.ts";
import type { JsonObject } from "../json/json.ts";
import type { Transaction } from "../storage/store.ts";
import { duplicate } from "./create.ts";
import { type AgentMemory, contentKey, isExpired, type Memory, toAgentMemory } from "./memory.ts";

/**
 * @param vector of the new content; null: the content stays
 * @throws Refusal 2104 when another memory has the content
 */
export async function storeChange(
  transaction: Transaction,
  project: Project,
  { before, memory, vector }: { before: Memory; memory: Memory; vector: Float32Array | null },
  now: number,
): Promise<void> {
  // Another memory may have taken the content key while this memory was expired, so the key is claimed again.
  const isReactivated = isExpired(before, now) && !isExpired(memory, now);
  const key = vector !== null || isReactivated ? contentKey(memory.content) : null;
  if (key !== null) {
    const holder = await transaction.memories.claimContent(project, key, now, memory.id);
    if (holder !== null) throw duplicate(holder);
  }
  await transaction.memories.update(project, { memory, contentKey: key, vector });
}

/** Fields that callers can change. */
const changeable = [
  "content",
  "memory_type",
  "importance",
  "is_active",
  "expires_at",
  "tags",
] as const satisfies readonly (keyof AgentMemory)[];

/** What the fields that have changed were before, under their names in the API. */
export function formerValues(before: Memory, after: Memory): JsonObject {
  const [former, current] = [toAgentMemory(before), toAgentMemory(after)].map(({ tags = [], ...fields }) => ({
    ...fields,
    tags,
  }));
  if (former === undefined || current === undefined) return {};
  const changed = changeable.filter((name) => JSON.stringify(former[name]) !== JSON.stringify(current[name]));
  return Object.fromEntries(changed.map((name) => [name, former[name]]));
}
