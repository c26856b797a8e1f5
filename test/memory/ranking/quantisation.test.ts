// Proves by trying that an approximate similarity is never further from the exact one than the bound says, and that products are exact.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  errorOf,
  lowStepsPerHigh,
  quantiseQuery,
  quantiseRow,
} from "../../../src/memory/ranking/quantisation.ts";
import { createBlockProduct } from "../../../src/memory/ranking/scan/block-product.ts";
import { codesOf, createRowBlock } from "../../../src/memory/ranking/scan/row-block.ts";
import { cosine } from "../../../src/memory/ranking/scores.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { hardVector, near, normalised, randomVector, sequence } from "./vectors.ts";

const onnx = loadOnnx(prepareRuntime("unused-from-source"));

/** The approximate similarity of two vectors and the greatest error that it may have, in plain arithmetic. */
function approximate(x: Float32Array, y: Float32Array): { similarity: number; error: number } {
  const block = createRowBlock(x.length, 64);
  quantiseRow(x, block, 3);
  const { high, low, step, excess, highExcess, lowMost, errorBound } = quantiseQuery(y);
  const steps = codesOf(block, 3).reduce(
    (sum, code, axis) => sum + code * (lowStepsPerHigh * (high[axis] ?? 0) + (low[axis] ?? 0)),
    -excess,
  );
  const similarity = (block.scales[3] ?? 0) * step * steps;
  const highSteps = codesOf(block, 3).reduce(
    (sum, code, axis) => sum + code * (high[axis] ?? 0),
    -highExcess,
  );
  const ofHigh = (block.scales[3] ?? 0) * lowStepsPerHigh * step * highSteps;
  expect(Math.abs(similarity - ofHigh)).toBeLessThanOrEqual(lowMost);
  const residual = block.residuals[3] ?? 0;
  const error = errorOf(errorBound, similarity, residual);
  expect(error).toBeLessThanOrEqual(residual * errorBound.length + errorBound.constant);
  return { similarity: Math.min(1, Math.max(0, similarity)), error };
}

describe("the error of an approximate similarity", () => {
  test.each([2, 3, 16, 64, 384, 1_024])(
    "is within its bound for vectors of %d, however hard",
    (dimensions) => {
      const vector = hardVector(dimensions);
      fc.assert(
        fc.property(vector, vector, (x, y) => {
          const { similarity, error } = approximate(x, y);
          expect(Math.abs(similarity - cosine(y, x))).toBeLessThanOrEqual(error);
        }),
        { numRuns: dimensions > 100 ? 150 : 500 },
      );
    },
  );

  test("is within its bound when row and query have the worst directions for their codes", () => {
    for (let seed = 0; seed < 50; seed++) {
      const x = randomVector(64, seed);
      const block = createRowBlock(64, 64);
      quantiseRow(x, block, 0);
      const scale = block.scales[0] ?? 0;
      const rest = Array.from(codesOf(block, 0), (code, axis) => (x[axis] ?? 0) - scale * (code - 128));
      const length = Math.hypot(...rest);
      // Towards the row, so that the similarity is not limited to 0.
      const sign = Math.sign(rest.reduce((sum, value, axis) => sum + value * (x[axis] ?? 0), 0));
      const y = normalised(rest.map((value, axis) => (sign * value) / length + 0.3 * (x[axis] ?? 0)));
      const { similarity, error } = approximate(x, y);
      const difference = Math.abs(similarity - cosine(y, x));
      expect(difference).toBeLessThanOrEqual(error);
      // Nearly the whole residual points to the query, so no much smaller bound would be true.
      expect(difference).toBeGreaterThan(0.9 * length);
    }
  });

  test("of a vector and itself is small, because the residual is at right angles to the codes", () => {
    for (let seed = 0; seed < 20; seed++) {
      const vector = randomVector(384, seed);
      const different = approximate(vector, randomVector(384, seed + 100)).error;
      expect(approximate(vector, vector).error).toBeLessThan(different / 20);
      expect(approximate(vector, near(vector, 0.05, 7)).error).toBeLessThan(different);
    }
  });

  test("is below 0.01 for ordinary vectors, so that few rows are scored exactly", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { error } = approximate(randomVector(384, seed), randomVector(384, seed + 100));
      expect(error).toBeLessThan(0.01);
    }
  });
});

