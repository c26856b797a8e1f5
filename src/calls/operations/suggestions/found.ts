// Owns what becomes of pairs of memories that a comparison has found to look like a contradiction, a changed value or a near-duplicate.

import type { Memory } from "../../../memory/memory.ts";
import { saidAt } from "../../../memory/origin.ts";
import type { SuggestionKind } from "../../../memory/suggestions/suggestion.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import type { Transaction } from "../../storage/store.ts";
import { addSuggestion } from "./add.ts";

export interface FoundPair {
  /** Ids. */
  readonly memories: readonly [known: string, stored: string];
  readonly kind: Extract<SuggestionKind, "contradiction" | "changed_value" | "near_duplicate">;
}

/** Of one call: more are not looked through by anybody. */
const pairsMax = 100;

/**
 * Suggests that the newer of two active memories replaces the older one.
 * @returns the ids of the suggestions
 */
export async function suggestPairs(
  transaction: Transaction,
  pairs: readonly FoundPair[],
  { caller: { owner, key }, now, recordId }: ProjectApplication,
): Promise<readonly string[]> {
  if (recordId === undefined) return [];
  const ids: string[] = [];
  for (const { memories, kind } of pairs.slice(0, pairsMax)) {
    const found: Memory[] = [];
    for (const id of memories) {
      const memory = await transaction.memories.find(owner, id);
      if (memory?.active) found.push(memory);
    }
    if (found.length < memories.length) continue;
    const concerned = found
      .toSorted((one, other) => saidAt(one) - saidAt(other))
      .map(({ id, updatedAt }) => ({ id, updatedAt }));
    const said = { fields: null, reason: null, quotes: [], record: recordId, key: key.id };
    const suggestion = { kind, source: "comparison" as const, memories: concerned, ...said };
    ids.push((await addSuggestion(transaction, owner, suggestion, now)).id);
  }
  return ids;
}
