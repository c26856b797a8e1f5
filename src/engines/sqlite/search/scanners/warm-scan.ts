// Owns what a thread does once at its start so that its first scan is as fast as the next ones: the session of ONNX Runtime is made. Must
// never read a memory.

import { rowsPerBlockMin } from "../../../../memory/ranking/limits.ts";
import type { BlockScan } from "../../../../memory/ranking/scan/block-scan.ts";
import { createRowBlock } from "../../../../memory/ranking/scan/row-block.ts";

/** @param dimensions of the vectors that will be scanned; null: not known yet */
export function warmScan(scan: BlockScan, dimensions: number | null): void {
  if (dimensions === null) return;
  const { buffer } = createRowBlock(dimensions, rowsPerBlockMin);
  const vector = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
  const eligible = new Uint32Array(rowsPerBlockMin / 32);
  const query = { vector, eligible, keywords: null, topK: 1, minSimilarity: 0 };
  scan({ dimensions, blocks: [{ buffer, firstSlot: 0, rows: rowsPerBlockMin }], queries: [query] });
}
