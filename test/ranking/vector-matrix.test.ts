// Tests the matrix against plain sums in double precision.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { loadOnnx } from "../../src/native/onnx.ts";
import { prepareRuntime } from "../../src/native/runtime.ts";
import { scoreErrorBound, VectorMatrix } from "../../src/ranking/vector-matrix.ts";

const onnx = loadOnnx(prepareRuntime("unused-from-source"));
const dimensions = 256;

/** A unit vector that depends on the seed alone. */
function unit(seed: number, size = dimensions): Float32Array {
  let state = (seed * 2_654_435_761) >>> 0;
  const values = Float32Array.from({ length: size }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.sqrt(dot(values, values));
  return values.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

test.each([1, 2, 63, 64, 65, 1_000, 8_192, 8_193, 20_000])("%d rows score within the bound", (rows) => {
  const matrix = new VectorMatrix(onnx, dimensions);
  for (let row = 0; row < rows; row++) matrix.set(row, unit(row + 1));
  const query = unit(77_777);
  const scores = matrix.scores(query);
  expect(scores).toHaveLength(rows);
  const worst = scores.reduce(
    (sum, score, row) => Math.max(sum, Math.abs(score - dot(matrix.row(row), query))),
    0,
  );
  expect(worst).toBeLessThanOrEqual(scoreErrorBound(dimensions));
  expect(scoreErrorBound(dimensions)).toBeLessThan(2e-5);
});

test.each([1, 3, 16])("%d queries at once find the rows above a threshold", (count) => {
  const matrix = new VectorMatrix(onnx, dimensions);
  for (let row = 0; row < 9_000; row++) matrix.set(row, unit(row + 1));
  const queries = Array.from({ length: count }, (_, at) => unit(50_000 + at));
  const bound = scoreErrorBound(dimensions);
  for (const [at, rows] of matrix.rowsAbove(0.1, queries).entries()) {
    const found = new Set(rows);
    const query = queries[at] ?? unit(0);
    for (let row = 0; row < matrix.length; row++) {
      const exact = dot(matrix.row(row), query);
      if (exact > 0.1) expect(found.has(row)).toBe(true);
      if (found.has(row)) expect(exact).toBeGreaterThan(0.1 - 2 * bound);
    }
    expect(found.size).toBeGreaterThan(100);
  }
});

test("an empty matrix has no scores", () => {
  expect(new VectorMatrix(onnx, dimensions).rowsAbove(0, [unit(1)])).toEqual([[]]);
  expect(new VectorMatrix(onnx, dimensions).scores(unit(1))).toHaveLength(0);
});

test("any sequence of changes leaves the rows that a plain list would have", () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant("append" as const), seed: fc.nat(1_000) }),
    fc.record({ kind: fc.constant("replace" as const), seed: fc.nat(1_000), at: fc.nat() }),
    fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
    fc.record({ kind: fc.constant("truncate" as const), at: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 200 }), (changes) => {
      const matrix = new VectorMatrix(onnx, dimensions);
      const list: number[] = [];
      for (const step of changes) {
        const at = "at" in step && list.length > 0 ? step.at % list.length : 0;
        if (step.kind === "append") matrix.set(list.push(step.seed) - 1, unit(step.seed));
        else if (list.length === 0) continue;
        else if (step.kind === "replace") {
          list[at] = step.seed;
          matrix.set(at, unit(step.seed));
        } else if (step.kind === "remove") {
          const last = list.pop();
          const moved = at < list.length && last !== undefined;
          if (moved) list[at] = last;
          expect(matrix.swapRemove(at)).toBe(moved ? list.length : null);
        } else {
          list.length = at;
          matrix.truncate(at);
        }
      }
      const query = unit(5);
      expect(matrix.length).toBe(list.length);
      for (const [row, score] of matrix.scores(query).entries()) {
        expect(Math.abs(score - dot(unit(list[row] ?? -1), query))).toBeLessThanOrEqual(
          scoreErrorBound(dimensions),
        );
      }
    }),
    { numRuns: 50 },
  );
});

test("memory is given back when rows go", () => {
  const matrix = new VectorMatrix(onnx, dimensions);
  for (let row = 0; row < 20_000; row++) matrix.set(row, unit(1));
  const full = matrix.byteLength;
  matrix.truncate(10);
  expect(matrix.byteLength).toBeLessThan(full / 2);
});

describe("a wrong call fails loudly", () => {
  const matrix = new VectorMatrix(onnx, dimensions);
  matrix.set(0, unit(1));
  test.each<[string, () => unknown]>([
    ["a gap", () => matrix.set(2, unit(1))],
    ["a negative row", () => matrix.set(-1, unit(1))],
    ["another length", () => matrix.set(1, unit(1, 384))],
    ["another query", () => matrix.scores(unit(1, 384))],
    ["a row that is not there", () => matrix.row(1)],
    ["removing it", () => matrix.swapRemove(1)],
    ["cutting to more", () => matrix.truncate(2)],
  ])("%s", (_, call) => {
    expect(call).toThrow(RangeError);
    expect(matrix.length).toBe(1);
  });
});
