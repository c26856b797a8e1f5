// Runs the model on token ids and pools the output into unit vectors. It blocks its thread. Must never receive text.

import { type Onnx, type OnnxSession, type SessionOptions, Tensor } from "../../platform/native/onnx.ts";
import type { ModelConfig } from "./model.ts";

export type Inference = Readonly<{
  /** Embeds all texts in one run and writes L2-normalised rows [texts.length x dimensions] to `into`; NaN for a text that failed. */
  run(texts: readonly (readonly number[])[], into: Float32Array): void;
  /** The last hidden states of all texts, in one run: float32 [texts, tokens of the longest, dimensions]. @throws Error for a graph without them */
  hidden(texts: readonly (readonly number[])[]): Tensor;
  release(): void;
}>;

const knownInputs = new Set(["input_ids", "attention_mask", "token_type_ids", "position_ids"]);
/** An output that the graph has pooled: [texts, dimensions]. */
const pooledOutput = "sentence_embedding";
const hiddenOutput = "last_hidden_state";
const hiddenOutputs = [hiddenOutput, "token_embeddings"];

/** @throws Error that says what to do when the graph is not a sentence-embedding model */
export function createInference(
  onnx: Onnx,
  graph: Uint8Array,
  config: ModelConfig,
  threads: number,
): Inference {
  const session = loadGraph(onnx, graph, threads);
  const unknownInput = session.inputs.find(({ name }) => !knownInputs.has(name));
  if (unknownInput !== undefined) {
    throw new Error(
      `The model requires the unknown input "${unknownInput.name}". Choose a sentence-embedding model of the BERT family.`,
    );
  }
  const names = session.outputs.map(({ name }) => name);
  const output = [pooledOutput, ...hiddenOutputs].find((name) => names.includes(name));
  if (output === undefined) {
    throw new Error(
      `The outputs of the model are ${names.join(", ")}, but last_hidden_state or sentence_embedding is required. Export the model again.`,
    );
  }
  return {
    run: (texts, into) => runTexts(session, output, config, texts, into),
    hidden: (texts) => {
      const states = session.run(toFeeds(session, config, texts, widthOf(texts)))[hiddenOutput];
      if (states === undefined) throw new Error(`The graph of the model has no output ${hiddenOutput}.`);
      return states;
    },
    release: () => session.release(),
  };
}

/** @throws Error that says what to do when it is no ONNX graph */
export function loadGraph(onnx: Onnx, graph: Uint8Array, threads: number): OnnxSession {
  try {
    return onnx.createSession(graph, sessionOptions(threads));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The graph of the model is not an ONNX model that can be loaded. Copy the model directory again, or export the model again. ONNX Runtime reports: ${reason}`,
      { cause },
    );
  }
}

/** There is one run at a time, so more threads, or memory kept between runs, have no benefit. */
function sessionOptions(threads: number): SessionOptions {
  return {
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    enableMemPattern: false,
  };
}

function runTexts(
  session: OnnxSession,
  output: string,
  config: ModelConfig,
  texts: readonly (readonly number[])[],
  into: Float32Array,
): void {
  const width = widthOf(texts);
  const lengths = texts.map((ids) => ids.length);
  const feeds = toFeeds(session, config, texts, width);
  const result = session.run(feeds)[output];
  if (!(result?.data instanceof Float32Array)) {
    throw new Error(
      "The output of the model is not float32. Export the model with float32 outputs; int8 weights are supported.",
    );
  }
  const { dimensions } = config;
  if (result.dims.at(-1) !== dimensions) {
    throw new Error(
      `The model has ${result.dims.at(-1)} dimensions, but its config.json says ${dimensions}. Export the model again.`,
    );
  }
  for (const [row, length] of lengths.entries()) {
    const vector = into.subarray(row * dimensions, (row + 1) * dimensions);
    if (output === pooledOutput) vector.set(result.data.subarray(row * dimensions, (row + 1) * dimensions));
    else pool(result.data.subarray(row * width * dimensions), length, vector, config.pooling);
    normalise(vector);
  }
}

/** Tokens of the longest text. */
function widthOf(texts: readonly (readonly number[])[]): number {
  return Math.max(...texts.map((ids) => ids.length));
}

function toFeeds(
  session: OnnxSession,
  { firstPosition }: ModelConfig,
  texts: readonly (readonly number[])[],
  width: number,
): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {};
  for (const { name } of session.inputs) {
    const data = new BigInt64Array(texts.length * width);
    for (const [row, ids] of texts.entries()) {
      for (const [column, id] of ids.entries())
        data[row * width + column] = inputValue(name, id, column + firstPosition);
    }
    feeds[name] = new Tensor("int64", data, [texts.length, width]);
  }
  return feeds;
}

/** Padding is 0 in all inputs; the attention mask excludes it. */
function inputValue(input: string, id: number, position: number): bigint {
  if (input === "input_ids") return BigInt(id);
  if (input === "attention_mask") return 1n;
  return input === "position_ids" ? BigInt(position) : 0n;
}

/** `hidden` begins with the rows of the text's tokens [length x dimensions]. */
function pool(
  hidden: Float32Array,
  length: number,
  vector: Float32Array,
  pooling: ModelConfig["pooling"],
): void {
  const dimensions = vector.length;
  vector.set(hidden.subarray(0, dimensions));
  if (pooling === "cls") return;
  for (let token = 1; token < length; token++) {
    const start = token * dimensions;
    for (let i = 0; i < dimensions; i++) {
      const value = hidden[start + i] ?? 0;
      const previous = vector[i] ?? 0;
      vector[i] = pooling === "mean" ? previous + value : Math.max(previous, value);
    }
  }
}

/** Scales to length 1. A zero vector becomes the vector with equal components; a vector with an infinite component becomes NaN. */
function normalise(vector: Float32Array): void {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) vector.fill(Number.NaN);
  else if (sum === 0) vector.fill(1 / Math.sqrt(vector.length));
  else {
    const scale = 1 / Math.sqrt(sum);
    for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * scale;
  }
}
