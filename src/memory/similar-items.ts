// Owns the comparison of the items of one call with each other. Pure; engines use it, none repeats it.

import { cosine, squaredLength } from "../ranking/scores.ts";
import type { SimilarItems, SimilarityQuery } from "./store.ts";

/** For each vector of the query: the similar items before it in the call. `dimensions` is the length of each vector. */
export function findSimilarItems(
  { vectors, earlier, above }: SimilarityQuery,
  dimensions: number,
): SimilarItems[] {
  const before = Array.from({ length: earlier.length / dimensions }, (_, at) =>
    earlier.subarray(at * dimensions, (at + 1) * dimensions),
  );
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
