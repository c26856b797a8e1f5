// Owns what becomes of an extracted item: a new memory, a newer version of one that says nearly the same, or nothing. The
// thresholds are those of the API's contract; what counts is what holds inside the transaction.

import type { Project } from "../access/project.ts";
import type { ProjectApplication } from "../calls/operation.ts";
import { cosine, squaredLength } from "../ranking/scores.ts";
import type { Transaction } from "../storage/store.ts";
import { requireRoom } from "./create.ts";
import type { ExtractedItem } from "./extractor.ts";
import { isExpired, type Memory } from "./memory.ts";
import type { MemoryVector, SimilarItems, SimilarMemory } from "./store.ts";

/** Above this cosine an item says nothing that the memory does not say. */
export const skipAboveSimilarity = 0.98;
/** Above this cosine an item is a newer version of the memory. */
export const updateAboveSimilarity = 0.9;

export const actions = ["created", "updated", "skipped"] as const;

/** An item with all that the transaction needs to decide about it. */
export interface Candidate extends ExtractedItem {
  /** Float32Array [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  readonly contentKey: Uint8Array;
  /** Similar memories before the transaction. */
  readonly found: readonly SimilarMemory[];
  /** Similar ones among the items before it; null compares texts only. */
  readonly similarItems: SimilarItems | null;
}

/** The memory that an item resembles, as it is inside the transaction. */
interface Match {
  readonly memory: Memory;
  readonly similarity: number;
}

export interface Outcome {
  /** As extracted; of an update with the memory's importance and expiry. */
  readonly item: ExtractedItem;
  readonly action: (typeof actions)[number];
  /** The memory that says it now. */
  readonly memoryId: string;
  readonly memoryType: Memory["type"];
  readonly match: { readonly id: string; readonly similarity: number } | null;
}

/**
 * Stores the items one after another. `revision` is what was told with the first `found`; null compares texts only.
 * @throws Refusal 2101 when the project has no room for all of them.
 */
export async function storeItems(
  transaction: Transaction,
  candidates: readonly Candidate[],
  revision: number | null,
  application: ProjectApplication,
): Promise<Outcome[]> {
  const { project } = application.caller;
  const changed = revision === null ? [] : await transaction.memories.changedSince(project, revision);
  const comparisonSet = new ComparisonSet(transaction, project, application.now, changed);
  const outcomes: Outcome[] = [];
  for (const [at, candidate] of candidates.entries()) {
    const match = revision === null ? null : await comparisonSet.closest(candidate);
    const { outcome, memory } = await storeItem(transaction, candidate, match, application);
    if (memory !== null) comparisonSet.add(memory.id, at);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** `memory` is what was stored, if anything. */
async function storeItem(
  transaction: Transaction,
  candidate: Candidate,
  match: Match | null,
  { caller: { project }, plan, now }: ProjectApplication,
): Promise<{ readonly outcome: Outcome; readonly memory: Memory | null }> {
  const { memories } = transaction;
  const { vector, contentKey, found: _, similarItems: __, ...item } = candidate;
  const verdict = judge(match);
  const shown = match === null ? null : { id: match.memory.id, similarity: match.similarity };
  const skip = (same: { readonly id: string; readonly similarity: number }) => ({
    outcome: { item, action: "skipped" as const, memoryId: same.id, memoryType: item.type, match: same },
    memory: null,
  });
  if (verdict === "skipped" && shown !== null) return skip(shown);
  const known = verdict === "updated" ? match?.memory : undefined;
  const holder = await memories.claimContent(project, contentKey, now, known?.id ?? null);
  if (holder !== null) return skip({ id: holder, similarity: 1 });
  if (known === undefined) {
    await requireRoom(transaction, project, plan);
    const memory = await memories.insert(project, { ...item, contentKey, vector }, now);
    const outcome = { item, action: "created" as const, memoryId: memory.id, memoryType: memory.type };
    return { outcome: { ...outcome, match: null }, memory };
  }
  const memory = rewrite(known, item, now);
  await memories.update(project, { memory, contentKey, vector });
  const { type, importance, expiresAt } = memory;
  const outcome = { item: { ...item, importance, expiresAt }, memoryId: memory.id, memoryType: type };
  return { outcome: { ...outcome, action: "updated", match: shown }, memory };
}

function judge(match: Match | null): Outcome["action"] {
  if (match === null || match.similarity <= updateAboveSimilarity) return "created";
  // Somebody has switched that memory off: nothing may bring it back, or what it says in other words.
  if (!match.memory.active) return "skipped";
  return match.similarity > skipAboveSimilarity ? "skipped" : "updated";
}

/** The item's words, and its expiry where it has one. Type and importance stay: nobody can tell whether a person has set them. */
function rewrite(known: Memory, { content, expiresAt }: ExtractedItem, now: number): Memory {
  return { ...known, content, expiresAt: expiresAt ?? known.expiresAt, updatedAt: now };
}

/**
 * What the items of one call are compared with: what a search found before the transaction, unless it has changed since; what has
 * changed since; and what the call itself has stored so far. Expired memories do not count, inactive ones do: somebody has
 * switched them off, and an extraction must not bring them back.
 */
class ComparisonSet {
  readonly #transaction: Transaction;
  readonly #project: Project;
  readonly #now: number;
  /** By the memory's id: what has changed since the search, without what the call has stored. */
  readonly #changed: Map<string, MemoryVector>;
  /** The memories that the call has stored, by the position of the item that each has the content of; and the other way. */
  readonly #memories = new Map<number, string>();
  readonly #items = new Map<string, number>();

  constructor(transaction: Transaction, project: Project, now: number, changed: readonly MemoryVector[]) {
    this.#transaction = transaction;
    this.#project = project;
    this.#now = now;
    this.#changed = new Map(changed.map((known) => [known.id, known]));
  }

  /** The most similar memory, or null where none is similar. */
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
      if (memory !== null && !isExpired(memory, this.#now)) return { memory, similarity };
    }
    return null;
  }

  /** The memory has the content of this item now; later items of the call are compared with it, too. */
  add(id: string, item: number): void {
    const former = this.#items.get(id);
    if (former !== undefined) this.#memories.delete(former);
    this.#changed.delete(id);
    this.#items.set(id, item);
    this.#memories.set(item, id);
  }
}
