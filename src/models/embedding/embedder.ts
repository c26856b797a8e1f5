// Owns the embedder: a queue, a cache of queries, and worker threads that compute each text once. Must never run the tokenizer or the
// model on the calling thread, and never leave a call without an answer.

import { LRUCache } from "lru-cache";
import type { EmbeddingRole, EmbeddingWaiter } from "../../memory/embedding.ts";
import type { ScoreTexts } from "../../memory/search/reranker.ts";
import { embeddingQueueLimits } from "../../platform/limits.ts";
import { createLogger, type Logger } from "../../platform/log/logger.ts";
import type { RuntimeFiles } from "../../platform/native/runtime.ts";
import { cancelled, unlessCancelled } from "../../platform/scheduling/cancellation.ts";
import { type QueueLimits, serverItself } from "../../platform/scheduling/fair-queue.ts";
import { secondsBetween } from "../../platform/statistics/distribution.ts";
import { createIdleProcessors } from "../../platform/threads/idle-processors.ts";
import { createSupervisor, type Supervisor } from "../../platform/threads/supervisor.ts";
import { type Clock, createClock } from "../../platform/time/clock.ts";
import type { EmbedderReady } from "./embedder-protocol.ts";
import type { EmbedderThread } from "./embedder-thread.ts";
import { EmbedderThreads } from "./embedder-threads.ts";
import { EmbeddingQueue, type Waiting } from "./embedding-queue.ts";
import { createEmbeddingStatistics, type EmbeddingCounts } from "./embedding-statistics.ts";
import { headOf } from "./head.ts";
import { extraThreadSlowerMax } from "./limits.ts";
import { identify, type ModelIdentity } from "./model.ts";
import type { ModelSource } from "./model-directory.ts";
import { createRerankQueue, type RerankQueue } from "./rerank-queue.ts";

export type { ModelIdentity } from "./model.ts";

export interface Embedder {
  readonly model: ModelIdentity;
  /** Loads the model, unless a text has done so. @throws Error that says what to do when the model cannot be used */
  start(): Promise<EmbedderReady>;
  /**
   * Float32Array [dimensions], L2-normalised, owned by the caller. The same text always has the same vector (cosine >= 0.9999).
   * @throws Refusal 1503 when the queue is full, the thread stopped or the call was cancelled; Refusal 1429 when too many texts of the
   * project wait; Error when the model fails on this text
   */
  embed(text: string, role: EmbeddingRole, waiter?: EmbeddingWaiter): Promise<Float32Array>;
  /** The reranker that belongs to the model; null: none does. */
  readonly reranker: string | null;
  readonly scoreTexts: ScoreTexts;
  counts(): EmbeddingCounts;
  /** Stops the threads. Waiting and later calls get Refusal 1503. */
  close(): Promise<void>;
}

export type { EmbeddingCounts } from "./embedding-statistics.ts";

export type EmbedderOptions = Readonly<{
  runtime: RuntimeFiles;
  model: ModelSource;
  /** Threads of one inference. */
  threads?: number;
  /** How many texts or batches are computed at the same time, at most; see EmbedderThreads. */
  embedders?: number;
  /** Limits on waiting texts, for each role. */
  queueLimits?: QueueLimits;
  /** 0 disables the cache. */
  queryCacheEntries?: number;
  /** Starts and restarts the threads. */
  supervisor?: Supervisor;
  clock?: Clock;
  /** As createIdleProcessors. */
  idleProcessors?: () => number;
  /** As of EmbedderThreads. */
  slowerMax?: number;
  logger?: Logger;
  /** The head of the reranker; default: the built-in one that belongs to the model, if there is one. */
  head?: ModelSource | null;
}>;

/** Longer queries are not cached: they are rare and need much memory. */
const cachedQueryMaxCharacters = 1_000;

