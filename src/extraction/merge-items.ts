// Owns merging the items of overlapping chunks into one list. Must never keep two items of the same sentence from two chunks.

import type { ExtractedItem } from "../memory/extractor.ts";
import { contentKey } from "../memory/memory.ts";
import type { TextRange } from "./evidence.ts";
import type { TextChunk } from "./text-chunks.ts";

/** An item with the range of its evidence in the whole text. */
export type PlacedItem = ExtractedItem & TextRange;

/** `found` has the items of each chunk. Returns them in the order of the text; of equal contents only the first. */
export function mergeItems(
  chunks: readonly TextChunk[],
  found: readonly (readonly PlacedItem[])[],
): ExtractedItem[] {
  const merged: PlacedItem[] = [];
  for (const [index, { start: chunkStart, ownStart }] of chunks.entries()) {
    const before = merged.filter(({ end }) => end > chunkStart);
    const isRepeated = ({ start, end }: TextRange) =>
      start < ownStart && before.some((other) => other.start < end && start < other.end);
    merged.push(...(found[index] ?? []).filter((item) => !isRepeated(item)));
  }
  const contents = new Set<string>();
  return merged
    .toSorted((one, other) => one.start - other.start)
    .filter(({ content }) => {
      const key = contentKey(content).toHex();
      const isNew = !contents.has(key);
      contents.add(key);
      return isNew;
    })
    .map(({ start: _, end: __, ...item }) => item);
}
