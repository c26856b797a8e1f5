// Owns what an extracted item is compared with inside the transaction, and which memory is the most similar one. Must never decide what
// becomes of the item.

import { contentSimilarity, leastCosine, trigramsOf } from "../../../memory/extraction/content-similarity.ts";
import type { ExtractedItem } from "../../../memory/extraction/extractor.ts";
import { isExpired, type Memory } from "../../../memory/memory.ts";
import type { Owner } from "../../../memory/owner.ts";
import { cosine, squaredLength } from "../../../memory/ranking/scores.ts";
import { hasTags } from "../../../memory/tags.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import type { MemoryVector, SimilarItems, SimilarMemory } from "../../storage/memory-store.ts";
import type { Transaction } from "../../storage/store.ts";
import type { FoundPair } from "../suggestions/found.ts";

/** An item with a higher similarity to a memory (content-similarity.ts) repeats it and is skipped. */
export const skipAboveSimilarity = 0.98;
/** An item with a higher similarity to a memory is a newer version of it and updates it. */
export const updateAboveSimilarity = 0.9;

/** A memory from which an item differs in one place. */
export interface NearMatch {
  readonly id: string;
  readonly kind: FoundPair["kind"];
}

/** An item with everything that the transaction needs for its decision. */
export interface Candidate extends ExtractedItem {
  /** Float32Array [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  readonly contentKey: Uint8Array;
  /** Memories with similar contents, found before the transaction. */
  readonly found: readonly SimilarMemory[];
  /** Items before it in the same call with similar contents; null: only equal texts count as duplicates. */
  readonly similarItems: SimilarItems | null;
  /** Absent: none. */
  readonly nearMatches?: readonly NearMatch[];
}

/** The memory that is most similar to an item, as read inside the transaction. */
export interface Match {
  readonly memory: Memory;
  readonly similarity: number;
}

/** A call that stores items. */
export interface Storing extends ProjectApplication {
  /** Of all items; canonical. */
  readonly tags: readonly string[];
  /** Of the memories that the call creates; absent: none. */
  readonly metadata?: JsonObject | null;
  /** Whether what the language model replaces is inactive at once; absent: it is suggested. */
  readonly replacesAtOnce?: boolean;
}

/**
 * The memories that the items of one call are compared with: those that a search found before the transaction and that have not changed
 * since, those that have changed since, and those that the call itself has stored so far. Expired and inactive memories are ignored,
 * because nothing uses them: who says it again gets a memory that is used. A memory of another scope, one without all tags of the call,
 * counts only if it repeats the item.
 */
export class ComparisonSet {
  readonly #transaction: Transaction;
  readonly #owner: Owner;
  readonly #now: number;
  readonly #tags: readonly string[];
  /** Vectors by memory id: memories that changed after the search, without those that the call has stored. */
  readonly #changed: Map<string, MemoryVector>;
  /** Ids of the memories that the call has stored, by the position of the item; and the positions by id. */
  readonly #memories = new Map<number, string>();
  readonly #items = new Map<string, number>();

  constructor(transaction: Transaction, { caller, now, tags }: Storing, changed: readonly MemoryVector[]) {
    this.#transaction = transaction;
    this.#owner = caller.owner;
    this.#now = now;
    this.#tags = tags;
    this.#changed = new Map(changed.map((known) => [known.id, known]));
  }

  /** The most similar memory; null when no memory is similar enough. */
  async closest({ content, vector, found, similarItems }: Candidate): Promise<Match | null> {
    const similar = found.filter(({ id }) => !this.#changed.has(id) && !this.#items.has(id));
    const length = squaredLength(vector);
    const near = [...this.#changed.values()]
      .map(({ id, vector: other }) => ({ id, cosine: cosine(vector, other, length) }))
      .filter(({ cosine }) => cosine > leastCosine(updateAboveSimilarity));
    const trigrams = trigramsOf(content);
    for (const { id, cosine } of near) {
      const memory = await this.#transaction.memories.find(this.#owner, id);
      if (memory === null) continue;
      similar.push({ id, similarity: contentSimilarity(cosine, trigrams, trigramsOf(memory.content)) });
    }
    for (const [place, item] of similarItems?.items.entries() ?? []) {
      const id = this.#memories.get(item);
      if (id !== undefined) similar.push({ id, similarity: similarItems?.similarities[place] ?? 0 });
    }
    const candidates = similar.filter(({ similarity }) => similarity > updateAboveSimilarity);
    for (const { id, similarity } of candidates.sort((a, b) => b.similarity - a.similarity)) {
      const memory = await this.#transaction.memories.find(this.#owner, id);
      if (memory === null || !memory.active || isExpired(memory, this.#now)) continue;
      if (hasTags(memory.tags, this.#tags) || similarity > skipAboveSimilarity) return { memory, similarity };
    }
    return null;
  }

  /** Records that the memory holds the content of this item now, so that later items of the call are compared with it. */
  add(id: string, item: number): void {
    const previous = this.#items.get(id);
    if (previous !== undefined) this.#memories.delete(previous);
    this.#changed.delete(id);
    this.#items.set(id, item);
    this.#memories.set(item, id);
  }
}
