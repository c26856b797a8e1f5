// Owns whether a new suggestion has room in the queue of its owner.

import { isDeepStrictEqual } from "node:util";
import type { Owner } from "../../../memory/owner.ts";
import { foundMax, proposedMax } from "../../../memory/suggestions/limits.ts";
import type { NewSuggestion, Suggestion } from "../../../memory/suggestions/suggestion.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Transaction } from "../../storage/store.ts";

/**
 * What is found again about the same versions of the same memories waits once. The oldest ones that were found make room for another one that
 * is found. What somebody has proposed stays until somebody decides.
 * @throws Refusal 2111 when a key proposes one and the owner has too many
 */
export async function addSuggestion(
  { suggestions }: Pick<Transaction, "suggestions">,
  owner: Owner,
  suggestion: NewSuggestion,
  now: number,
): Promise<Suggestion> {
  const [older] = suggestion.memories;
  if (suggestion.source !== "key" && older !== undefined) {
    const waiting = await suggestions.about(owner, older.id);
    const same = waiting.find(({ memories }) => isDeepStrictEqual(memories, suggestion.memories));
    if (same !== undefined) return same;
  }
  const which = suggestion.source === "key" ? "proposed" : "found";
  const count = await suggestions.count(owner, which);
  if (which === "found") await suggestions.removeOldestFound(owner, count + 1 - foundMax);
  else if (count >= proposedMax) throw full;
  return suggestions.insert(owner, suggestion, now);
}

const full = new Refusal(
  2111,
  `${proposedMax} proposed changes wait already. Accept or refuse some of them first.`,
  { suggestion_limit: proposedMax },
);
