// Owns the thread of the redactor and of the built-in extractor. It starts with the first text and reads one text after the other. Must
// never run a rule in the calling thread, which serves HTTP.

import type { ExtractedItem, ExtractionSource, Extractor } from "../../memory/extraction/extractor.ts";
import type { RedactedItems, RedactedSource, Redactor } from "../../memory/extraction/redactor.ts";
import { shuttingDown } from "../../platform/errors.ts";
import { extractionQueueLimits } from "../../platform/limits.ts";
import { unlessCancelled } from "../../platform/scheduling/cancellation.ts";
import { createFairGate } from "../../platform/scheduling/fair-gate.ts";
import type { QueueCounts, Waiter } from "../../platform/scheduling/fair-queue.ts";
import type { Supervisor } from "../../platform/threads/supervisor.ts";
import type { WorkerThread } from "../../platform/threads/worker-thread.ts";

export type ExtractionRequest =
  | { readonly step: "redact source"; readonly source: ExtractionSource }
  | {
      readonly step: "extract";
      readonly source: ExtractionSource;
      /** Milliseconds since 1970. */
      readonly now: number;
    }
  | { readonly step: "redact items"; readonly items: readonly ExtractedItem[] };

export interface ExtractionThread {
  readonly redactor: Redactor;
  /** Extraction by rules, without a language model, offline. */
  readonly extractor: Extractor;
  /** Of the texts that wait. */
  counts(): QueueCounts;
  /** Ends the thread; calls that wait for it are refused with 1503. */
  close(): Promise<void>;
}

/**
 * Costs nothing until the first text arrives. Redactor and extractor throw Refusal 1503 when the caller goes away, too many texts wait, or
 * the thread ended; 1429 when too many texts of the project wait.
 */
export function createExtractionThread(supervisor: Supervisor): ExtractionThread {
  let thread: WorkerThread | null = null;
  let closed = false;
  /** Texts wait here and not in the thread, so that one whose caller went away costs nothing. */
  const gate = createFairGate({ concurrency: 1, limits: extractionQueueLimits });

  const send = async <Reply>(request: ExtractionRequest): Promise<Reply> => {
    if (closed) throw shuttingDown();
    thread ??= supervisor.start("extractor", null);
    return thread.request<Reply>(request);
  };
  const ask = <Reply>(request: ExtractionRequest, waiter: Waiter): Promise<Reply> =>
    unlessCancelled(
      gate(waiter, () => send<Reply>(request)),
      waiter.signal,
    );
  return {
    redactor: {
      redactSource: (source, waiter) => ask<RedactedSource>({ step: "redact source", source }, waiter),
      redactItems: (items, waiter) => ask<RedactedItems>({ step: "redact items", items }, waiter),
    },
    extractor: {
      name: "built-in",
      async extract(source, now, waiter) {
        const items = await ask<readonly ExtractedItem[]>({ step: "extract", source, now }, waiter);
        return { items, model: null, usage: null };
      },
    },
    counts: gate.counts,
    async close() {
      closed = true;
      await thread?.close();
    },
  };
}
