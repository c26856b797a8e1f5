// Computes the token vectors of texts: the hidden states of the embedding model through the head of the reranker. It blocks its thread.
// A run must never change the vectors of a text: the same text has the same bytes alone and beside any other.

import { type Onnx, Tensor } from "../../platform/native/onnx.ts";
import { probes } from "./batching.ts";
import { readHeadConfig } from "./head.ts";
import { type Inference, loadGraph } from "./inference.ts";
import { type ModelSource, readGraph } from "./model-directory.ts";

/** Without special tokens. */
export interface TokenVectors {
  readonly ids: readonly number[];
  /** Int8Array [ids.length x dimensions], owned by the caller. */
  readonly vectors: Int8Array<ArrayBuffer>;
}

export interface TokenVectorModel extends ReturnType<typeof readHeadConfig> {
  /** Whether texts share runs. */
  readonly batching: boolean;
  /** One run for all texts. @param texts token ids with one special token at each end, at most `maxTokens` */
  compute(texts: readonly (readonly number[])[]): TokenVectors[];
  release(): void;
}

const [input, output] = ["last_hidden_state", "token_vectors"];

/** @param batching whether texts may share runs of the embedding model */
export function createTokenVectorModel(
  onnx: Onnx,
  head: ModelSource,
  inference: Inference,
  tokenize: (text: string, maxTokens: number) => readonly number[],
  batching: boolean,
): TokenVectorModel {
  const config = readHeadConfig(head);
  const session = loadGraph(onnx, readGraph(head), 1);
  const { dimensions } = config;

  const compute: TokenVectorModel["compute"] = (texts) => {
    const { data, dims } = inference.hidden(texts);
    const found = session.run({ [input]: new Tensor("float32", data as Float32Array, dims) })[output]?.data;
    if (!(found instanceof Int8Array)) throw new Error(`The output ${output} of ${head.id} is not int8.`);
    const width = found.length / texts.length;
    return texts.map((ids, row) => {
      const start = row * width;
      return {
        ids: ids.slice(1, -1),
        vectors: found.slice(start + dimensions, start + Math.max(1, ids.length - 1) * dimensions),
      };
    });
  };
  const isSameInBatches = (): boolean => {
    const texts = probes.map((text) => tokenize(text, config.maxTokens));
    const together = compute(texts);
    return texts.every((ids, at) => {
      const alone = compute([ids])[0]?.vectors ?? [];
      const beside = together[at]?.vectors ?? [];
      return alone.length === beside.length && alone.every((value, index) => value === beside[index]);
    });
  };
  return {
    ...config,
    batching: batching && isSameInBatches(),
    compute,
    release: () => session.release(),
  };
}
