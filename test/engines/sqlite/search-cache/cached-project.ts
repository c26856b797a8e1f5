// Makes the content of cache files for tests: blocks with rows that look like those of an index, and their manifest.

import { createBlockId, finishBlock } from "../../../../src/engines/sqlite/search-cache/block-file.ts";
import type { CachedBlock, CacheManifest } from "../../../../src/engines/sqlite/search-cache/manifest.ts";
import type { FinishedBlock } from "../../../../src/engines/sqlite/search-cache/project-files.ts";
import {
  createRowBlock,
  type RowBlock,
  rowState,
  setRowValues,
} from "../../../../src/memory/ranking/scan/row-block.ts";

export const dimensions = 24;

/** A block with rows of the serials from `first` on; the codes follow from the serial. */
export function createFilledBlock(capacity: number, rows: number, first = 1): RowBlock {
  const block = createRowBlock(dimensions, capacity);
  for (let row = 0; row < rows; row++) {
    const serial = first + row;
    setRowValues(block, row, {
      serial,
      contentRevision: serial + 7,
      importance: (serial % 10) / 10,
      expiresAt: serial % 3 === 0 ? 1e12 + serial : Number.POSITIVE_INFINITY,
      tagSet: serial % 4,
      state: rowState(serial % 3, serial % 5 > 0),
    });
    block.scales[row] = 1 / serial;
    block.residuals[row] = 0.25 / serial;
    for (let axis = 0; axis < dimensions; axis++)
      block.codes[row * dimensions + axis] = 1 + ((serial * 31 + axis) % 255);
  }
  return block;
}

/** As it is written. */
export function sealed(block: RowBlock, id: string): FinishedBlock {
  const image = new Uint8Array(block.buffer.slice());
  return [finishBlock(image, id, { capacity: block.capacity, dimensions: block.dimensions }), image];
}

export function describeBlock(block: RowBlock): CachedBlock {
  const serials = [...block.serials].filter((serial) => serial > 0);
  return {
    id: createBlockId(),
    capacity: block.capacity,
    firstSerial: serials.length === 0 ? 0 : Math.min(...serials),
    lastSerial: serials.length === 0 ? 0 : Math.max(...serials),
  };
}

export function manifestOf(blocks: readonly CachedBlock[]): CacheManifest {
  return {
    model: "ab".repeat(32),
    dimensions,
    project: "cd".repeat(16),
    head: { chain: "ef".repeat(16), seq: 12, hash: "01".repeat(32) },
    revision: 100,
    newestRevision: 103,
    epochs: { rule: 1, fact: 1, context: 9 },
    tagSets: [
      [1, '["a"]'],
      [2, '["b","ü"]'],
      [3, '["a","b"]'],
    ],
    blocks,
  };
}
