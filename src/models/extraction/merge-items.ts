// Owns merging the items of overlapping chunks into one list. Must never keep two items of the same sentence from two chunks.

import type { ExtractedItem } from "../../memory/extraction/extractor.ts";
import { contentKey } from "../../memory/memory.ts";
import type { TextRange } from "../../platform/text/passages.ts";
import type { TextChunk } from "./text-chunks.ts";

/** An item with the range of its evidence in the whole text. */
export type PlacedItem = ExtractedItem & TextRange;

/**
 * `found` has the items of each chunk. Returns them in the order of the text; of equal contents only the first, which replaces what any of
 * them replaces.
 */
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
  const items = new Map<string, ExtractedItem>();
  for (const { start: _, end: __, ...item } of merged.toSorted((one, other) => one.start - other.start)) {
    const key = contentKey(item.content).toHex();
    const same = items.get(key);
    const replaces = [...(same?.replaces ?? []), ...(item.replaces ?? [])];
    items.set(key, { ...(same ?? item), ...(replaces.length === 0 ? {} : { replaces }) });
  }
  return [...items.values()];
}
