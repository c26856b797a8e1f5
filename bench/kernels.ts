// The kernels that could compute the products of a scan, side by side: how long one thread takes for all rows, and nothing else. Must never
// contain what a search does beside it.

import { rowsPerBlock } from "../src/memory/ranking/limits.ts";
import { createBlockProduct } from "../src/memory/ranking/scan/block-product.ts";
import { matmulNames, productGraph } from "../src/memory/ranking/scan/matrix-product-graph.ts";
import { loadOnnx, type OnnxSession, Tensor } from "../src/platform/native/onnx.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { loadVec, openDatabase } from "../src/platform/native/sqlite.ts";
import { median, ms } from "./figures.ts";
import { type BenchOptions, progress, type Table, temporaryFolder } from "./harness.ts";
import { createWasmProduct, type WasmKind } from "./wasm-product.ts";

const dimensions = 384;
/** Multiples of rowsPerBlock near 100,000 and 1,000,000. */
const blocksOf = { small: 12, large: 122 } as const;
/** A search needs two columns of seven bits; eight searches at once need 16. */
const widths = [2, 16] as const;
const scans = 5;
/** So few rows stay in the nearest cache between copying and multiplying them. */
const stagedRows = 128;

interface Kernel {
  readonly name: string;
  /** Whether it is measured with the large number of rows, too. */
  readonly isLarge: boolean;
  /** Multiplies all rows by so many columns; null: it cannot. */
  prepare(blocks: readonly Uint8Array[], width: number): (() => void) | null;
}

export async function kernels({ rounds }: BenchOptions): Promise<readonly Table[]> {
  const { small, large } = blocksOf;
  const blocks = Array.from({ length: large }, (_, index) => randomBlock(index));
  using folder = temporaryFolder();
  using database = openVectors(folder.path, blocks.slice(0, small));
  const all = [...onnxKernels(folder.path), ...wasmKernels(), plainLoop, database.kernel];
  const columns = [
    "kernel",
    ...[small, large].flatMap((count) =>
      widths.map((width) => `${(count * rowsPerBlock).toLocaleString("en")} rows, ${width} columns`),
    ),
  ];
  const rows = all.map((kernel) => {
    progress(`kernels: ${kernel.name}`);
    const cells = [small, large].flatMap((count) =>
      widths.map((width) => {
        const run = count === small || kernel.isLarge ? kernel.prepare(blocks.slice(0, count), width) : null;
        return run === null ? "" : ms(median(Array.from({ length: scans * rounds }, () => timed(run))));
      }),
    );
    return [kernel.name, ...cells];
  });
  const note = `One thread multiplies rows of ${dimensions} bytes by the columns of one search and of eight. The float32 rows have four bytes for each dimension and need one column for a search; so does WebAssembly with i16.`;
  return [{ title: "Kernels of a scan", note, columns, rows }];
}

function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function randomBlock(seed: number): Uint8Array {
  const codes = new Uint8Array(new SharedArrayBuffer(rowsPerBlock * dimensions));
  let state = seed + 1;
  for (let at = 0; at < codes.length; at++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    codes[at] = 1 + ((state >>> 8) % 255);
  }
  return codes;
}

function onnxKernels(folder: string): readonly Kernel[] {
  const onnx = loadOnnx(prepareRuntime(folder));
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false } as const;
  const session = (matrix: "uint8" | "int8", queries: "uint8" | "int8") =>
    onnx.createSession(
      productGraph("MatMulInteger", dimensions, { matrix, queries, scores: "int32" }),
      options,
    );
  const float = { matrix: "float32", queries: "float32", scores: "float32" } as const;
  const floatSession = onnx.createSession(productGraph("MatMul", dimensions, float), options);
  const usual = (matrix: "uint8" | "int8", queries: "uint8" | "int8", isLarge: boolean): Kernel => {
    const product = session(matrix, queries);
    return {
      name: `ONNX Runtime MatMulInteger, rows ${matrix} x queries ${queries}`,
      isLarge,
      prepare: (blocks, width) =>
        runAll(product, {
          matrices: blocks.map((codes) => integers(matrix, codes, [rowsPerBlock, dimensions])),
          queries: [integers(queries, queryBytes(width), [dimensions, width])],
          results: new Tensor("int32", new Int32Array(rowsPerBlock * width), [rowsPerBlock, width]),
        }),
    };
  };
  const transposed = session("uint8", "int8");
  return [
    {
      name: "ONNX Runtime MatMulInteger as scans use it, without the addon",
      isLarge: true,
      prepare: (blocks, width) => {
        const product = createBlockProduct(onnx, dimensions);
        const columns = Int8Array.from(queryBytes(width));
        return () => {
          for (const codes of blocks) product(codes, rowsPerBlock, columns, width);
        };
      },
    },
    usual("uint8", "int8", true),
    usual("uint8", "uint8", false),
    usual("int8", "int8", false),
    {
      name: "ONNX Runtime MatMulInteger, queries uint8 x transposed rows int8",
      isLarge: false,
      prepare: (blocks, width) =>
        runAll(transposed, {
          matrices: [integers("uint8", queryBytes(width), [width, dimensions])],
          queries: blocks.map((codes) => integers("int8", codes, [dimensions, rowsPerBlock])),
          results: new Tensor("int32", new Int32Array(rowsPerBlock * width), [width, rowsPerBlock]),
        }),
    },
    {
      name: "ONNX Runtime MatMul, rows float32 x queries float32",
      isLarge: false,
      prepare: (blocks, columns) => {
        const width = columns / 2;
        return runAll(floatSession, {
          matrices: blocks.map(
            (codes) => new Tensor("float32", Float32Array.from(codes), [rowsPerBlock, dimensions]),
          ),
          queries: [new Tensor("float32", Float32Array.from(queryBytes(width)), [dimensions, width])],
          results: new Tensor("float32", new Float32Array(rowsPerBlock * width), [rowsPerBlock, width]),
        });
      },
    },
  ];
}

