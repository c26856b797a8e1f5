// Owns the thread of the built-in extractor: none before the first text, one text after the other, none at the end. Must never run a
// rule itself: the thread that serves HTTP is the one that calls it.

import type { Worker } from "node:worker_threads";
import { unavailable } from "../errors.ts";
import { extractionsWaitingMax } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { type ExtractedItem, type Extractor, givenUp } from "../memory/extraction.ts";
import { spawnWorker } from "../native/worker.ts";
import { WorkerClient } from "../native/worker-client.ts";
import { createGate } from "./gate.ts";

export interface ExtractRequest {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface BuiltInExtractor extends Extractor {
  /** Ends the thread; calls that wait for it are refused with 1503. */
  close(): Promise<void>;
}

/**
 * Extraction by rules, without a language model, offline. Costs nothing until the first text arrives. `extract` throws Refusal 1503
 * when the caller goes away, too many texts wait, or the thread died.
 */
export function createBuiltInExtractor(
  logger: Logger,
  spawn: () => Worker = () => spawnWorker("extractor", null),
): BuiltInExtractor {
  let client: WorkerClient | null = null;
  let closed = false;
  let waiting = 0;
  /** Texts wait here and not in the thread, so that one whose caller went away costs nothing. */
  const gate = createGate(1);

  const ask = async (request: ExtractRequest): Promise<readonly ExtractedItem[]> => {
    if (closed) throw unavailable("The server is shutting down. Send the call again when it is back.");
    client ??= new WorkerClient("extractor", spawn, logger);
    // The one place that vouches for what the worker answers.
    return (await client.request(request)) as readonly ExtractedItem[];
  };
  return {
    name: "built-in",
    async extract(text, now, signal) {
      if (waiting >= extractionsWaitingMax)
        throw unavailable("Too many texts wait for extraction. Send the call again in a few seconds.", 5);
      waiting += 1;
      const answer = gate(signal, () => ask({ text, now })).finally(() => {
        waiting -= 1;
      });
      const items = await unlessAborted(answer, signal);
      return { items, model: null, usage: null };
    },
    async close() {
      closed = true;
      await client?.close();
    },
  };
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(givenUp());
  }
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const leave = () => reject(givenUp());
  signal.addEventListener("abort", leave, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  return promise;
}
