// Owns matrices of vectors, one behind the other. They are in shared memory, so that another thread gets them without a copy.

/** Float32Array [vectors x dimensions]. */
export function toSharedMatrix(vectors: readonly Float32Array[]): Float32Array {
  const numbers = vectors.reduce((sum, { length }) => sum + length, 0);
  const matrix = new Float32Array(new SharedArrayBuffer(numbers * Float32Array.BYTES_PER_ELEMENT));
  let start = 0;
  for (const vector of vectors) {
    matrix.set(vector, start);
    start += vector.length;
  }
  return matrix;
}

/** Views of its vectors. */
export function rowsOf(matrix: Float32Array, dimensions: number): Float32Array[] {
  return Array.from({ length: matrix.length / dimensions }, (_, row) =>
    matrix.subarray(row * dimensions, (row + 1) * dimensions),
  );
}
