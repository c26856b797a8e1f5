// Owns what becomes of memories that a newer one supersedes: they become inactive, and name it. Must never delete anything, nor change a rule.

import type { Transaction } from "../../storage/store.ts";
import { changedAt } from "../change.ts";
import type { Storing } from "../comparison-set.ts";
import { isExpired, type Memory } from "../memory.ts";
import { hasTags } from "../tags.ts";
import { supersedes } from "./superseding.ts";

/**
 * Only memories that have all tags of the call are superseded, as only those are updated.
 * @param older ids of the memories that were superseded when they were read before the transaction
 * @returns ids of those that are superseded now
 */
export async function supersedeOlder(
  { memories }: Transaction,
  newer: Memory,
  older: Iterable<string>,
  { caller: { project }, now, tags }: Storing,
): Promise<readonly string[]> {
  const superseded: string[] = [];
  for (const id of new Set(older)) {
    const known = id === newer.id ? null : await memories.find(project, id);
    if (known === null || !known.active || known.type === "rule" || isExpired(known, now)) continue;
    if (!hasTags(known.tags, tags) || !supersedes(newer.content, known.content)) continue;
    const memory = { ...known, active: false, supersededBy: newer.id, updatedAt: changedAt(known, now) };
    await memories.update(project, { memory, contentKey: null, vector: null });
    superseded.push(id);
  }
  return superseded;
}
