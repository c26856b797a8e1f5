// Owns the comparison of the items of one call with each other, and the choice of the memories that they are compared with. Pure;
// engines use both, none repeats them.

import type { Memory } from "../../../memory/memory.ts";
import { rowsOf } from "../../../memory/ranking/scan/vector-matrix.ts";
import { cosine, squaredLength } from "../../../memory/ranking/scores.ts";
import { hasTags } from "../../../memory/tags.ts";
import { similarMemoriesMax } from "../../../platform/limits.ts";
import type { SimilarItems, SimilarityQuery, SimilarMemory } from "../../storage/memory-store.ts";

/** For each vector of the query: the similar items before it in the call. `dimensions` is the length of each vector. */
export function findSimilarItems(
  { vectors, earlier, above }: SimilarityQuery,
  dimensions: number,
): SimilarItems[] {
  const before = rowsOf(earlier, dimensions);
  return vectors.map((vector) => {
    const items: number[] = [];
    const similarities: number[] = [];
    const length = squaredLength(vector);
    for (const [at, other] of before.entries()) {
      const similarity = cosine(vector, other, length);
      if (similarity <= above) continue;
      items.push(at);
      similarities.push(similarity);
    }
    before.push(vector);
    return { items: Uint32Array.from(items), similarities: Float64Array.from(similarities) };
  });
}

interface RankedMemory {
  readonly memory: Pick<Memory, "id" | "tags">;
  readonly similarity: number;
}

/** `SimilarMemories.found` of one vector; `ranked` has the most similar memories first, and is not read further than necessary. */
export function nearestOf(ranked: Iterable<RankedMemory>, tags: readonly string[]): SimilarMemory[] {
  const nearest: SimilarMemory[] = [];
  let [inScope, others] = [0, 0];
  for (const { memory, similarity } of ranked) {
    const isInScope = hasTags(memory.tags, tags);
    const before = isInScope ? inScope++ : others++;
    if (before < similarMemoriesMax) nearest.push({ id: memory.id, similarity });
    else if (tags.length === 0 || Math.min(inScope, others) > similarMemoriesMax) break;
  }
  return nearest;
}
