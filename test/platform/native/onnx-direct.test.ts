// Proves that a session that writes to memory of the caller computes what the addon does, and that both report what is wrong.

import { expect, test } from "bun:test";
import { integerMatmulGraph, matmulNames } from "../../../src/memory/ranking/scan/matrix-product-graph.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import {
  createDirectSession,
  type DirectSession,
  type Matrix,
} from "../../../src/platform/native/onnx-direct.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";

const dimensions = 24;
const graph = integerMatmulGraph(dimensions);
const names = { inputs: [matmulNames.matrix, matmulNames.queries], output: matmulNames.scores };
const runtime = prepareRuntime("unused");
const onnx = loadOnnx(runtime);

function direct(): DirectSession {
  const session = createDirectSession(runtime.onnxLibrary, graph, names);
  if (session === null) throw new Error("this system has no foreign function interface");
  return session;
}

function product(session: DirectSession, matrix: Matrix, queries: Matrix): Int32Array {
  const data = new Int32Array(matrix.rows * queries.columns).fill(-1);
  session.run([matrix, queries], { data, rows: matrix.rows, columns: queries.columns });
  return data;
}

/** A part of shared memory that begins in its middle, as the codes of a block do. */
function codes(rows: number): Matrix {
  const memory = new Uint8Array(new SharedArrayBuffer(128 + rows * dimensions + 64));
  const data = memory.subarray(128, 128 + rows * dimensions);
  for (const at of data.keys()) data[at] = (at * 7919) % 256;
  return { data, rows, columns: dimensions };
}

function queries(columns: number): Matrix {
  const data = Int8Array.from({ length: dimensions * columns }, (_, at) => ((at * 31) % 127) - 63);
  return { data, rows: dimensions, columns };
}

function plainProduct({ data, rows }: Matrix, { data: other, columns }: Matrix): Int32Array {
  return Int32Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    let sum = 0;
    for (let i = 0; i < dimensions; i++)
      sum += (data[row * dimensions + i] ?? 0) * (other[i * columns + column] ?? 0);
    return sum;
  });
}

test.each([
  [1, 1],
  [64, 2],
  [1_000, 16],
  [3, 40],
])("the product of %i rows with %i columns is exact, in memory of the caller", (rows, columns) => {
  const [matrix, wanted] = [codes(rows), queries(columns)];
  expect(product(direct(), matrix, wanted)).toEqual(plainProduct(matrix, wanted));
});

test("a session can be used again and again, with garbage collected in between", () => {
  const session = direct();
  const other = onnx.createDirectSession(graph, names);
  for (let round = 1; round <= 15; round++) {
    Bun.gc(true);
    const [matrix, wanted] = [codes(round * 3), queries(round)];
    const expected = plainProduct(matrix, wanted);
    expect(product(session, matrix, wanted)).toEqual(expected);
    expect(product(other, matrix, wanted)).toEqual(expected);
  }
});

test("without the foreign function interface, the addon computes the same", async () => {
  const script = `
    import { loadOnnx } from ${JSON.stringify(Bun.resolveSync("../../../src/platform/native/onnx.ts", import.meta.dir))};
    import { prepareRuntime } from ${JSON.stringify(Bun.resolveSync("../../../src/platform/native/runtime.ts", import.meta.dir))};
    import { integerMatmulGraph, matmulNames } from ${JSON.stringify(Bun.resolveSync("../../../src/memory/ranking/scan/matrix-product-graph.ts", import.meta.dir))};
    const onnx = loadOnnx({ ...prepareRuntime("unused"), onnxLibrary: "/no/such/library" });
    const session = onnx.createDirectSession(integerMatmulGraph(2), { inputs: [matmulNames.matrix, matmulNames.queries], output: matmulNames.scores });
    const data = new Int32Array(2);
    session.run([{ data: Uint8Array.of(1, 2, 3, 4), rows: 2, columns: 2 }, { data: Int8Array.of(10, -1), rows: 2, columns: 1 }], { data, rows: 2, columns: 1 });
    console.log(data.join());
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  expect((await new Response(child.stdout).text()).trim()).toBe("8,26");
});

test("what is wrong with a graph or its matrices is an error, and the session can be used afterwards", () => {
  expect(() => createDirectSession(runtime.onnxLibrary, Uint8Array.of(1, 2, 3), names)).toThrow(
    "ONNX Runtime reports: ",
  );
  expect(createDirectSession("/no/such/library", graph, names)).toBeNull();
  const session = direct();
  const [matrix, wanted] = [codes(3), queries(2)];
  expect(() => product(session, { ...matrix, rows: 4 }, wanted)).toThrow("ONNX Runtime reports: ");
  expect(() => product(session, matrix, { ...wanted, rows: dimensions - 1 })).toThrow(
    "ONNX Runtime reports: ",
  );
  expect(product(session, matrix, wanted)).toEqual(plainProduct(matrix, wanted));
});
