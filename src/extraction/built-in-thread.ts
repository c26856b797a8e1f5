// Owns the thread of the built-in extractor: none before the first text, one text after the other, none at the end. Must never run a
// rule itself: the thread that serves HTTP is the one that calls it.

import type { Worker } from "node:worker_threads";
import { unavailable } from "../errors.ts";
import { extractionQueueLimits } from "../limits.ts";
import type { Logger } from "../log/logger.ts";
import type { ExtractedItem, Extractor } from "../memory/extractor.ts";
import { spawnWorker } from "../native/worker.ts";
import { WorkerClient } from "../native/worker-client.ts";
import { unlessAbandoned } from "../scheduling/abandonment.ts";
import { createFairGate } from "../scheduling/fair-gate.ts";

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
 * when the caller goes away, too many texts wait, or the thread died; 1429 when too many texts of the project wait.
 */
export function createBuiltInExtractor(
  logger: Logger,
  spawn: () => Worker = () => spawnWorker("extractor", null),
): BuiltInExtractor {
  let client: WorkerClient | null = null;
  let closed = false;
  /** Texts wait here and not in the thread, so that one whose caller went away costs nothing. */
  const gate = createFairGate({ places: 1, limits: extractionQueueLimits });

  const ask = async (request: ExtractRequest): Promise<readonly ExtractedItem[]> => {
    if (closed) throw unavailable("The server is shutting down. Send the call again when it is back.");
    client ??= new WorkerClient("extractor", spawn, logger);
    // The one place that vouches for what the worker answers.
    return (await client.request(request)) as readonly ExtractedItem[];
  };
  return {
    name: "built-in",
    async extract(text, now, waiter) {
      const items = await unlessAbandoned(
        gate(waiter, () => ask({ text, now })),
        waiter.signal,
      );
      return { items, model: null, usage: null };
    },
    async close() {
      closed = true;
      await client?.close();
    },
  };
}
