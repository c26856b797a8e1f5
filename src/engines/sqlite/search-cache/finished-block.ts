// Owns what becomes of the image of a block before it is written: rows of removed memories are cleared, and it gets an id and its checks.

import { clearRow, type RowBlock } from "../../../memory/ranking/scan/row-block.ts";
import { createBlockId, finishBlock } from "./block-file.ts";
import type { CachedBlock } from "./manifest.ts";
import { tagSetsOf } from "./outdated-tags.ts";
import type { FinishedBlock } from "./project-files.ts";

export interface Finished {
  readonly described: CachedBlock;
  readonly content: FinishedBlock;
  /** The numbers of the sets of tags of its rows. */
  readonly tagSets: ReadonlySet<number>;
}

/** @param block a copy: the rows of the removed memories are cleared in it */
export function finishWithout(removed: ReadonlySet<number>, block: RowBlock): Finished {
  const range = clearRows(block, removed);
  const described = { id: createBlockId(), capacity: block.capacity, ...range };
  const image = new Uint8Array(block.buffer);
  const content: FinishedBlock = [finishBlock(image, described.id, block), image];
  return { described, content, tagSets: tagSetsOf(block) };
}

/** @returns the range of the serials that are left */
function clearRows(
  block: RowBlock,
  removed: ReadonlySet<number>,
): Pick<CachedBlock, "firstSerial" | "lastSerial"> {
  let [first, last] = [0, 0];
  for (const [row, serial] of block.serials.entries()) {
    if (serial === 0) continue;
    if (removed.has(serial)) {
      clearRow(block, row);
      continue;
    }
    if (first === 0 || serial < first) first = serial;
    last = Math.max(last, serial);
  }
  return { firstSerial: first, lastSerial: last };
}
