// Owns the exact integer product of the codes of a block with columns of seven bits. Must never know what the columns mean.

import { type Onnx, type OnnxSession, Tensor } from "../native/onnx.ts";
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
  const session = sessionFor(onnx, dimensions);
  let results = new Int32Array(0);
  return (codes, rows, columns, count) => {
    if (results.length < rows * count) results = new Int32Array(rows * count);
    const matrix = codes.length === rows * dimensions ? codes : codes.subarray(0, rows * dimensions);
    const scores = results.subarray(0, rows * count);
    session.runInto(
      {
        [matmulNames.matrix]: new Tensor("uint8", matrix, [rows, dimensions]),
        [matmulNames.queries]: new Tensor("int8", columns, [dimensions, count]),
      },
      { [matmulNames.scores]: new Tensor("int32", scores, [rows, count]) },
    );
    return scores;
  };
}

function sessionFor(onnx: Onnx, dimensions: number): OnnxSession {
  return onnx.createSession(integerMatmulGraph(dimensions), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    enableCpuMemArena: false,
  });
}
