// Owns how the items of overlapping pieces become one list. Must never keep twice what two pieces found in the same sentence.

import type { ExtractedItem } from "../memory/extractor.ts";
import { contentKey } from "../memory/memory.ts";
import type { TextRange } from "./evidence.ts";
import type { TextChunk } from "./text-chunks.ts";

/** An item, and where in the whole text its evidence stands. */
export type PlacedItem = ExtractedItem & TextRange;

/** `found` has the items of each piece. In the order of the text; of the same content, the first. */
export function mergeItems(
  chunks: readonly TextChunk[],
  found: readonly (readonly PlacedItem[])[],
): ExtractedItem[] {
  const kept: PlacedItem[] = [];
  for (const [index, { start: chunkStart, ownStart }] of chunks.entries()) {
    const before = kept.filter(({ end }) => end > chunkStart);
    const isRepeated = ({ start, end }: TextRange) =>
      start < ownStart && before.some((other) => other.start < end && start < other.end);
    kept.push(...(found[index] ?? []).filter((item) => !isRepeated(item)));
  }
  const contents = new Set<string>();
  return kept
    .toSorted((one, other) => one.start - other.start)
    .filter(({ content }) => {
      const key = contentKey(content).toHex();
      const isNew = !contents.has(key);
      contents.add(key);
      return isNew;
    })
    .map(({ start: _, end: __, ...item }) => item);
}
