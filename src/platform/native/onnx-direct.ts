// Owns sessions of ONNX Runtime that write a matrix to memory of the caller, through its C interface. The addon copies each result to new
// memory, also when it is given memory for it: this takes as long as half of a product, and leaves half a megabyte of garbage for each
// block of rows. Must never pass memory on that could be freed during a run.

import { CFunction, dlopen, linkSymbols, ptr, read } from "bun:ffi";

/** Its rows one after another, without gaps. */
export interface Matrix {
  readonly data: Uint8Array | Int8Array | Int32Array;
  readonly rows: number;
  readonly columns: number;
}

export interface DirectSession {
  /** Blocks the thread. @param inputs in the order of their names @param output is overwritten @throws Error of ONNX Runtime */
  run(inputs: readonly Matrix[], output: Matrix): void;
}

/** Of a graph with one output. */
export interface GraphNames {
  readonly inputs: readonly string[];
  readonly output: string;
}

/** Positions in the function table of version 1, to which new versions only append (onnxruntime_c_api.h, OrtApi). */
const functions = {
  messageOf: 2,
  createEnvironment: 3,
  createSession: 8,
  run: 9,
  createOptions: 10,
  disableArena: 19,
  setThreads: 24,
  createTensor: 49,
  createMemoryInfo: 69,
  releaseStatus: 93,
  releaseValue: 96,
  releaseOptions: 100,
} as const;
const apiVersion = 1;
const logErrorsOnly = 3;
const arenaAllocator = 1;
const defaultMemory = 0;
const pointerBytes = 8;

/**
 * @param library absolute path of the library that the addon has loaded
 * @param model its graph has free dimensions
 * @returns null where the system forbids the foreign function interface of Bun (native/telemetry.ts)
 * @throws Error of ONNX Runtime
 */
export function createDirectSession(
  library: string,
  model: Uint8Array,
  { inputs, output }: GraphNames,
): DirectSession | null {
  const api = tryLinking(library);
  if (api === null) return null;
  const out = new BigUint64Array(1);
  const check = (status: bigint): void => {
    if (status === 0n) return;
    const message = String(api.messageOf(status));
    api.releaseStatus(status);
    throw new Error(`ONNX Runtime reports: ${message}`);
  };
  const made = (status: bigint): bigint => {
    check(status);
    return out[0] ?? 0n;
  };

  // Returns the existing environment: a process has only one.
  const environment = made(api.createEnvironment(logErrorsOnly, Buffer.from("memledger\0"), out));
  const options = made(api.createOptions(out));
  check(api.disableArena(options));
  check(api.setThreads(options, 1));
  const session = made(api.createSession(environment, model, model.byteLength, options, out));
  api.releaseOptions(options);
  const memory = made(api.createMemoryInfo(arenaAllocator, defaultMemory, out));
  const inputNames = toStrings(inputs);
  const outputNames = toStrings([output]);
  const values = new BigUint64Array(inputs.length + 1);
  const results = values.subarray(inputs.length);
  const shape = new BigInt64Array(2);

  const toValue = ({ data, rows, columns }: Matrix): bigint => {
    shape[0] = BigInt(rows);
    shape[1] = BigInt(columns);
    const type = elementTypeOf(data);
    return made(api.createTensor(memory, data, data.byteLength, shape, shape.length, type, out));
  };
  return {
    run(matrices, result) {
      try {
        for (const [at, matrix] of matrices.entries()) values[at] = toValue(matrix);
        results[0] = toValue(result);
        check(api.run(session, 0n, inputNames, values, inputs.length, outputNames, 1, results));
      } finally {
        for (const value of values) if (value !== 0n) api.releaseValue(value);
        values.fill(0n);
      }
    },
  };
}

/** ONNXTensorElementDataType */
function elementTypeOf(data: Matrix["data"]): number {
  if (data instanceof Int32Array) return 6;
  return data instanceof Int8Array ? 3 : 2;
}

/** Null: there is no foreign function interface. */
function tryLinking(library: string): ReturnType<typeof link> | null {
  try {
    return link(library);
  } catch {
    return null;
  }
}

function link(library: string) {
  const { symbols } = dlopen(library, { OrtGetApiBase: { args: [], returns: "ptr" } });
  const base = symbols.OrtGetApiBase();
  if (base === null) throw new Error("ONNX Runtime has no function table");
  const getApi = CFunction({ ptr: BigInt(read.ptr(base)), args: ["u32"], returns: "ptr" });
  const api = getApi(apiVersion);
  const at = (name: keyof typeof functions) => BigInt(read.ptr(api, functions[name] * pointerBytes));
  // Memory of ours is a "ptr", an object of ONNX Runtime an address.
  return linkSymbols({
    messageOf: { ptr: at("messageOf"), args: ["u64"], returns: "cstring" },
    createEnvironment: { ptr: at("createEnvironment"), args: ["i32", "ptr", "ptr"], returns: "u64" },
    createSession: { ptr: at("createSession"), args: ["u64", "ptr", "usize", "u64", "ptr"], returns: "u64" },
    run: {
      ptr: at("run"),
      args: ["u64", "u64", "ptr", "ptr", "usize", "ptr", "usize", "ptr"],
      returns: "u64",
    },
    createOptions: { ptr: at("createOptions"), args: ["ptr"], returns: "u64" },
    disableArena: { ptr: at("disableArena"), args: ["u64"], returns: "u64" },
    setThreads: { ptr: at("setThreads"), args: ["u64", "i32"], returns: "u64" },
    createTensor: {
      ptr: at("createTensor"),
      args: ["u64", "ptr", "usize", "ptr", "usize", "i32", "ptr"],
      returns: "u64",
    },
    createMemoryInfo: { ptr: at("createMemoryInfo"), args: ["i32", "i32", "ptr"], returns: "u64" },
    releaseStatus: { ptr: at("releaseStatus"), args: ["u64"], returns: "void" },
    releaseValue: { ptr: at("releaseValue"), args: ["u64"], returns: "void" },
    releaseOptions: { ptr: at("releaseOptions"), args: ["u64"], returns: "void" },
  }).symbols;
}

/** An array of pointers to C strings, in one piece of memory with the strings, so that they live as long as the array. */
function toStrings(texts: readonly string[]): Uint8Array {
  const strings = texts.map((text) => Buffer.from(`${text}\0`));
  const memory = new Uint8Array(new ArrayBuffer(Buffer.concat(strings).length + texts.length * pointerBytes));
  const pointers = new BigUint64Array(memory.buffer, 0, texts.length);
  let end = texts.length * pointerBytes;
  for (const [at, string] of strings.entries()) {
    pointers[at] = BigInt(ptr(memory, end));
    memory.set(string, end);
    end += string.length;
  }
  return memory;
}
