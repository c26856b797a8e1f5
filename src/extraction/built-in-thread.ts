// Owns the thread of the built-in extractor. It starts with the first text and extracts one text after the other. Must never run a rule
// in the calling thread, which serves HTTP.

import { unavailable } from "../errors.ts";
import { extractionQueueLimits } from "../limits.ts";
import type { ExtractedItem, ExtractionSource, Extractor } from "../memory/extractor.ts";
import { unlessCancelled } from "../scheduling/cancellation.ts";
import { createFairGate } from "../scheduling/fair-gate.ts";
import type { Supervisor } from "../threads/supervisor.ts";
import type { WorkerThread } from "../threads/worker-thread.ts";

export interface ExtractRequest {
  readonly source: ExtractionSource;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface BuiltInExtractor extends Extractor {
  /** Ends the thread; calls that wait for it are refused with 1503. */
  close(): Promise<void>;
}

/**
 * Extraction by rules, without a language model, offline. Costs nothing until the first text arrives. `extract` throws Refusal 1503
 * when the caller goes away, too many texts wait, or the thread ended; 1429 when too many texts of the project wait.
 */
export function createBuiltInExtractor(supervisor: Supervisor): BuiltInExtractor {
  let thread: WorkerThread | null = null;
  let closed = false;
  /** Texts wait here and not in the thread, so that one whose caller went away costs nothing. */
  const gate = createFairGate({ concurrency: 1, limits: extractionQueueLimits });

  const ask = async (request: ExtractRequest): Promise<readonly ExtractedItem[]> => {
    if (closed)
      throw unavailable("The server is shutting down. Send the call again when it has started again.");
    thread ??= supervisor.start("extractor", null);
    return thread.request<readonly ExtractedItem[]>(request);
  };
  return {
    name: "built-in",
    async extract(source, now, waiter) {
      const items = await unlessCancelled(
        gate(waiter, () => ask({ source, now })),
        waiter.signal,
      );
      return { items, model: null, usage: null };
    },
    async close() {
      closed = true;
      await thread?.close();
    },
  };
}
