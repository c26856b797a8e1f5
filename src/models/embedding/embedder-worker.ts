// The worker thread that computes the vectors of texts. Must never be imported by another module.

import { workerData } from "node:worker_threads";
import { loadOnnx } from "../../platform/native/onnx.ts";
import { answerRequests } from "../../platform/threads/answer-requests.ts";
import { yieldToOthers } from "../../platform/threads/priority.ts";
import { mayBatch } from "./batching.ts";
import type {
  EmbedAnswer,
  EmbedderInit,
  EmbedderReady,
  EmbedRequest,
  RerankAnswer,
  RerankRequest,
} from "./embedder-protocol.ts";
import { createInference } from "./inference.ts";
import { identify, readModelConfig } from "./model.ts";
import { assertUnchanged, type ModelSource, readGraph } from "./model-directory.ts";
import { createRerankJobs } from "./rerank-jobs.ts";
import { createRunQueue } from "./run-queue.ts";
import { createTokenVectorModel, type TokenVectorModel } from "./token-vectors.ts";
import { createTokenizer } from "./tokenizer.ts";

const { runtime, model, head, threads, batching: decided }: EmbedderInit = workerData;
// An additional thread also yields to the first one, which computes the queries, and to the threads of searches.
yieldToOthers(decided === null ? 1 : 3);
assertUnchanged(model);
const config = readModelConfig(model);
const tokenize = createTokenizer(model, config);
const onnx = loadOnnx(runtime);
const inference = createInference(onnx, readGraph(model), config, threads);
const batching = decided ?? mayBatch(tokenize, inference, config.dimensions);
let tokenVectors: TokenVectorModel | null = null;
const reranks = head === null ? null : createRerankJobs(() => loadTokenVectors(head), tokenize);
const queue = createRunQueue(tokenize, inference, config.dimensions, batching, reranks);

answerRequests(
  // Only embedder.ts sends requests here.
  (request) => answer(request as EmbedRequest | RerankRequest),
  {
    ready: { model: identify(model), batching } satisfies EmbedderReady,
    atOnce: true,
    moved: (given) => [("vector" in given ? given.vector : given.maxSims).buffer],
    close: () => {
      queue.close();
      tokenVectors?.release();
      inference.release();
    },
  },
);

function answer(request: EmbedRequest | RerankRequest): Promise<EmbedAnswer | RerankAnswer> {
  return "texts" in request ? queue.rerank(request) : queue.embed(request);
}

function loadTokenVectors(source: ModelSource): TokenVectorModel {
  const probe = (text: string, maxTokens: number) => tokenize(text, "passage", maxTokens);
  tokenVectors ??= createTokenVectorModel(onnx, source, inference, probe, batching);
  return tokenVectors;
}
