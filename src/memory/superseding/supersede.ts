// Owns what becomes of memories that a newer one supersedes: they become inactive, and name it. Must never delete anything, nor change a rule,
// nor compare texts: the transaction holds up all other calls.

import type { Transaction } from "../../storage/store.ts";
import { changedAt } from "../change.ts";
import type { Storing } from "../comparison-set.ts";
import { isExpired, type Memory } from "../memory.ts";
import { hasTags } from "../tags.ts";
import type { OlderMemory } from "./find-older.ts";

/**
 * Only memories that have all tags of the call are superseded, as only those are updated. A memory whose text has changed since it was
 * compared stays.
 * @returns ids of those that are superseded now
 */
export async function supersedeOlder(
  { memories }: Transaction,
  newer: Memory,
  older: readonly OlderMemory[],
  { caller: { owner }, now, tags }: Storing,
): Promise<readonly string[]> {
  const superseded: string[] = [];
  for (const { id, content } of older) {
    const known = id === newer.id ? null : await memories.find(owner, id);
    if (known === null || !known.active || known.type === "rule" || isExpired(known, now)) continue;
    if (known.content !== content || !hasTags(known.tags, tags)) continue;
    const memory = { ...known, active: false, supersededBy: newer.id, updatedAt: changedAt(known, now) };
    await memories.update(owner, { memory, contentKey: null, vector: null });
    superseded.push(id);
  }
  return superseded;
}
