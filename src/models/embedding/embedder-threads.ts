// Owns the threads of the embedder. The first one starts with the first text. Others run while the first one has passages to compute nearly all the time
// and processors are idle, because each needs the memory of a model. They have the lowest priority, and end when they get no time.
// Must never give a query to another thread than the first.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import { type Refusal, shuttingDown } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Supervisor } from "../../platform/threads/supervisor.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ClockTimer } from "../../platform/time/clock-timers.ts";
import type { EmbedderInit, EmbedderReady, RerankAnswer, RerankRequest } from "./embedder-protocol.ts";
import { EmbedderThread } from "./embedder-thread.ts";
import {
  busyShareMin,
  extraThreadIdleChecks,
  extraThreadRetryMs,
  idleProcessorsMin,
  idleShareMax,
  threadsCheckEveryMs,
} from "./limits.ts";

export interface EmbedderThreadsOptions {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly init: Omit<EmbedderInit, "batching">;
  /** At most. */
  readonly threads: number;
  /** As createIdleProcessors. */
  readonly idleProcessors: () => number;
  /** An additional thread that takes this many times as long for a text as the first one ends. */
  readonly slowerMax: number;
  /** The first thread stopped or is replaced. */
  readonly onDown: (reason: Refusal) => void;
  /** Another thread is ready for texts. */
  readonly onMore: () => void;
}

/** An additional thread, and for how many checks it has had nearly no work. */
interface Extra {
  readonly thread: EmbedderThread;
  idleChecks: number;
}

export class EmbedderThreads {
  readonly #options: EmbedderThreadsOptions;
  #started: EmbedderThread | null = null;
  readonly #extras = new Set<Extra>();
  /** Those that get no more texts, and end when they have answered theirs. */
  readonly #ending = new Set<Extra>();
  /** Checks the load while there is any. */
  #timer: ClockTimer | null = null;
  #starting: Extra | null = null;
  #mayStartAtMs = 0;
  #batching = false;
  #isClosed = false;

  constructor(options: EmbedderThreadsOptions) {
    this.#options = options;
  }

  /** Starts the first thread, unless it was started. @throws Error when it cannot start */
  start(): Promise<EmbedderReady> {
    return this.#first.ready;
  }

  /** @throws Refusal 1503 unless texts are accepted */
  requireUp(): void {
    if (this.#isClosed) throw shuttingDown();
    this.#first.requireUp();
  }

  get #first(): EmbedderThread {
    this.#started ??= this.#startFirst();
    return this.#started;
  }

  #startFirst(): EmbedderThread {
    const { supervisor, clock, init, onDown } = this.#options;
    const first = { ...init, batching: null } satisfies EmbedderInit;
    const thread = new EmbedderThread(supervisor.start("embedder", first, { onDown }), clock);
    thread.ready.then(
      ({ batching }) => {
        this.#batching = batching;
      },
      () => undefined,
    );
    return thread;
  }

  /** The thread for a text of this many characters: for a passage, the one that will probably answer first. */
  choose(role: EmbeddingRole, characters: number): EmbedderThread {
    if (role === "query") return this.#first;
    this.#timer ??= this.#startChecks();
    let best = this.#first;
    for (const { thread } of this.#extras)
      if (thread.expectedMs(characters) < best.expectedMs(characters)) best = thread;
    return best;
  }

  /** The first thread has the reranker. */
  async rerank(request: RerankRequest): Promise<RerankAnswer> {
    this.requireUp();
    return this.#first.rerank(request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const extras = [...this.#extras, ...this.#ending, ...(this.#starting === null ? [] : [this.#starting])];
    this.#extras.clear();
    const threads = extras.map(({ thread }) => thread);
    if (this.#started !== null) threads.push(this.#started);
    await Promise.all(threads.map((thread) => thread.close()));
  }

  #startChecks(): ClockTimer {
    this.#first.takeBusyShare();
    this.#options.idleProcessors();
    return this.#options.clock.every(threadsCheckEveryMs, () => this.#check());
  }

  #check(): void {
    const busyShare = this.#first.takeBusyShare();
    const idleProcessors = this.#options.idleProcessors();
    for (const extra of this.#extras) {
      const isIdle = extra.thread.takeBusyShare() <= idleShareMax;
      extra.idleChecks = isIdle ? extra.idleChecks + 1 : 0;
      const isSlow = extra.thread.msPerCharacter > this.#first.msPerCharacter * this.#options.slowerMax;
      if (extra.idleChecks >= extraThreadIdleChecks || isSlow) this.#end(extra);
    }
    const { threads, clock } = this.#options;
    const mayStart = this.#starting === null && this.#extras.size + this.#ending.size + 1 < threads;
    const isUseful = busyShare >= busyShareMin && idleProcessors >= idleProcessorsMin;
    if (isUseful && mayStart && clock.elapsed() >= this.#mayStartAtMs) this.#startExtra();
    if (busyShare > 0 || this.#extras.size > 0 || this.#starting !== null) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #startExtra(): void {
    const { supervisor, clock, init } = this.#options;
    const started = supervisor.start<EmbedderReady>(
      "extraEmbedder",
      { ...init, head: null, batching: this.#batching } satisfies EmbedderInit,
      { onDown: () => this.#lost(extra) },
    );
    const extra: Extra = { thread: new EmbedderThread(started, clock), idleChecks: 0 };
    this.#starting = extra;
    started.ready.then(
      () => this.#isReady(extra),
      (error: unknown) => this.#failed(extra, error),
    );
  }

  #isReady(extra: Extra): void {
    this.#starting = null;
    if (this.#isClosed) return;
    this.#extras.add(extra);
    this.#options.onMore();
  }

  /** It had nothing to do, or other threads and programs left it no time. */
  #end(extra: Extra): void {
    this.#extras.delete(extra);
    this.#ending.add(extra);
    void extra.thread.whenIdle().then(async () => {
      await extra.thread.close();
      this.#ending.delete(extra);
    });
  }

  /** It stopped or is replaced. Its texts were refused. */
  #lost(extra: Extra): void {
    if (this.#extras.delete(extra)) this.#failed(extra, "It ended.");
  }

  /** The first thread computes all texts then. */
  #failed(extra: Extra, error: unknown): void {
    if (this.#starting === extra) this.#starting = null;
    if (this.#isClosed) return;
    const { clock, logger } = this.#options;
    this.#mayStartAtMs = clock.elapsed() + extraThreadRetryMs;
    logger.warn("an additional thread of the embedder has failed", { error });
    void extra.thread.close();
  }
}
