// Owns the binding to ONNX Runtime: sessions that run synchronously. Must never be imported by the thread that serves HTTP, because a
// run blocks its thread.
//
// It does not import "onnxruntime-node", because that package loads the addon from its own folder, which does not exist in the
// executable, and delays each run by one turn of the event loop. Calling the addon directly takes twenty lines.

import { isMainThread } from "node:worker_threads";
import { type InferenceSession, Tensor } from "onnxruntime-common";
import { loadAddon } from "./addon.ts";
import { createDirectSession, type DirectSession, type GraphNames, type Matrix } from "./onnx-direct.ts";
import type { RuntimeFiles } from "./runtime.ts";
import { disableTelemetryEvents } from "./telemetry.ts";

export { Tensor };
export type SessionOptions = InferenceSession.SessionOptions;

export type OnnxSession = Readonly<{
  inputs: readonly TensorInfo[];
  outputs: readonly TensorInfo[];
  /** Blocks the thread until it is done, and allocates the outputs. */
  run(feeds: Readonly<Record<string, Tensor>>): Record<string, Tensor>;
  /** Blocks the thread until it is done, and writes the outputs to the tensors in `into`. */
  runInto(feeds: Readonly<Record<string, Tensor>>, into: Readonly<Record<string, Tensor>>): void;
  release(): void;
}>;

/** `shape` contains -1 for a dimension of variable size. */
type TensorInfo = Readonly<{ name: string; shape: readonly number[] }>;

export type Onnx = Readonly<{
  createSession(model: Uint8Array, options?: SessionOptions): OnnxSession;
  /** A session that keeps its memory until the process ends. @param names of the graph, whose inputs and output are matrices */
  createDirectSession(model: Uint8Array, names: GraphNames): DirectSession;
}>;

/** The addon's own interface (onnxruntime-node 1.26, dist/binding.d.ts). */
type Binding = {
  InferenceSession: new () => BindingSession;
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void;
};
type BindingSession = {
  loadModel(buffer: ArrayBufferLike, byteOffset: number, byteLength: number, options: SessionOptions): void;
  readonly inputMetadata: readonly TensorInfo[];
  readonly outputMetadata: readonly TensorInfo[];
  run(
    feeds: Readonly<Record<string, Tensor>>,
    fetches: Readonly<Record<string, Tensor | null>>,
    options: InferenceSession.RunOptions,
  ): Record<string, Tensor>;
  dispose(): void;
};

const logErrorsOnly = 3;
let loaded: Onnx | undefined;

/** Loads ONNX Runtime once per thread. */
export function loadOnnx(runtime: RuntimeFiles): Onnx {
  loaded ??= open(runtime);
  return loaded;
}

function open(runtime: RuntimeFiles): Onnx {
  // The type of the addon is not checked here; test/platform/native/runtime.test.ts fails if an update changes it.
  const binding = loadAddon(runtime.onnxAddon) as Binding;
  binding.initOrtOnce(logErrorsOnly, Tensor, isMainThread);
  disableTelemetryEvents(runtime.onnxLibrary);
  const createSession: Onnx["createSession"] = (model, options = {}) => {
    const session = new binding.InferenceSession();
    session.loadModel(model.buffer, model.byteOffset, model.byteLength, options);
    return toSession(session);
  };
  return {
    createSession,
    createDirectSession: (model, names) =>
      createDirectSession(runtime.onnxLibrary, model, names) ??
      throughAddon(createSession(model, oneThread), names),
  };
}

const oneThread: SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: "sequential",
  enableCpuMemArena: false,
};

/** Slower, see onnx-direct.ts. */
function throughAddon(session: OnnxSession, { inputs, output }: GraphNames): DirectSession {
  return {
    run(matrices, result) {
      const feeds = Object.fromEntries(matrices.map((matrix, at) => [inputs[at] ?? "", toTensor(matrix)]));
      session.runInto(feeds, { [output]: toTensor(result) });
    },
  };
}

function toTensor({ data, rows, columns }: Matrix): Tensor {
  const shape = [rows, columns];
  if (data instanceof Int32Array) return new Tensor("int32", data, shape);
  return data instanceof Int8Array ? new Tensor("int8", data, shape) : new Tensor("uint8", data, shape);
}

function toSession(session: BindingSession): OnnxSession {
  const outputs = session.outputMetadata;
  const allocate = Object.fromEntries(outputs.map(({ name }) => [name, null]));
  return {
    inputs: session.inputMetadata,
    outputs,
    run: (feeds) => session.run(feeds, allocate, {}),
    runInto: (feeds, into) => Object.values(session.run(feeds, into, {})).forEach(freeCopy),
    release: () => session.dispose(),
  };
}

/**
 * The addon also returns a copy of each output that it has written to our memory. In a thread that sees the shared memory of a large index,
 * the runtime would keep hundreds of megabytes of them before it collects garbage, so their memory is freed at once.
 */
function freeCopy({ data }: Tensor): void {
  // All data are typed arrays, except those of strings.
  if (ArrayBuffer.isView(data) && data.buffer instanceof ArrayBuffer) data.buffer.transfer(0);
}
