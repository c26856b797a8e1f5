// Owns the decision about an extracted item: it becomes a new memory, updates a similar active memory, or is skipped. The thresholds are those
// of the API contract. An item updates only memories that have all tags of its call. The decision is made inside the transaction, because other
// calls may have changed memories before it.

import type { Transaction } from "../storage/store.ts";
import { changedAt } from "./change.ts";
import {
  type Candidate,
  ComparisonSet,
  type Match,
  type Storing,
  skipAboveSimilarity,
  updateAboveSimilarity,
} from "./comparison-set.ts";
import { requireRoom } from "./create.ts";
import type { ExtractedItem } from "./extractor.ts";
import type { Memory } from "./memory.ts";
import { supersedeOlder } from "./superseding/supersede.ts";
import { joinTags } from "./tags.ts";

export const actions = ["created", "updated", "skipped"] as const;

export interface Outcome {
  /** The item as extracted; after an update with the importance and expiry of the memory. */
  readonly item: ExtractedItem;
  readonly action: (typeof actions)[number];
  /** The memory that holds the content now. */
  readonly memoryId: string;
  readonly memoryType: Memory["type"];
  /** Of the memory now. */
  readonly tags: readonly string[];
  readonly match: { readonly id: string; readonly similarity: number } | null;
  /** Ids of the memories that are inactive now, because the item says that they are no longer true. */
  readonly supersedes: readonly string[];
}

/**
 * Stores the items in their order. `revision` is the one that the first search before the transaction returned; null: only equal texts
 * count as duplicates.
 * @throws Refusal 2101 when the plan does not allow all of them.
 */
export async function storeItems(
  transaction: Transaction,
  candidates: readonly Candidate[],
  revision: number | null,
  storing: Storing,
): Promise<Outcome[]> {
  const { owner } = storing.caller;
  const changed = revision === null ? [] : await transaction.memories.changedSince(owner, revision);
  const comparisonSet = new ComparisonSet(transaction, storing, changed);
  const outcomes: Outcome[] = [];
  const stored = new Map<number, Memory>();
  for (const [at, candidate] of candidates.entries()) {
    const match = revision === null ? null : await comparisonSet.closest(candidate);
    const { outcome, memory } = await storeItem(transaction, candidate, match, storing);
    if (memory !== null) {
      comparisonSet.add(memory.id, at);
      stored.set(at, memory);
    }
    const before = candidate.older.items.flatMap((item) => stored.get(item) ?? []);
    const older = [...candidate.older.memories, ...before];
    const supersedes = memory === null ? [] : await supersedeOlder(transaction, memory, older, storing);
    outcomes.push({ ...outcome, supersedes });
  }
  return outcomes;
}

/** `memory` is the memory that was stored; null when the item was skipped. */
async function storeItem(
  transaction: Transaction,
  candidate: Candidate,
  match: Match | null,
  storing: Storing,
): Promise<{ readonly outcome: Omit<Outcome, "supersedes">; readonly memory: Memory | null }> {
  const { memories } = transaction;
  const { caller, plan, now, tags, metadata = null } = storing;
  const { project, owner } = caller;
  const { vector, contentKey, found: _, similarItems: __, older: ___, ...item } = candidate;
  const action = chooseAction(match);
  const shown = match === null ? null : { id: match.memory.id, similarity: match.similarity };
  const skip = async (same: { readonly id: string; readonly similarity: number }) => {
    const outcome = { item, action: "skipped" as const, memoryId: same.id, memoryType: item.type };
    return {
      outcome: { ...outcome, tags: await addTags(transaction, same.id, storing), match: same },
      memory: null,
    };
  };
  if (action === "skipped" && shown !== null) return skip(shown);
  const known = action === "updated" ? match?.memory : undefined;
  const holder = await memories.claimContent(owner, contentKey, now, {
    exceptId: known?.id ?? null,
    fromInactive: true,
  });
  if (holder !== null) return skip({ id: holder, similarity: 1 });
  if (known === undefined) {
    await requireRoom(transaction, project, plan);
    const memory = await memories.insert(owner, { ...item, tags, metadata, contentKey, vector }, now);
    const outcome = {
      item,
      action: "created" as const,
      memoryId: memory.id,
      memoryType: memory.type,
      tags,
    };
    return { outcome: { ...outcome, match: null }, memory };
  }
  const memory = rewrite(known, item, now);
  await memories.update(owner, { memory, contentKey, vector });
  const { type, importance, expiresAt } = memory;
  const outcome = { item: { ...item, importance, expiresAt }, memoryId: memory.id, memoryType: type };
  return { outcome: { ...outcome, action: "updated", tags: memory.tags, match: shown }, memory };
}

/**
 * A memory that already has the content of an item gets the tags of the call, so that a filter finds it. Not a rule
 * without tags: it applies to the whole project, and tags would restrict it.
 * @returns the tags of the memory now
 */
async function addTags(
  { memories }: Transaction,
  id: string,
  { caller: { owner }, now, tags }: Storing,
): Promise<readonly string[]> {
  const known = await memories.find(owner, id);
  if (known === null) throw new Error("a memory disappeared within a transaction");
  const isForAll = known.type === "rule" && known.tags.length === 0;
  const joined = joinTags(known.tags, tags);
  if (isForAll || joined === null || joined.length === known.tags.length) return known.tags;
  const memory = { ...known, tags: joined, updatedAt: changedAt(known, now) };
  await memories.update(owner, { memory, contentKey: null, vector: null });
  return joined;
}

function chooseAction(match: Match | null): Outcome["action"] {
  if (match === null || match.similarity <= updateAboveSimilarity) return "created";
  return match.similarity > skipAboveSimilarity ? "skipped" : "updated";
}

/** The content of the item, and its expiry if it has one. Type and importance stay: a person may have set them. */
function rewrite(known: Memory, { content, expiresAt }: ExtractedItem, now: number): Memory {
  return { ...known, content, expiresAt: expiresAt ?? known.expiresAt, updatedAt: changedAt(known, now) };
}