/** @throws as Embedder.start */
export async function startEmbedder(options: EmbedderOptions): Promise<Embedder> {
  const embedder = createEmbedder(options);
  try {
    await embedder.start();
    return embedder;
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

/** The thread that loads the model starts with the first text. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { runtime, model, threads = 1, embedders = 1, queryCacheEntries = 1_000 } = options;
  const { queueLimits = embeddingQueueLimits, clock = createClock() } = options;
  const { head = headOf(model) } = options;
  const { logger = createLogger("silent"), supervisor = createSupervisor({ logger, clock }) } = options;
  const queue = new EmbeddingQueue(queueLimits);
  let onMore = () => {};
  const all = new EmbedderThreads({
    supervisor,
    clock,
    logger,
    init: { runtime, model, head, threads },
    threads: embedders,
    slowerMax: options.slowerMax ?? extraThreadSlowerMax,
    idleProcessors: options.idleProcessors ?? createIdleProcessors(),
    onDown: (reason) => queue.drain(reason),
    onMore: () => onMore(),
  });
  const reranks = createRerankQueue({ send: (request) => all.rerank(request), clock, logger });
  const reranker = { id: head?.id ?? null, reranks };
  const embedder = new QueuedEmbedder(all, identify(model), queue, queryCacheEntries, reranker);
  onMore = () => embedder.send("passage");
  return embedder;
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
  readonly reranker: string | null;
  readonly scoreTexts: ScoreTexts;
  readonly #reranks: RerankQueue;
  readonly #threads: EmbedderThreads;
  readonly #queue: EmbeddingQueue;
  readonly #recentQueries: LRUCache<string, Float32Array> | undefined;
  /**
   * Calls of one project that need the same text share one computation. Calls of two projects never do: the position of one project's
   * text must not delay the other, and the response time must not reveal what the other has sent.
   */
  readonly #pending = new Map<string, Pending>();
  readonly #statistics = createEmbeddingStatistics();

  constructor(
    threads: EmbedderThreads,
    model: ModelIdentity,
    queue: EmbeddingQueue,
    queryCacheEntries: number,
    { id, reranks }: { readonly id: string | null; readonly reranks: RerankQueue },
  ) {
    this.model = model;
    this.reranker = id;
    this.scoreTexts = id === null ? async () => null : reranks.scoreTexts;
    this.#reranks = reranks;
    this.#threads = threads;
    this.#queue = queue;
    this.#recentQueries = queryCacheEntries > 0 ? new LRUCache({ max: queryCacheEntries }) : undefined;
  }

  start(): Promise<EmbedderReady> {
    return this.#threads.start();
  }

  /** Each caller receives a copy, because it may transfer the vector to a worker. */
  async embed(
    text: string,
    role: EmbeddingRole,
    waiter: EmbeddingWaiter = serverItself,
  ): Promise<Float32Array> {
    const { project, signal, sent = () => undefined } = waiter;
    if (signal.aborted) throw cancelled();
    const key = `${project}:${role}:${text}`;
    const cached = role === "query" ? this.#recentQueries?.get(key) : undefined;
    if (cached !== undefined) {
      this.#statistics.text(role, "cached", 0);
      return cached.slice();
    }
    const startedMs = performance.now();
    const shared = this.#pending.get(key);
    if (shared !== undefined) sent();
    const pending = shared ?? this.#enqueue(key, { project, text, role, sent });
    pending.callers += 1;
    const vector = await unlessCancelled(pending.vector, signal, () => this.#leave(key, pending));
    const seconds = secondsBetween(startedMs, performance.now());
    this.#statistics.text(role, shared === undefined ? "computed" : "shared", seconds);
    return vector.slice();
  }

  counts(): EmbeddingCounts {
    const [queries, passages] = [this.#queue.counts("query"), this.#queue.counts("passage")];
    return { ...this.#statistics.read(), queries, passages, reranks: this.#reranks.counts() };
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  #enqueue(key: string, wanted: Pick<Waiting, "project" | "text" | "role" | "sent">): Pending {
    this.#threads.requireUp();
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
    this.send(item.role);
    return pending;
  }

  /** Removes a text from the queue when no call waits for it any more. */
  #leave(key: string, pending: Pending): void {
    pending.callers -= 1;
    if (pending.callers > 0 || !this.#queue.remove(pending.item)) return;
    this.#pending.delete(key);
    pending.item.refuse(cancelled());
  }

  /** Sends texts of a role while a thread takes more. */
  send(role: EmbeddingRole): void {
    for (let next = this.#queue.next(role); next !== undefined; next = this.#queue.next(role)) {
      const thread = this.#threads.choose(role, next.text.length);
      if (this.#queue.take(role, thread.sent(role)) === undefined) return;
      void this.#compute(thread, next);
    }
  }

  async #compute(thread: EmbedderThread, waiting: Waiting): Promise<void> {
    this.#statistics.sent();
    waiting.sent();
    try {
      const { vector, isFirstOfRun } = await thread.compute(waiting);
      if (isFirstOfRun) this.#statistics.ran();
      if (Number.isNaN(vector[0])) waiting.fail(new Error(notFinite));
      else waiting.resolve(vector);
    } catch (error) {
      waiting.fail(error instanceof Error ? error : new Error(String(error)));
    }
    this.#statistics.answered();
    this.send(waiting.role);
  }
}

const notFinite =
  "The embedding model returned a vector that is not finite for this text. Change the text or use another model.";
