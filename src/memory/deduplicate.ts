// Owns the decision about an extracted item: it becomes a new memory, updates a similar memory, or is skipped. The thresholds are those
// of the API contract. An item updates only memories that have all tags of its call. The decision is made inside the transaction, because other calls may have changed memories before it.

import type { Project } from "../access/project.ts";
import type { ProjectApplication } from "../calls/operation.ts";
import { cosine, squaredLength } from "../ranking/scores.ts";
import type { Transaction } from "../storage/store.ts";
import { requireRoom } from "./create.ts";
import type { ExtractedItem } from "./extractor.ts";
import { isExpired, type Memory } from "./memory.ts";
import type { MemoryVector, SimilarItems, SimilarMemory } from "./store.ts";
import { hasTags, joinTags } from "./tags.ts";

/** An item with a higher cosine similarity to a memory repeats it and is skipped. */
const skipAboveSimilarity = 0.98;
/** An item with a higher cosine similarity to a memory is a newer version of it and updates it. */
export const updateAboveSimilarity = 0.9;

export const actions = ["created", "updated", "skipped"] as const;

/** An item with everything that the transaction needs for its decision. */
export interface Candidate extends ExtractedItem {
  /** Float32Array [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  readonly contentKey: Uint8Array;
  /** Similar memories, found before the transaction. */
  readonly found: readonly SimilarMemory[];
  /** Similar items before it in the same call; null: only equal texts count as duplicates. */
  readonly similarItems: SimilarItems | null;
}

/** The memory that is most similar to an item, as read inside the transaction. */
interface Match {
  readonly memory: Memory;
  readonly similarity: number;
}

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
}

/** A call that stores items. */
interface Storing extends ProjectApplication {
  /** Of all items; canonical. */
  readonly tags: readonly string[];
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
  const { project } = storing.caller;
  const changed = revision === null ? [] : await transaction.memories.changedSince(project, revision);
  const comparisonSet = new ComparisonSet(transaction, storing, changed);
  const outcomes: Outcome[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const match = revision === null ? null : await comparisonSet.closest(candidate);
    const { outcome, memory } = await storeItem(transaction, candidate, match, storing);
    if (memory !== null) comparisonSet.add(memory.id, at);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** `memory` is the memory that was stored; null when the item was skipped. */
async function storeItem(
  transaction: Transaction,
  candidate: Candidate,
  match: Match | null,
  storing: Storing,
): Promise<{ readonly outcome: Outcome; readonly memory: Memory | null }> {
  const { memories } = transaction;
  const { caller, plan, now, tags } = storing;
  const { project } = caller;
  const { vector, contentKey, found: _, similarItems: __, ...item } = candidate;
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
  const holder = await memories.claimContent(project, contentKey, now, known?.id ?? null);
  if (holder !== null) return skip({ id: holder, similarity: 1 });
  if (known === undefined) {
    await requireRoom(transaction, project, plan);
    const memory = await memories.insert(project, { ...item, tags, contentKey, vector }, now);
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
  await memories.update(project, { memory, contentKey, vector });
  const { type, importance, expiresAt } = memory;
  const outcome = { item: { ...item, importance, expiresAt }, memoryId: memory.id, memoryType: type };
  return { outcome: { ...outcome, action: "updated", tags: memory.tags, match: shown }, memory };
}

/**
 * A memory that already has the content of an item gets the tags of the call, so that a filter finds it. Not an inactive one, which is
 * never changed, and not a rule without tags: it applies to the whole project, and tags would restrict it.
 * @returns the tags of the memory now
 */
async function addTags(
  { memories }: Transaction,
  id: string,
  { caller: { project }, now, tags }: Storing,
): Promise<readonly string[]> {
  const known = await memories.find(project, id);
  if (known === null) throw new Error("a memory disappeared within a transaction");
  const isForAll = known.type === "rule" && known.tags.length === 0;
  const joined = joinTags(known.tags, tags);
  if (!known.active || isForAll || joined === null || joined.length === known.tags.length) return known.tags;
  const memory = { ...known, tags: joined, updatedAt: now };
  await memories.update(project, { memory, contentKey: null, vector: null });
  return joined;
}

function chooseAction(match: Match | null): Outcome["action"] {
  if (match === null || match.similarity <= updateAboveSimilarity) return "created";
  // A user has deactivated the memory: an extraction must not store its content again, nor a similar text.
  if (!match.memory.active) return "skipped";
  return match.similarity > skipAboveSimilarity ? "skipped" : "updated";
}

/** The content of the item, and its expiry if it has one. Type and importance stay: a person may have set them. */
function rewrite(known: Memory, { content, expiresAt }: ExtractedItem, now: number): Memory {
  return { ...known, content, expiresAt: expiresAt ?? known.expiresAt, updatedAt: now };
}

/**
 * The memories that the items of one call are compared with: those that a search found before the transaction and that have not changed
 * since, those that have changed since, and those that the call itself has stored so far. Expired memories are ignored. Inactive ones
 * are not: a user has deactivated them, and an extraction must not store their content again. A memory of another scope, one without all
 * tags of the call, counts only if it repeats the item.
 */
class ComparisonSet {
  readonly #transaction: Transaction;
  readonly #project: Project;
  readonly #now: number;
  readonly #tags: readonly string[];
  /** Vectors by memory id: memories that changed after the search, without those that the call has stored. */
  readonly #changed: Map<string, MemoryVector>;
  /** Ids of the memories that the call has stored, by the position of the item; and the positions by id. */
  readonly #memories = new Map<number, string>();
  readonly #items = new Map<string, number>();

  constructor(transaction: Transaction, { caller, now, tags }: Storing, changed: readonly MemoryVector[]) {
    this.#transaction = transaction;
    this.#project = caller.project;
    this.#now = now;
    this.#tags = tags;
    this.#changed = new Map(changed.map((known) => [known.id, known]));
  }

  /** The most similar memory; null when no memory is similar enough. */
  async closest({ vector, found, similarItems }: Candidate): Promise<Match | null> {
    const similar = found.filter(({ id }) => !this.#changed.has(id) && !this.#items.has(id));
    const length = squaredLength(vector);
    for (const { id, vector: other } of this.#changed.values()) {
      similar.push({ id, similarity: cosine(vector, other, length) });
    }
    for (const [place, item] of similarItems?.items.entries() ?? []) {
      const id = this.#memories.get(item);
      if (id !== undefined) similar.push({ id, similarity: similarItems?.similarities[place] ?? 0 });
    }
    const candidates = similar.filter(({ similarity }) => similarity > updateAboveSimilarity);
    for (const { id, similarity } of candidates.sort((a, b) => b.similarity - a.similarity)) {
      const memory = await this.#transaction.memories.find(this.#project, id);
      if (memory === null || isExpired(memory, this.#now)) continue;
      const counts = hasTags(memory.tags, this.#tags) || !memory.active || similarity > skipAboveSimilarity;
      if (counts) return { memory, similarity };
    }
    return null;
  }

  /** Records that the memory holds the content of this item now, so that later items of the call are compared with it. */
  add(id: string, item: number): void {
    const former = this.#items.get(id);
    if (former !== undefined) this.#memories.delete(former);
    this.#changed.delete(id);
    this.#items.set(id, item);
    this.#memories.set(item, id);
  }
}