describe("codes of rows", () => {
  test("use the whole range, and never 0, whatever the components are", () => {
    fc.assert(
      fc.property(hardVector(16), (vector) => {
        const block = createRowBlock(16, 64);
        quantiseRow(vector, block, 63);
        const codes = [...codesOf(block, 63)];
        expect(Math.max(...codes.map((code) => Math.abs(code - 128)))).toBe(127);
        expect(Math.min(...codes)).toBeGreaterThanOrEqual(1);
        expect([...block.codes.subarray(0, 63 * 16)].every((code) => code === 0)).toBe(true);
      }),
    );
  });

  test("are the same for equal vectors, and differ for vectors that differ by more than a step", () => {
    const [one, equal] = [createRowBlock(64, 64), createRowBlock(64, 64)];
    const vector = randomVector(64, 1);
    quantiseRow(vector, one, 0);
    quantiseRow(vector.slice(), equal, 0);
    expect(codesOf(equal, 0)).toEqual(codesOf(one, 0));
    expect(equal.scales).toEqual(one.scales);
    quantiseRow(near(vector, 0.05, 7), equal, 0);
    expect(codesOf(equal, 0)).not.toEqual(codesOf(one, 0));
  });

  test.each<[string, Float32Array]>([
    ["another length", new Float32Array(65).fill(0.1)],
    ["NaN", new Float32Array(64).fill(Number.NaN)],
    ["one component that is NaN", randomVector(64, 1).with(9, Number.NaN)],
    ["an infinite component", randomVector(64, 1).with(63, Number.NEGATIVE_INFINITY)],
  ])("are refused for a vector with %s", (_, vector) => {
    const block = createRowBlock(64, 64);
    expect(() => quantiseRow(vector, block, 0)).toThrow(RangeError);
    expect([...block.codes].every((code) => code === 0)).toBe(true);
  });

  test.each([0, 2 ** -149, 2 ** -143, 1e-35])(
    "leave a vector of components of %d to the residual",
    (value) => {
      const block = createRowBlock(4, 64);
      quantiseRow(new Float32Array(4).fill(value), block, 0);
      expect(block.scales[0]).toBe(0);
      expect(block.residuals[0]).toBeGreaterThanOrEqual(2 * Math.fround(value));
    },
  );
});

test("codes of queries have seven bits", () => {
  fc.assert(
    fc.property(hardVector(32), (vector) => {
      const { high, low } = quantiseQuery(vector);
      for (const code of [...high, ...low]) expect(Math.abs(code)).toBeLessThanOrEqual(63);
      expect(Math.max(...high.map(Math.abs))).toBe(63);
    }),
  );
});

describe("the product of a block", () => {
  const shapes = fc.record({
    dimensions: fc.constantFrom(1, 5, 64, 255, 256, 384, 768, 1_024),
    rows: fc.integer({ min: 1, max: 130 }),
    count: fc.integer({ min: 1, max: 16 }),
    seed: fc.nat(),
    kind: fc.constantFrom("any", "greatest", "least", "opposite" as const),
  });

  test("is exact, also for codes that would saturate a sum of 16 bits", () => {
    const products = new Map<number, ReturnType<typeof createBlockProduct>>();
    fc.assert(
      fc.property(shapes, ({ dimensions, rows, count, seed, kind }) => {
        const product = products.get(dimensions) ?? createBlockProduct(onnx, dimensions);
        products.set(dimensions, product);
        const next = sequence(seed);
        const codes = new Uint8Array(new SharedArrayBuffer(rows * dimensions));
        const columns = new Int8Array(dimensions * count);
        for (let at = 0; at < codes.length; at++) codes[at] = kind === "any" ? 128 + 128 * next() : 255;
        for (let at = 0; at < columns.length; at++)
          columns[at] =
            kind === "any"
              ? 63.9 * next()
              : kind === "opposite"
                ? (at % 2) * 126 - 63
                : kind === "least"
                  ? -63
                  : 63;
        const results = product(codes, rows, columns, count);
        expect(results).toHaveLength(rows * count);
        for (let row = 0; row < rows; row++)
          for (let column = 0; column < count; column++) {
            let sum = 0;
            for (let axis = 0; axis < dimensions; axis++)
              sum += (codes[row * dimensions + axis] ?? 0) * (columns[axis * count + column] ?? 0);
            if (results[row * count + column] !== sum) throw new Error(`row ${row}, column ${column}`);
          }
      }),
      { numRuns: 120 },
    );
  });

  test("of a full block leaves out the rows behind the given number", () => {
    const product = createBlockProduct(onnx, 64);
    const codes = new Uint8Array(8_192 * 64).map((_, at) => at % 251);
    const columns = new Int8Array(64).fill(1);
    const all = product(codes, 8_192, columns, 1).slice();
    expect(all).toHaveLength(8_192);
    expect(product(codes, 100, columns, 1)).toEqual(all.subarray(0, 100));
  });
});
