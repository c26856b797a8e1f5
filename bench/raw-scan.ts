// Owns the limit of a search: how long one thread takes to multiply the codes of so many vectors by one query, and nothing else. Must
// never contain what a search does beside it.

import { rowsPerBlock } from "../src/memory/ranking/limits.ts";
import { createBlockProduct } from "../src/memory/ranking/scan/block-product.ts";
import { createRowBlock } from "../src/memory/ranking/scan/row-block.ts";
import { loadOnnx } from "../src/platform/native/onnx.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { median } from "./figures.ts";

/** Milliseconds of one scan. */
export type RawScan = () => number;

const scans = 7;
const queryCodeMax = 63;

/** Keeps the bytes of all rows in the memory of this process, as an index does. @param folder for the native libraries */
export function createRawScan(folder: string, rows: number, dimensions: number): RawScan {
  const product = createBlockProduct(loadOnnx(prepareRuntime(folder)), dimensions);
  const blocks = Array.from({ length: Math.ceil(rows / rowsPerBlock) }, () => {
    const { codes } = createRowBlock(dimensions, rowsPerBlock);
    for (let at = 0; at < codes.length; at += fillBytes) fillRandomly(codes.subarray(at, at + fillBytes));
    return codes;
  });
  const query = Int8Array.from(
    { length: dimensions },
    (_, at) => ((at * 37) % (2 * queryCodeMax)) - queryCodeMax,
  );
  const scan = () => {
    const start = performance.now();
    let left = rows;
    for (const codes of blocks) {
      product(codes, Math.min(left, rowsPerBlock), query, 1);
      left -= rowsPerBlock;
    }
    return performance.now() - start;
  };
  return () => median(Array.from({ length: scans }, scan));
}

/** More at a time is refused by the source of random bytes. */
const fillBytes = 65_536;

function fillRandomly(codes: Uint8Array): void {
  const bytes = crypto.getRandomValues(new Uint8Array(codes.length));
  codes.set(bytes);
}
