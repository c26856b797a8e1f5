// The worker thread that turns texts into vectors, one batch per message. Must never be imported by another module.

import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { loadOnnx } from "../native/onnx.ts";
import { yieldToOthers } from "../native/priority.ts";
import { embedAlone, embedInBuckets, mayBatch } from "./batching.ts";
import type { EmbedderInit, EmbedderMessage, EmbedRequest } from "./embedder-protocol.ts";
import { createInference } from "./inference.ts";
import { identify, readModelConfig } from "./model.ts";
import { assertUnchanged } from "./model-directory.ts";
import { createTokenizer } from "./tokenizer.ts";

// The one place that vouches for what spawnWorker was given.
start(workerData as EmbedderInit);

function start({ runtime, model, threads }: EmbedderInit): void {
  try {
    yieldToOthers();
    serve(load({ runtime, model, threads }));
  } catch (error) {
    post({ kind: "unusable", message: messageOf(error) });
    parentPort?.close();
  }
}

function load({ runtime, model, threads }: EmbedderInit) {
  assertUnchanged(model);
  const config = readModelConfig(model);
  const tokenize = createTokenizer(model, config);
  const inference = createInference(loadOnnx(runtime), readGraph(model), config, threads);
  const batching = mayBatch(tokenize, inference, config.dimensions);
  return {
    identity: identify(model),
    tokenize,
    inference,
    batching,
  };
}

function serve({ identity, tokenize, inference, batching }: ReturnType<typeof load>): void {
  parentPort?.on("message", (request: EmbedRequest) => {
    if (request === null) {
      inference.release();
      parentPort?.close();
      return;
    }
    try {
      const texts = request.map(({ text, role }) => tokenize(text, role));
      const vectors = (batching ? embedInBuckets : embedAlone)(inference, texts, identity.dimensions);
      post({ kind: "vectors", vectors }, [vectors.buffer]);
    } catch (error) {
      post({ kind: "failed", message: messageOf(error) });
    }
  });
  post({ kind: "ready", model: identity, batching });
}

function readGraph(model: EmbedderInit["model"]): Uint8Array {
  const graph = Object.entries(model.files).find(([name]) => name.endsWith(".onnx"));
  if (graph === undefined) throw new Error("The model has no ONNX graph; copy the model directory again.");
  return readFileSync(graph[1]);
}

function post(message: EmbedderMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
