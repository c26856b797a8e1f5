// The embedder as the rest of the program sees it: queue, cache of queries, one computation per text. Must never tokenise or
// infer on the calling thread, and never leave a call without an answer.

import type { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { unavailable } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { RuntimeFiles } from "../native/runtime.ts";
import { spawnWorker } from "../native/worker.ts";
import type { EmbedderInit, EmbedderReady } from "./embedder-protocol.ts";
import { EmbedderThread } from "./embedder-thread.ts";
import { EmbeddingQueue, type Waiting } from "./embedding-queue.ts";
import type { EmbeddingRole, ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";

export type { EmbeddingRole, ModelIdentity } from "./model.ts";

export interface Embedder {
  readonly model: ModelIdentity;
  /** Whether several texts share one run of the model; decided when it is loaded. */
  readonly batching: boolean;
  /**
   * Float32Array [dimensions], L2-normalised, the caller's own. The same text always gets the same vector (cosine >= 0.9999).
   * Throws Refusal 1503 when the queue is full or the worker died, and Error when the model fails on this text.
   */
  embed(text: string, role: EmbeddingRole): Promise<Float32Array>;
  /** Ends the worker; calls that wait, and later ones, get Refusal 1503. */
  close(): Promise<void>;
}

export type EmbedderOptions = Readonly<{
  runtime: RuntimeFiles;
  model: ModelSource;
  /** Threads of one inference. */
  threads?: number;
  /** Texts that may wait, those being computed included. */
  queueLimit?: number;
  /** 0 switches the cache off. */
  queryCacheEntries?: number;
  /** A batch takes milliseconds: a worker silent for longer is stuck, and is replaced. */
  silenceLimitMs?: number;
  logger?: Logger;
  /** Starts the worker thread; tests use it to get hold of the worker they kill. */
  spawn?: (init: EmbedderInit) => Worker;
}>;

/** One is computed while the next one waits in the worker: this thread may be busy when the first is done. */
const batchesAtOnce = 2;
/** Longer queries are rare, and not worth the memory of the cache. */
const cachedQueryCharacters = 1_000;

/** Starts the worker and loads the model. Throws an Error that says what to do when the model cannot be used. */
export async function startEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const { runtime, model, threads = 1, queueLimit = 1_024, queryCacheEntries = 1_000 } = options;
  const { spawn = (init) => spawnWorker("embedder", init), silenceLimitMs = 60_000, logger } = options;
  const thread = new EmbedderThread(() => spawn({ runtime, model, threads }), silenceLimitMs, logger);
  const ready = await thread.start();
  return new QueuedEmbedder(thread, ready, queueLimit, queryCacheEntries);
}

class QueuedEmbedder implements Embedder {
  readonly model: ModelIdentity;
  readonly batching: boolean;
  readonly #thread: EmbedderThread;
  readonly #queue: EmbeddingQueue;
  readonly #recentQueries: LRUCache<string, Float32Array> | undefined;
  /** Texts waiting or being computed, so that the same text is never computed twice at a time. */
  readonly #pending = new Map<string, Promise<Float32Array>>();
  readonly #limit: number;
  #pumps = 0;

  constructor(thread: EmbedderThread, ready: EmbedderReady, queueLimit: number, queryCacheEntries: number) {
    this.model = ready.model;
    this.batching = ready.batching;
    this.#thread = thread;
    this.#queue = new EmbeddingQueue();
    this.#limit = queueLimit;
    this.#recentQueries = queryCacheEntries > 0 ? new LRUCache({ max: queryCacheEntries }) : undefined;
    thread.onDown = (reason) => {
      for (const waiting of this.#queue.drain()) waiting.reject(reason);
    };
  }

  /** Callers get copies: they may transfer theirs to a worker. */
  async embed(text: string, role: EmbeddingRole): Promise<Float32Array> {
    const key = `${role}:${text}`;
    const cached = role === "query" ? this.#recentQueries?.get(key) : undefined;
    const vector = cached ?? (await (this.#pending.get(key) ?? this.#enqueue(key, text, role)));
    return vector.slice();
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #enqueue(key: string, text: string, role: EmbeddingRole): Promise<Float32Array> {
    this.#thread.assertUp();
    if (this.#pending.size >= this.#limit) {
      throw unavailable(`${this.#limit} texts are waiting to be embedded; repeat the call in a second.`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#pending.set(key, promise);
    const settle = () => this.#pending.delete(key);
    promise.then((vector) => {
      if (role === "query" && text.length <= cachedQueryCharacters) this.#recentQueries?.set(key, vector);
      settle();
    }, settle);
    this.#queue.add({ text, role, resolve, reject });
    void this.#pump();
    return promise;
  }

  /** Sends batch after batch, one ahead of the one being computed, so that the thread never waits for this one. */
  async #pump(): Promise<void> {
    if (this.#pumps === batchesAtOnce) return;
    this.#pumps += 1;
    for (let batch = this.#queue.take(); batch.length > 0; batch = this.#queue.take()) {
      try {
        const rows = await this.#thread.compute(batch.map(({ text, role }) => ({ text, role })));
        for (const [row, waiting] of batch.entries()) this.#answer(waiting, rows, row);
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        for (const waiting of batch) waiting.reject(reason);
      }
    }
    this.#pumps -= 1;
  }

  #answer(waiting: Waiting, rows: Float32Array, row: number): void {
    const { dimensions } = this.model;
    const vector = rows.slice(row * dimensions, (row + 1) * dimensions);
    if (Number.isNaN(vector[0]))
      waiting.reject(new Error("The embedding model gave numbers that are not finite."));
    else waiting.resolve(vector);
  }
}
