// Owns the exact integer product of the codes of a block with columns of seven bits. Must never know what the columns mean.

import type { Onnx } from "../../../platform/native/onnx.ts";
import { integerMatmulGraph, matmulNames } from "./matrix-product-graph.ts";

/**
 * Sums over all dimensions: result[row * count + column] = sum of codes[row, i] * columns[i, column]. Blocks its thread.
 *
 * @param codes [rows, dimensions]
 * @param columns [dimensions, count], each value from -63 to 63: larger ones would saturate on CPUs with AVX2 and without VNNI
 * @returns [rows, count], valid until the next call
 */
export type BlockProduct = (codes: Uint8Array, rows: number, columns: Int8Array, count: number) => Int32Array;

/** One for each thread and number of dimensions: it contains a session, and the memory of its results. */
export function createBlockProduct(onnx: Onnx, dimensions: number): BlockProduct {
  const { matrix, queries, scores } = matmulNames;
  const names = { inputs: [matrix, queries], output: scores };
  const session = onnx.createDirectSession(integerMatmulGraph(dimensions), names);
  let results = new Int32Array(0);
  return (codes, rows, columns, count) => {
    if (results.length < rows * count) results = new Int32Array(rows * count);
    const used = codes.length === rows * dimensions ? codes : codes.subarray(0, rows * dimensions);
    const products = results.subarray(0, rows * count);
    session.run(
      [
        { data: used, rows, columns: dimensions },
        { data: columns, rows: dimensions, columns: count },
      ],
      { data: products, rows, columns: count },
    );
    return products;
  };
}
