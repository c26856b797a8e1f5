// Owns the comparison of extracted items with the memories of the project and with each other, before the transaction. Must never decide
// what becomes of an item.

import {
  contentSimilarity,
  leastCosine,
  type Trigrams,
  trigramsOf,
} from "../../../memory/extraction/content-similarity.ts";
import type { ExtractedItem } from "../../../memory/extraction/extractor.ts";
import { nearMatchesMax } from "../../../memory/limits.ts";
import { toSharedMatrix } from "../../../memory/ranking/scan/vector-matrix.ts";
import { differenceOf } from "../../../memory/suggestions/difference.ts";
import { comparedAtOnce } from "../../../platform/limits.ts";
import { cancelled } from "../../../platform/scheduling/cancellation.ts";
import { createTurns } from "../../../platform/scheduling/turns.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { SimilarItems, SimilarMemory } from "../../storage/memory-store.ts";
import { type NearMatch, updateAboveSimilarity } from "./comparison-set.ts";

/** The similarities are those of the contents. `revision` is null when the items were not compared. */
export interface Compared {
  readonly revision: number | null;
  readonly found: readonly (readonly SimilarMemory[])[];
  readonly similarItems: readonly SimilarItems[];
  /** Memories that are less similar, and differ from the item in one place. */
  readonly nearMatches: readonly (readonly NearMatch[])[];
}

export const uncompared: Compared = { revision: null, found: [], similarItems: [], nearMatches: [] };

/** The memories that are similar now; the transaction compares those that changed after `revision`. `report`: the part that is done. */
export async function compareItems(
  items: readonly ExtractedItem[],
  vectors: readonly Float32Array[],
  tags: readonly string[],
  { store, caller: { owner }, now, signal }: Preparation,
  report: (part: number) => void,
): Promise<Compared> {
  const matrix = toSharedMatrix(vectors);
  const dimensions = vectors[0]?.length ?? 0;
  const trigrams = items.map(({ content }) => trigramsOf(content));
  const nextTurn = createTurns();
  let revision: number | null = null;
  const found: SimilarMemory[][] = [];
  const similarItems: SimilarItems[] = [];
  const nearMatches: NearMatch[][] = [];
  for (const batch of batchesOf(vectors, comparedAtOnce, signal)) {
    report(found.length / vectors.length);
    const earlier = matrix.subarray(0, found.length * dimensions);
    const query = { vectors: batch, earlier, above: leastCosine(updateAboveSimilarity), tags, now };
    const compared = await store.memories.findSimilar(owner, query, signal);
    // The revision of the first batch is the oldest.
    revision ??= compared.revision;
    for (const [at, nearItems] of compared.similarItems.entries()) {
      const own = trigrams[found.length];
      if (own === undefined) throw new Error("an item was not compared");
      similarItems.push(similarItemsOf(own, nearItems, trigrams));
      const content = items[found.length]?.content ?? "";
      const similar: SimilarMemory[] = [];
      const alike: NearMatch[] = [];
      for (const { id, similarity: cosine } of compared.found[at] ?? []) {
        await nextTurn();
        // If it changes from now on, the transaction compares it again.
        const version = await store.memories.find(owner, id);
        if (version === null) continue;
        const similarity = contentSimilarity(cosine, own, trigramsOf(version.memory.content));
        if (similarity > updateAboveSimilarity) similar.push({ id, similarity });
        else if (alike.length < nearMatchesMax) {
          const kind = differenceOf(version.memory.content, content);
          if (kind !== null) alike.push({ id, kind });
        }
      }
      found.push(similar);
      nearMatches.push(alike);
    }
  }
  return { revision, found, similarItems, nearMatches };
}

/** Of the items whose embeddings are near, those whose contents are similar. */
function similarItemsOf(
  own: Trigrams,
  { items, similarities: cosines }: SimilarItems,
  trigrams: readonly Trigrams[],
): SimilarItems {
  const similar: number[] = [];
  const similarities: number[] = [];
  for (const [place, item] of items.entries()) {
    const other = trigrams[item];
    const similarity = other === undefined ? 0 : contentSimilarity(cosines[place] ?? 0, own, other);
    if (similarity <= updateAboveSimilarity) continue;
    similar.push(item);
    similarities.push(similarity);
  }
  return { items: Uint32Array.from(similar), similarities: Float64Array.from(similarities) };
}

/** Batches are small, because other calls need the same threads. @throws Refusal 1503 when the client has left. */
export function* batchesOf<Item>(
  items: readonly Item[],
  size: number,
  signal: AbortSignal,
): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) {
    if (signal.aborted) throw cancelled();
    yield items.slice(start, start + size);
  }
}
