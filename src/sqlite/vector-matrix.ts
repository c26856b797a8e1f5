// Holds unit vectors as the rows of a matrix in memory and computes their dot products with a query. Must never be the truth:
// the vectors in the database are, and this can be rebuilt from them.

import { type Onnx, type OnnxSession, Tensor } from "../native/onnx.ts";
import { matmulGraph, matmulNames } from "./matmul-graph.ts";

/** Rows of a full block. Blocks, not one array, so that growing never copies hundreds of megabytes. */
export const blockRows = 8_192;
const firstRows = 64;

/**
 * How far a score may be from the exact dot product of two unit vectors of float32, in either direction. For any order of
 * summation, with or without fused multiply-add, |error| <= g * sum |x_i * y_i| <= g * |x| * |y| with
 * g = d * u / (1 - d * u) and u = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The factor
 * 1.001 covers lengths that rounding has made a little longer than 1.
 */
export function scoreErrorBound(dimensions: number): number {
  const product = dimensions * 2 ** -24;
  return (1.001 * product) / (1 - product);
}

/**
 * Rows are numbered 0 to length - 1. One thread, synchronous: belongs in a worker. 100,000 rows of 384 take some 15 ms, the
 * time to read them from memory, a tenth of what `vec0` needs.
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

  /** Memory held for rows and scores. */
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

  /** Keeps the first `length` rows. */
  truncate(length: number): void {
    if (length < 0 || length > this.#length) {
      throw new RangeError(`Cannot cut a matrix of ${this.#length} rows to ${length}.`);
    }
    this.#length = length;
    this.#blocks.length = Math.ceil(length / blockRows);
  }

  /**
   * Dot products of all rows with `query` [dimensions], L2-normalised: Float32Array [length], each within
   * `scoreErrorBound(dimensions)` of the exact value. The array is reused by the next call.
   */
  scores(query: Float32Array): Float32Array {
    if (query.length !== this.dimensions) {
      throw new RangeError(`A query of ${query.length} does not fit a matrix of ${this.dimensions}.`);
    }
    if (this.#scores.length < this.#length) this.#scores = new Float32Array(this.#blocks.length * blockRows);
    const column = new Tensor("float32", query, [this.dimensions, 1]);
    for (const [index, block] of this.#blocks.entries()) {
      const start = index * blockRows;
      const rows = Math.min(blockRows, this.#length - start);
      const matrix = new Tensor("float32", block.subarray(0, rows * this.dimensions), [
        rows,
        this.dimensions,
      ]);
      const scores = new Tensor("float32", this.#scores.subarray(start, start + rows), [rows, 1]);
      this.#session.run(
        { [matmulNames.matrix]: matrix, [matmulNames.query]: column },
        { [matmulNames.scores]: scores },
      );
    }
    return this.#scores.subarray(0, this.#length);
  }

  /** The first block grows by doubling, since most projects are small; later ones are made whole. */
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

/** All matrices of a thread share one session per number of dimensions: it holds no data. */
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
