// Owns which embedder computes the vectors of calls, and its replacement by that of another model while calls run. Must never return a
// vector without the model that computed it.

import type { Embedding, EmbeddingRole } from "../../memory/embedding.ts";
import type { ScoreTexts } from "../../memory/search/reranker.ts";
import { unlessCancelled } from "../../platform/scheduling/cancellation.ts";
import type { Waiter } from "../../platform/scheduling/fair-queue.ts";
import type { Embedder } from "./embedder.ts";

/** Which texts wait: contents of memories only, or queries, too. */
type Paused = "passages" | "all";

export interface ReplaceableEmbedder extends Pick<Embedder, "counts"> {
  readonly current: Embedder;
  /** As Embedder.embed. A text that waited for the previous embedder is embedded by the new one. */
  embed(text: string, role: EmbeddingRole, waiter: Waiter): Promise<Embedding>;
  /** As Embedder.scoreTexts. */
  readonly scoreTexts: ScoreTexts;
  /** Lets later texts wait until `resume`. Texts that are being embedded are finished. */
  pause(texts: Paused): void;
  resume(): void;
  /** Closes the previous embedder, which releases its memory. */
  replace(next: Embedder): Promise<void>;
  /** Resolves when no call waits for a text, and after this time in any case. */
  whenIdle(atMostMs: number): Promise<void>;
  close(): Promise<void>;
}

/** @param sleep resolves after a time; the clock of the server */
export function createReplaceableEmbedder(
  first: Embedder,
  sleep: (ms: number) => Promise<void>,
): ReplaceableEmbedder {
  let current = first;
  let paused: { readonly texts: Paused; readonly ended: PromiseWithResolvers<void> } | null = null;
  let running = 0;
  let idle = Promise.withResolvers<void>();

  const resume = (): void => {
    paused?.ended.resolve();
    paused = null;
  };

  const embed: ReplaceableEmbedder["embed"] = async (text, role, waiter) => {
    for (;;) {
      while (paused !== null && (paused.texts === "all" || role === "passage")) {
        await unlessCancelled(paused.ended.promise, waiter.signal, () => {});
      }
      const embedder = current;
      try {
        const vector = await embedder.embed(text, role, waiter);
        return { vector, model: embedder.model.sha256 };
      } catch (error) {
        // The embedder was closed because another one replaced it.
        if (embedder === current || waiter.signal.aborted) throw error;
      }
    }
  };

  return {
    get current() {
      return current;
    },
    async embed(text, role, waiter) {
      running += 1;
      try {
        return await embed(text, role, waiter);
      } finally {
        running -= 1;
        if (running === 0) {
          idle.resolve();
          idle = Promise.withResolvers();
        }
      }
    },
    counts: () => current.counts(),
    scoreTexts: (...wanted) => current.scoreTexts(...wanted),
    pause(texts) {
      // Waiting texts find out whether they still have to wait: queries need not, if only passages are paused now.
      paused?.ended.resolve();
      paused = { texts, ended: Promise.withResolvers() };
    },
    resume,
    async replace(next) {
      const previous = current;
      current = next;
      await previous.close();
    },
    async whenIdle(atMostMs) {
      if (running > 0) await Promise.race([idle.promise, sleep(atMostMs)]);
    },
    async close() {
      resume();
      await current.close();
    },
  };
}
