// Owns what becomes of the memories that a language model says an item replaces: a suggestion, or, if the operator has configured it, they are
// inactive at once, which activating them undoes. Must never touch a memory that is not as the model was shown it.

import type { ExtractedItem, LeftOutReason, Replacement } from "../../../memory/extraction/extractor.ts";
import { isExpired, type Memory } from "../../../memory/memory.ts";
import { saidAt } from "../../../memory/origin.ts";
import { quoteMaxCharacters } from "../../../memory/suggestions/limits.ts";
import { shorten } from "../../../platform/text/characters.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Storing } from "../extraction/comparison-set.ts";
import { addSuggestion } from "../suggestions/add.ts";
import { changedAt } from "./change.ts";

export const replacedStatuses = ["suggested", "replaced"] as const;

/** A memory that an item replaces. */
export interface Replaced {
  readonly id: string;
  /** The words of it that are no longer true, verbatim. */
  readonly quote: string;
  readonly status: (typeof replacedStatuses)[number];
  /** Id of the suggestion; null: it was replaced at once. */
  readonly suggestion: string | null;
}

/** An item that was stored, or was known already. */
interface StoredItem {
  readonly item: ExtractedItem;
  /** The memory that has the content of the item. */
  readonly memoryId: string;
  /** The memory that has the text which that one had before; null: none. */
  readonly former: { readonly memory: Memory } | null;
}

export type WithReplaced<Item> = Item & { readonly replaced: readonly Replaced[] };

export interface Replacing<Item> {
  readonly outcomes: readonly WithReplaced<Item>[];
  readonly leftOut: readonly LeftOutReason[];
  /** Ids of the suggestions that the call has made. */
  readonly suggestions: readonly string[];
}

/** To be called when all items of the call are stored, because a later one may change what an earlier one names. */
export async function replaceOlder<Item extends StoredItem>(
  transaction: Transaction,
  items: readonly Item[],
  storing: Storing,
): Promise<Replacing<Item>> {
  const outcomes: WithReplaced<Item>[] = [];
  const leftOut: LeftOutReason[] = [];
  for (const item of items) {
    const all = await replaceOlderThan(transaction, item, storing);
    leftOut.push(...all.filter((each) => typeof each === "string"));
    outcomes.push({ ...item, replaced: all.filter((each) => typeof each !== "string") });
  }
  const suggestions = outcomes.flatMap(({ replaced }) =>
    replaced.flatMap(({ suggestion }) => suggestion ?? []),
  );
  return { outcomes, leftOut, suggestions };
}

async function replaceOlderThan(
  transaction: Transaction,
  { item, memoryId, former }: StoredItem,
  storing: Storing,
): Promise<readonly (Replaced | LeftOutReason)[]> {
  const { memories } = transaction;
  const { caller, now } = storing;
  const results: (Replaced | LeftOutReason)[] = [];
  const newer = item.replaces === undefined ? null : await memories.find(caller.owner, memoryId);
  const each = new Map(item.replaces?.map((replacement) => [replacement.memory, replacement]));
  for (const replacement of each.values()) {
    const isUpdated = replacement.memory === memoryId;
    // The text that was updated is that of the previous memory now, or is part of the new text.
    if (isUpdated && former === null) continue;
    const older = await memories.find(
      caller.owner,
      isUpdated && former ? former.memory.id : replacement.memory,
    );
    if (older === null || newer === null || older.content !== replacement.content)
      results.push("memory-changed");
    else if (![older, newer].every((memory) => memory.active && !isExpired(memory, now)))
      results.push("memory-changed");
    else if ((item.origin?.saidAt ?? now) < saidAt(older)) results.push("said-earlier");
    else results.push(await replace(transaction, { older, newer, replacement, item }, storing));
  }
  return results;
}

interface Pair {
  readonly older: Memory;
  readonly newer: Memory;
  readonly replacement: Replacement;
  readonly item: ExtractedItem;
}

async function replace(
  transaction: Transaction,
  { older, newer, replacement: { quote }, item }: Pair,
  { caller: { owner, key }, now, recordId, replacesAtOnce = false }: Storing,
): Promise<Replaced> {
  const { id } = older;
  if (replacesAtOnce) {
    const memory = { ...older, active: false, supersededBy: newer.id, updatedAt: changedAt(older, now) };
    await transaction.memories.update(owner, { memory, contentKey: null, vector: null });
    return { id, quote, status: "replaced", suggestion: null };
  }
  if (recordId === undefined) throw new Error("an extraction does not know its record");
  const suggestion = await addSuggestion(
    transaction,
    owner,
    {
      kind: "replace",
      source: "model",
      memories: [older, newer].map(({ id, updatedAt }) => ({ id, updatedAt })),
      fields: null,
      reason: null,
      quotes: [quote, item.evidence].map((text) => shorten(text, quoteMaxCharacters)),
      record: recordId,
      key: key.id,
    },
    now,
  );
  return { id, quote, status: "suggested", suggestion: suggestion.id };
}
