// Owns the embedder: a queue, a cache of queries, and a worker thread that computes each text once. Must never run the tokenizer or the
// model on the calling thread, and never leave a call without an answer.

import { LRUCache } from "lru-cache";
import { embeddingQueueLimits } from "../limits.ts";
import { createLogger } from "../log/logger.ts";
import type { EmbeddingRole } from "../memory/embedding.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import { cancelled, unlessCancelled } from "../scheduling/cancellation.ts";
import { type QueueLimits, serverItself, type Waiter } from "../scheduling/fair-queue.ts";
import { secondsBetween } from "../statistics/distribution.ts";
import { createSupervisor, type Supervisor } from "../threads/supervisor.ts";
import type { WorkerThread } from "../threads/worker-thread.ts";
import type { EmbedderInit, EmbedderReady, EmbedRequest } from "./embedder-protocol.ts";
import { EmbeddingQueue, type Waiting } from "./embedding-queue.ts";
import { createEmbeddingStatistics, type EmbeddingCounts } from "./embedding-statistics.ts";
import type { ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type { ModelIdentity } from "./model.ts";

export interface Embedder {
  readonly model: ModelIdentity;
  /** Whether several texts are embedded in one run of the model; decided when it is loaded. */
  readonly batching: boolean;
  /**
   * Float32Array [dimensions], L2-normalised, owned by the caller. The same text always has the same vector (cosine >= 0.9999).
   * @throws Refusal 1503 when the queue is full, the thread stopped or the call was cancelled; Refusal 1429 when too many texts of the
   * project wait; Error when the model fails on this text
   */
  embed(text: string, role: EmbeddingRole, waiter?: Waiter): Promise<Float32Array>;
  counts(): EmbeddingCounts;
  /** Stops the thread. Waiting and later calls get Refusal 1503. */
  close(): Promise<void>;
}

export type { EmbeddingCounts } from "./embedding-statistics.ts";

export type EmbedderOptions = Readonly<{
  runtime: RuntimeFiles;
  model: ModelSource;
  /** Threads of one inference. */
  threads?: number;
  /** Limits on waiting texts, for each role. */
  queueLimits?: QueueLimits;
  /** 0 disables the cache. */
  queryCacheEntries?: number;
  /** Starts and restarts the thread. */
  supervisor?: Supervisor;
}>;

/** The second batch is sent ahead, so that the worker does not wait for this thread after the first one. */
const batchesAtOnce = 2;
/** Longer queries are not cached: they are rare and need much memory. */
const cachedQueryMaxCharacters = 1_000;

/** Starts the thread, which loads the model. @throws Error that says what to do when the model cannot be used */
export async function startEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const { runtime, model, threads = 1, queryCacheEntries = 1_000 } = options;
  const { queueLimits = embeddingQueueLimits } = options;
  const { supervisor = createSupervisor({ logger: createLogger("silent") }) } = options;
  const queue = new EmbeddingQueue(queueLimits);
  const init: EmbedderInit = { runtime, model, threads };
  const thread = supervisor.start<EmbedderReady>("embedder", init, {
    onDown: (reason) => queue.drain(reason),
  });
  try {
    return new QueuedEmbedder(thread, await thread.ready, queue, queryCacheEntries);
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** A text that is waiting or being computed. */
interface Pending {
  readonly vector: Promise<Float32Array>;
  readonly item: Waiting;
  /** Number of calls that wait for it. */
  callers: number;
}

class QueuedEmbedder implements Embedder {
  readonly model: ModelIdentity;
  readonly batching: boolean;
  readonly #thread: WorkerThread<EmbedderReady>;
  readonly #queue: EmbeddingQueue;
  readonly #recentQueries: LRUCache<string, Float32Array> | undefined;
  /**
   * Calls of one project that need the same text share one computation. Calls of two projects never do: the position of one project's
   * text must not delay the other, and the response time must not reveal what the other has sent.
   */
  readonly #pending = new Map<string, Pending>();
  /** Batches that were sent and are not answered, and the characters of their texts. */
  #batches = 0;
  readonly #statistics = createEmbeddingStatistics();
  #characters = 0;

  constructor(
    thread: WorkerThread<EmbedderReady>,
    ready: EmbedderReady,
    queue: EmbeddingQueue,
    queryCacheEntries: number,
  ) {
    this.model = ready.model;
    this.batching = ready.batching;
    this.#thread = thread;
    this.#queue = queue;
    this.#recentQueries = queryCacheEntries > 0 ? new LRUCache({ max: queryCacheEntries }) : undefined;
  }

  /** Each caller receives a copy, because it may transfer the vector to a worker. */
  async embed(text: string, role: EmbeddingRole, waiter: Waiter = serverItself): Promise<Float32Array> {
    const { project, signal } = waiter;
    if (signal.aborted) throw cancelled();
    const key = `${project}:${role}:${text}`;
    const cached = role === "query" ? this.#recentQueries?.get(key) : undefined;
    if (cached !== undefined) {
      this.#statistics.text(role, "cached", 0);
      return cached.slice();
    }
    const startedMs = performance.now();
    const shared = this.#pending.get(key);
    const pending = shared ?? this.#enqueue(key, { project, text, role });
    pending.callers += 1;
    const vector = await unlessCancelled(pending.vector, signal, () => this.#leave(key, pending));
    const seconds = secondsBetween(startedMs, performance.now());
    this.#statistics.text(role, shared === undefined ? "computed" : "shared", seconds);
    return vector.slice();
  }

  counts(): EmbeddingCounts {
    const [queries, passages] = [this.#queue.counts("query"), this.#queue.counts("passage")];
    return { ...this.#statistics.read(), queries, passages };
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #enqueue(key: string, wanted: Pick<Waiting, "project" | "text" | "role">): Pending {
    this.#thread.requireUp();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const item: Waiting = { ...wanted, resolve, fail: reject, refuse: reject };
    this.#queue.add(item);
    const pending: Pending = { vector: promise, item, callers: 0 };
    this.#pending.set(key, pending);
    const settle = () => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    };
    promise.then((vector) => {
      const isCached = item.role === "query" && item.text.length <= cachedQueryMaxCharacters;
      if (isCached) this.#recentQueries?.set(key, vector);
      settle();
    }, settle);
    this.#pump();
    return pending;
  }

  /** Removes a text from the queue when no call waits for it any more. */
  #leave(key: string, pending: Pending): void {
    pending.callers -= 1;
    if (pending.callers > 0 || !this.#queue.remove(pending.item)) return;
    this.#pending.delete(key);
    pending.item.refuse(cancelled());
  }

  /** Sends batches until `batchesAtOnce` are not answered. */
  #pump(): void {
    while (this.#batches < batchesAtOnce) {
      const batch = this.#queue.take(this.#characters);
      if (batch.length === 0) return;
      void this.#compute(batch);
    }
  }

  async #compute(batch: readonly Waiting[]): Promise<void> {
    // At least 1, because an empty text has tokens as well.
    const characters = batch.reduce((sum, { text }) => sum + text.length, 1);
    this.#batches += 1;
    this.#statistics.sent();
    this.#characters += characters;
    try {
      const request: EmbedRequest = batch.map(({ text, role }) => ({ text, role }));
      const rows = await this.#thread.request<Float32Array>(request);
      for (const [row, waiting] of batch.entries()) this.#answer(waiting, rows, row);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      for (const waiting of batch) waiting.fail(reason);
    }
    this.#batches -= 1;
    this.#statistics.answered();
    this.#characters -= characters;
    this.#pump();
  }

  #answer(waiting: Waiting, rows: Float32Array, row: number): void {
    const { dimensions } = this.model;
    const vector = rows.slice(row * dimensions, (row + 1) * dimensions);
    if (Number.isNaN(vector[0]))
      waiting.fail(
        new Error(
          "The embedding model returned a vector that is not finite for this text. Change the text or use another model.",
        ),
      );
    else waiting.resolve(vector);
  }
}
