// Tests that the products of a scan are exact, and that they leave no garbage: a scan of a million memories computes 122 of them.

import { expect, test } from "bun:test";
import { rowsPerBlock } from "../../../src/memory/ranking/limits.ts";
import { createBlockProduct } from "../../../src/memory/ranking/scan/block-product.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";

const dimensions = 256;
const onnx = loadOnnx(prepareRuntime("unused"));

test("a product is that of a loop", () => {
  const [rows, count] = [3, 4];
  const codes = Uint8Array.from({ length: rows * dimensions }, (_, at) => (at * 37) % 256);
  const columns = Int8Array.from({ length: dimensions * count }, (_, at) => ((at * 11) % 127) - 63);
  const expected = Array.from({ length: rows * count }, (_, at) => {
    const [row, column] = [Math.floor(at / count), at % count];
    let sum = 0;
    for (let index = 0; index < dimensions; index++)
      sum += (codes[row * dimensions + index] ?? 0) * (columns[index * count + column] ?? 0);
    return sum;
  });
  expect([...createBlockProduct(onnx, dimensions)(codes, rows, columns, count)]).toEqual(expected);
});

test("products leave no memory behind in a thread that sees a large index", () => {
  // The runtime counts its bytes, of which no page is used, and so lets as many bytes of garbage accumulate.
  const index = new SharedArrayBuffer(2 ** 30);
  const count = 16;
  const product = createBlockProduct(onnx, dimensions);
  const codes = new Uint8Array(rowsPerBlock * dimensions);
  const columns = new Int8Array(dimensions * count);
  product(codes, rowsPerBlock, columns, count);
  const before = process.memoryUsage.rss();
  const products = 400;
  for (let at = 0; at < products; at++) product(codes, rowsPerBlock, columns, count);
  const results = products * rowsPerBlock * count * Int32Array.BYTES_PER_ELEMENT;
  expect(process.memoryUsage.rss() - before).toBeLessThan(results / 4);
  expect(index.byteLength).toBe(2 ** 30);
});
