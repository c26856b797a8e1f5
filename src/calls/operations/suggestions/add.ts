// Owns whether a new suggestion has room in the queue of its owner.

import { isDeepStrictEqual } from "node:util";
import type { Owner } from "../../../memory/owner.ts";
import { foundMax, proposedMax } from "../../../memory/suggestions/limits.ts";
import type { NewSuggestion, Suggestion } from "../../../memory/suggestions/suggestion.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Transaction } from "../../storage/store.ts";

/**
 * What is found again about the same versions of the same memories waits once. The oldest ones that were found make room for another one that
 * is found. What somebody has proposed stays until somebody decides. A key leaves as many places free as it has taken, so that others can
 * propose something whatever it does.
 * @throws Refusal 2111 when a key proposes one and has no place left
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
  if (suggestion.source === "key") {
    const free = proposedMax - (await suggestions.count(owner, "proposed", null));
    if ((await suggestions.count(owner, "proposed", suggestion.key)) >= free) throw full;
  } else {
    const found = await suggestions.count(owner, "found", null);
    await suggestions.removeOldestFound(owner, found + 1 - foundMax);
  }
  return suggestions.insert(owner, suggestion, now);
}

const full = new Refusal(
  2111,
  "As many proposed changes of this key wait as can wait beside those of other keys. Accept or refuse some of them first.",
  { suggestion_limit: proposedMax },
);