function queryBytes(width: number): Uint8Array {
  return Uint8Array.from({ length: dimensions * width }, (_, at) => (at * 37) % 64);
}

function integers(
  element: "uint8" | "int8",
  { buffer, length }: Uint8Array,
  shape: readonly number[],
): Tensor {
  return element === "uint8"
    ? new Tensor("uint8", new Uint8Array(buffer, 0, length), shape)
    : new Tensor("int8", new Int8Array(buffer, 0, length), shape);
}

interface Products {
  readonly matrices: readonly Tensor[];
  readonly queries: readonly Tensor[];
  readonly results: Tensor;
}

function runAll(session: OnnxSession, { matrices, queries, results }: Products): () => void {
  const into = { [matmulNames.scores]: results };
  return () => {
    for (const matrix of matrices)
      for (const columns of queries)
        session.runInto({ [matmulNames.matrix]: matrix, [matmulNames.queries]: columns }, into);
  };
}

function wasmKernels(): readonly Kernel[] {
  const kernel = (kind: WasmKind, name: string, columnsPerQuery: number): Kernel => ({
    name,
    isLarge: true,
    prepare: (blocks, columns) => {
      const product = createWasmProduct(kind, dimensions, stagedRows);
      product.query.set(Int8Array.from(queryBytes(1)));
      const target = new Uint8Array(product.codes.buffer, product.codes.byteOffset, product.codes.length);
      return () => {
        for (const codes of blocks)
          for (let at = 0; at < codes.length; at += target.length) {
            target.set(codes.subarray(at, at + target.length));
            for (let query = 0; query < columns / 2; query++)
              for (let column = 0; column < columnsPerQuery; column++) product.multiply(stagedRows);
          }
      };
    },
  });
  return [
    kernel("i16", "WebAssembly SIMD, a query of i16", 1),
    kernel("relaxed", "WebAssembly relaxed SIMD, two columns of seven bits", 2),
  ];
}

const plainLoop: Kernel = {
  name: "JavaScript",
  isLarge: false,
  prepare: (blocks, columns) => {
    if (columns > 2) return null;
    const query = queryBytes(1);
    const results = new Int32Array(rowsPerBlock);
    return () => {
      for (const codes of blocks)
        for (let row = 0; row < rowsPerBlock; row++) {
          let sum = 0;
          const start = row * dimensions;
          for (let at = 0; at < dimensions; at++) sum += (codes[start + at] ?? 0) * (query[at] ?? 0);
          results[row] = sum;
        }
    };
  },
};

/** A table of vectors of int8 in memory, whose distances sqlite-vec computes. */
function openVectors(
  folder: string,
  blocks: readonly Uint8Array[],
): Disposable & { readonly kernel: Kernel } {
  const runtime = prepareRuntime(folder);
  const database = openDatabase(":memory:", runtime);
  loadVec(database, runtime);
  database.exec("CREATE TABLE vector (codes BLOB NOT NULL)");
  const insert = database.prepare<[Uint8Array]>("INSERT INTO vector VALUES (?)");
  for (const codes of blocks)
    for (let row = 0; row < rowsPerBlock; row++)
      insert.run(codes.slice(row * dimensions, (row + 1) * dimensions));
  const nearest = database.prepare<[Uint8Array]>(
    "SELECT min(vec_distance_cosine(vec_int8(codes), vec_int8(?))) FROM vector",
  );
  return {
    kernel: {
      name: "sqlite-vec, vec_distance_cosine of int8",
      isLarge: false,
      prepare: (_, columns) => (columns > 2 ? null : () => void nearest.get(queryBytes(1))),
    },
    [Symbol.dispose]: () => void database.close(),
  };
}
