// Writes a WebAssembly module that multiplies rows of signed bytes by one query with SIMD instructions of 128 bits, to compare it with ONNX
// Runtime. Must never be used by the product.

/** `i16`: a query of 16 bits; `relaxed`: one of 7 bits, with the instructions of relaxed SIMD. */
export type WasmKind = "i16" | "relaxed";

export interface WasmProduct {
  /** Holds the codes of the rows that are multiplied next; at most `rowsMax`. */
  readonly codes: Int8Array;
  readonly query: Int16Array | Int8Array;
  readonly results: Int32Array;
  /** Rows are a multiple of 1. */
  multiply(rows: number): void;
}

const pageBytes = 65_536;

/** @throws CompileError where the engine lacks the instructions */
export function createWasmProduct(kind: WasmKind, dimensions: number, rowsMax: number): WasmProduct {
  const codesAt = pageBytes;
  const resultsAt = codesAt + Math.ceil((rowsMax * dimensions) / pageBytes) * pageBytes;
  const pages = (resultsAt + Math.ceil((rowsMax * 4) / pageBytes) * pageBytes) / pageBytes;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleOf(kind, dimensions, pages)), {
    [names.module]: { [names.memory]: memory },
  });
  const run = exports[names.multiply];
  if (typeof run !== "function") throw new Error("the module exports no function");
  return {
    codes: new Int8Array(memory.buffer, codesAt, rowsMax * dimensions),
    query:
      kind === "i16"
        ? new Int16Array(memory.buffer, 0, dimensions)
        : new Int8Array(memory.buffer, 0, dimensions),
    results: new Int32Array(memory.buffer, resultsAt, rowsMax),
    multiply: (rows) => void run(codesAt, 0, resultsAt, rows),
  };
}

const names = { module: "product", memory: "memory", multiply: "multiply" } as const;

/** Numbers of the WebAssembly core specification, and of its SIMD and relaxed SIMD instructions (after the prefix 0xfd). */
const Section = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const Type = { function: 0x60, i32: 0x7f, v128: 0x7b, none: 0x40 } as const;
const Op = {
  loop: 0x03,
  end: 0x0b,
  branchIf: 0x0d,
  getLocal: 0x20,
  setLocal: 0x21,
  setAndGetLocal: 0x22,
  storeI32: 0x36,
  constI32: 0x41,
  greater: 0x4a,
  add: 0x6a,
  subtract: 0x6b,
  simd: 0xfd,
} as const;
const Simd = {
  load: 0,
  constant: 12,
  laneOfI32x4: 0x1b,
  lowToI16x8: 0x87,
  highToI16x8: 0x88,
  addI32x4: 0xae,
  dotI16x8: 0xba,
  relaxedDotAdd: 0x113,
} as const;

/** The parameters of the function, then its local variables. */
const Local = { codes: 0, query: 1, results: 2, rows: 3, first: 4, second: 5, bytes: 6 } as const;

function moduleOf(kind: WasmKind, dimensions: number, pages: number): Uint8Array<ArrayBuffer> {
  const signature = [Type.function, ...vector([[Type.i32], [Type.i32], [Type.i32], [Type.i32]]), 0];
  const memory = [...text(names.module), ...text(names.memory), 2, 1, ...unsigned(pages), ...unsigned(pages)];
  const body = [1, 3, Type.v128, ...instructions(kind, dimensions)];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(Section.type, [signature]),
    ...section(Section.import, [memory]),
    ...section(Section.function, [[0]]),
    ...section(Section.export, [[...text(names.multiply), 0, 0]]),
    ...section(Section.code, [[...unsigned(body.length), ...body]]),
  ]);
}

/** One row after the other, all of its dimensions without a loop. */
function instructions(kind: WasmKind, dimensions: number): number[] {
  const zero = [...simd(Simd.constant), ...new Array<number>(16).fill(0)];
  const steps: number[] = [Op.loop, Type.none];
  steps.push(...zero, ...set(Local.first), ...zero, ...set(Local.second));
  for (let at = 0; at < dimensions; at += 16) {
    if (kind === "relaxed") {
      steps.push(...load(Local.codes, at), ...load(Local.query, at), ...get(Local.first));
      steps.push(...simd(Simd.relaxedDotAdd), ...set(Local.first));
      continue;
    }
    steps.push(...load(Local.codes, at), ...set(Local.bytes));
    steps.push(...get(Local.bytes), ...simd(Simd.lowToI16x8), ...load(Local.query, 2 * at));
    steps.push(...simd(Simd.dotI16x8), ...get(Local.first), ...simd(Simd.addI32x4), ...set(Local.first));
    steps.push(...get(Local.bytes), ...simd(Simd.highToI16x8), ...load(Local.query, 2 * at + 16));
    steps.push(...simd(Simd.dotI16x8), ...get(Local.second), ...simd(Simd.addI32x4), ...set(Local.second));
  }
  steps.push(...get(Local.first), ...get(Local.second), ...simd(Simd.addI32x4), ...set(Local.first));
  steps.push(...get(Local.results));
  for (const lane of [0, 1, 2, 3]) {
    steps.push(...get(Local.first), ...simd(Simd.laneOfI32x4), lane);
    if (lane > 0) steps.push(Op.add);
  }
  steps.push(Op.storeI32, 2, 0);
  steps.push(...get(Local.codes), ...constant(dimensions), Op.add, ...set(Local.codes));
  steps.push(...get(Local.results), ...constant(4), Op.add, ...set(Local.results));
  steps.push(...get(Local.rows), ...constant(1), Op.subtract, Op.setAndGetLocal, Local.rows);
  steps.push(...constant(0), Op.greater, Op.branchIf, 0, Op.end, Op.end);
  return steps;
}

const get = (local: number) => [Op.getLocal, local];
const set = (local: number) => [Op.setLocal, local];
const simd = (instruction: number) => [Op.simd, ...unsigned(instruction)];
const load = (local: number, offset: number) => [...get(local), ...simd(Simd.load), 0, ...unsigned(offset)];
/** A positive number, as LEB128 with a sign. */
const constant = (value: number) => [Op.constI32, ...signed(value)];
const signed = (value: number): number[] =>
  value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
const vector = (items: readonly (readonly number[])[]) => [...unsigned(items.length), ...items.flat()];
const text = (value: string) => [value.length, ...new TextEncoder().encode(value)];

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = vector(items);
  return [id, ...unsigned(content.length), ...content];
}
