// The worker thread that computes the vectors of texts. Must never be imported by another module.

import { readFileSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { loadOnnx } from "../native/onnx.ts";
import { answerRequests } from "../threads/answer-requests.ts";
import { yieldToOthers } from "../threads/priority.ts";
import { mayBatch } from "./batching.ts";
import type { EmbedAnswer, EmbedderInit, EmbedderReady, EmbedRequest } from "./embedder-protocol.ts";
import { createInference } from "./inference.ts";
import { identify, readModelConfig } from "./model.ts";
import { assertUnchanged } from "./model-directory.ts";
import { createRunQueue } from "./run-queue.ts";
import { createTokenizer } from "./tokenizer.ts";

const { runtime, model, threads, batching: decided }: EmbedderInit = workerData;
// An additional thread also yields to the first one, which computes the queries, and to the threads of searches.
yieldToOthers(decided === null ? 1 : 3);
assertUnchanged(model);
const config = readModelConfig(model);
const tokenize = createTokenizer(model, config);
const inference = createInference(loadOnnx(runtime), readGraph(model), config, threads);
const batching = decided ?? mayBatch(tokenize, inference, config.dimensions);
const queue = createRunQueue(tokenize, inference, config.dimensions, batching);

answerRequests(
  // Only embedder.ts sends requests here.
  (request) => queue.embed(request as EmbedRequest),
  {
    ready: { model: identify(model), batching } satisfies EmbedderReady,
    atOnce: true,
    moved: ({ vector }: EmbedAnswer) => [vector.buffer],
    close: () => {
      queue.close();
      inference.release();
    },
  },
);

function readGraph({ files }: EmbedderInit["model"]): Uint8Array {
  const graph = Object.entries(files).find(([name]) => name.endsWith(".onnx"));
  if (graph === undefined) throw new Error("The model has no ONNX graph. Copy the model directory again.");
  return readFileSync(graph[1]);
}
