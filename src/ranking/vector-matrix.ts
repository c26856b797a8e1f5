// Owns a matrix of unit vectors in memory, and computes their dot products with a query. It is a cache: it can be rebuilt from the vectors
// in the database.

import { type Onnx, type OnnxSession, Tensor } from "../native/onnx.ts";
import { matmulGraph, matmulNames } from "./matrix-product-graph.ts";
import { similarityRounding, squaredLengthTolerance } from "./scores.ts";

/** Rows of a full block. The matrix consists of blocks, so that growing never copies hundreds of megabytes. */
export const blockRows = 8_192;
const firstRows = 64;

/**
 * The maximum difference between a score and the similarity (`cosine` in ranking/scores.ts) of two float32 unit vectors. For
 * any order of summation, with or without fused multiply-add, the dot product has |error| <= g * sum |x_i * y_i| <= g * |x| * |y|
 * with g = d * u / (1 - d * u) and u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The factor
 * 1.001 covers lengths slightly above 1 because of rounding. If both squared lengths are between 1 - t and 1 + t, the root of their product
 * is too, and division by it changes the dot product by t at most, apart from terms of t * t, which are covered by using 2 * t.
 */
export function scoreErrorBound(dimensions: number): number {
  const product = dimensions * 2 ** -24;
  return (1.001 * product) / (1 - product) + 2 * squaredLengthTolerance + similarityRounding;
}

/**
 * Rows are numbered 0 to length - 1. One thread, synchronous: belongs in a worker. 100,000 rows of 384 take some 15 ms, the
 * time to read them from memory; `vec0` of sqlite-vec takes four to five times as long.
 */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #session: OnnxSession;
  readonly #blocks: Float32Array[] = [];
  #length = 0;
  #scores = new Float32Array(0);

  constructor(onnx: Onnx, dimensions: number) {
    this.dimensions = dimensions;
    this.#session = sessionFor(onnx, dimensions);
  }

  get length(): number {
    return this.#length;
  }

  /** Memory used for rows and scores, in bytes. */
  get byteLength(): number {
    return this.#blocks.reduce((sum, block) => sum + block.byteLength, this.#scores.byteLength);
  }

  /** Replaces a row, or appends one when `row` equals `length`. `vector` is [dimensions], L2-normalised; it is copied. */
  set(row: number, vector: Float32Array): void {
    if (row < 0 || row > this.#length)
      throw new RangeError(`Row ${row} is outside a matrix of ${this.#length}.`);
    if (vector.length !== this.dimensions) {
      throw new RangeError(`A vector of ${vector.length} does not fit into a matrix of ${this.dimensions}.`);
    }
    if (row === this.#length) {
      this.#makeRoom();
      this.#length += 1;
    }
    this.row(row).set(vector);
  }

  /** The row itself [dimensions], not a copy: valid until the next call that changes the matrix. */
  row(row: number): Float32Array {
    const block = this.#blocks[Math.floor(row / blockRows)];
    if (block === undefined || !(row >= 0 && row < this.#length)) {
      throw new RangeError(`Row ${row} is outside a matrix of ${this.#length}.`);
    }
    const start = (row % blockRows) * this.dimensions;
    return block.subarray(start, start + this.dimensions);
  }

  /** Removes a row by moving the last one into its place. Returns the row number that moved, or null when none did. */
  swapRemove(row: number): number | null {
    const last = this.#length - 1;
    const target = this.row(row);
    if (row !== last) target.set(this.row(last));
    this.truncate(last);
    return row === last ? null : last;
  }

  /** Removes all rows after the first `length`. */
  truncate(length: number): void {
    if (length < 0 || length > this.#length) {
      throw new RangeError(`Cannot cut a matrix of ${this.#length} rows to ${length}.`);
    }
    this.#length = length;
    this.#blocks.length = Math.ceil(length / blockRows);
  }

  /**
   * Dot products of all rows with `query` [dimensions], L2-normalised: Float32Array [length], each within
   * `scoreErrorBound(dimensions)` of the similarity. The array is reused by the next call.
   */
  scores(query: Float32Array): Float32Array {
    this.#checkQuery(query);
    if (this.#scores.length < this.#length) this.#scores = new Float32Array(this.#blocks.length * blockRows);
    this.#multiply(query, 1, (start, rows) => this.#scores.subarray(start, start + rows));
    return this.#scores.subarray(0, this.#length);
  }

  /**
   * For each query the rows whose similarity to it is above `threshold`, or may be: those within `scoreErrorBound(dimensions)`
   * below it are among them. Many queries at once read the matrix from memory once.
   */
  rowsAbove(threshold: number, queries: readonly Float32Array[]): number[][] {
    const count = queries.length;
    const columns = new Float32Array(this.dimensions * count);
    for (const [at, query] of queries.entries()) {
      this.#checkQuery(query);
      for (const [axis, value] of query.entries()) columns[axis * count + at] = value;
    }
    const found = queries.map((): number[] => []);
    const least = threshold - scoreErrorBound(this.dimensions);
    const scores = new Float32Array(blockRows * count);
    const collect = (start: number, rows: number) => {
      for (let cell = 0; cell < rows * count; cell++) {
        if ((scores[cell] ?? 0) >= least) found[cell % count]?.push(start + Math.floor(cell / count));
      }
    };
    if (count > 0) this.#multiply(columns, count, (_, rows) => scores.subarray(0, rows * count), collect);
    return found;
  }

  #checkQuery(query: Float32Array): void {
    if (query.length === this.dimensions) return;
    throw new RangeError(`A query of ${query.length} does not fit a matrix of ${this.dimensions}.`);
  }

  /** Multiplies each block: `columns` is [dimensions, count]; `target` returns the array for [rows, count] scores. */
  #multiply(
    columns: Float32Array,
    count: number,
    target: (start: number, rows: number) => Float32Array,
    done: (start: number, rows: number) => void = () => {},
  ): void {
    const { dimensions } = this;
    const queries = new Tensor("float32", columns, [dimensions, count]);
    for (const [index, block] of this.#blocks.entries()) {
      const start = index * blockRows;
      const rows = Math.min(blockRows, this.#length - start);
      const matrix = new Tensor("float32", block.subarray(0, rows * dimensions), [rows, dimensions]);
      const scores = new Tensor("float32", target(start, rows), [rows, count]);
      this.#session.run(
        { [matmulNames.matrix]: matrix, [matmulNames.queries]: queries },
        { [matmulNames.scores]: scores },
      );
      done(start, rows);
    }
  }

  /** The first block grows by doubling, because most projects are small; later blocks have their full size at once. */
  #makeRoom(): void {
    const index = Math.floor(this.#length / blockRows);
    const block = this.#blocks[index];
    const used = (this.#length % blockRows) * this.dimensions;
    if (block !== undefined && used < block.length) return;
    const rows = index > 0 ? blockRows : Math.max(firstRows, Math.min(blockRows, this.#length * 2));
    const larger = new Float32Array(rows * this.dimensions);
    if (block !== undefined) larger.set(block);
    this.#blocks[index] = larger;
  }
}

const sessions = new Map<number, OnnxSession>();

/** All matrices of a thread share one session for each number of dimensions, because a session contains no data. */
function sessionFor(onnx: Onnx, dimensions: number): OnnxSession {
  const known = sessions.get(dimensions);
  if (known !== undefined) return known;
  const session = onnx.createSession(matmulGraph(dimensions), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    enableCpuMemArena: false,
  });
  sessions.set(dimensions, session);
  return session;
}
