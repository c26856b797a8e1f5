// Owns the life of the embedder's worker thread: start, batches in their order, restart with backoff, end. Must never hold a
// batch whose worker is gone.

import type { Worker } from "node:worker_threads";
import { type Refusal, unavailable } from "../errors.ts";
import type { Logger } from "../log/logger.ts";
import type { EmbedderMessage, EmbedderReady, EmbedRequest } from "./embedder-protocol.ts";

const firstBackoffMs = 50;
const longestBackoffMs = 10_000;
const closeLimitMs = 2_000;

type Computation = Readonly<{ resolve: (rows: Float32Array) => void; reject: (error: Error) => void }>;

export class EmbedderThread {
  /** Called whenever the worker ends, whatever the cause, with the answer for those who wait. */
  onDown: (reason: Refusal) => void = () => {};
  readonly #spawn: () => Worker;
  readonly #silenceLimitMs: number;
  readonly #logger: Logger | undefined;
  #worker: Worker | undefined;
  /** In the order in which the worker was asked, which is that of its answers. */
  readonly #computations: Computation[] = [];
  #state: "starting" | "up" | "down" | "closed" = "starting";
  #backoffMs = firstBackoffMs;
  #timer: Timer | undefined;

  /** A worker that takes longer than `silenceLimitMs` for one batch is given up. */
  constructor(spawn: () => Worker, silenceLimitMs: number, logger: Logger | undefined) {
    this.#spawn = spawn;
    this.#silenceLimitMs = silenceLimitMs;
    this.#logger = logger;
  }

  /** False while the worker is being restarted. */
  get isUp(): boolean {
    return this.#state === "up";
  }

  /** Throws Refusal 1503 unless the worker is there to compute. */
  assertUp(): void {
    if (this.#state !== "up") throw this.#refusal();
  }

  /** Resolves when the model is loaded. Throws an Error that says what to do when it cannot be. */
  start(): Promise<EmbedderReady> {
    const { promise, resolve, reject } = Promise.withResolvers<EmbedderReady>();
    const worker = this.#spawn();
    this.#worker = worker;
    worker.on("message", (message: EmbedderMessage) => {
      // A late word of a worker that was given up must not answer a question put to the next one.
      if (worker !== this.#worker) return;
      if (message.kind === "unusable") reject(new Error(message.message));
      else if (message.kind === "ready") {
        this.#state = "up";
        resolve(message);
      } else this.#settle(message);
    });
    // Without this listener the worker's exception would end the process.
    worker.on("error", (error: Error) => {
      reject(error);
      this.#end(worker, error.message);
    });
    worker.on("exit", (code: number) => {
      reject(new Error(`The embedder's worker ended (${code}) while loading the model; start again.`));
      this.#end(worker, `exit ${code}`);
    });
    return promise;
  }

  /** Rows [request.length x dimensions]. Throws Refusal 1503 when the worker dies meanwhile. */
  compute(request: NonNullable<EmbedRequest>): Promise<Float32Array> {
    this.assertUp();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#computations.push({ resolve, reject });
    this.#post(request);
    if (this.#computations.length === 1) this.#watch();
    return promise;
  }

  /** Ends the worker; what it was computing is answered with Refusal 1503. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#state = "closed";
    clearTimeout(this.#timer);
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    this.#post(null);
    this.#abandon(worker);
    const late = setTimeout(() => void worker.terminate(), closeLimitMs);
    await ended;
    clearTimeout(late);
  }

  /** The worker has this long for the oldest batch. */
  #watch(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined || this.#computations.length === 0) return;
    const limitMs = this.#silenceLimitMs;
    this.#timer = setTimeout(() => this.#end(worker, `silent for ${limitMs} ms`), limitMs);
  }

  #post(request: EmbedRequest): void {
    this.#worker?.postMessage(request);
  }

  #settle(message: Exclude<EmbedderMessage, EmbedderReady | { kind: "unusable" }>): void {
    const computation = this.#computations.shift();
    this.#watch();
    if (message.kind === "failed") computation?.reject(new Error(message.message));
    else {
      this.#backoffMs = firstBackoffMs;
      computation?.resolve(message.vectors);
    }
  }

  /** Runs once per worker, on whichever of its last events comes first. */
  #end(worker: Worker, cause: string): void {
    if (worker !== this.#worker) return;
    const wasUp = this.#state === "up" || this.#state === "down";
    if (this.#state === "up") this.#state = "down";
    this.#abandon(worker);
    void worker.terminate();
    if (!wasUp) return;
    this.#logger?.error("The embedder's worker ended and is restarted", { cause, afterMs: this.#backoffMs });
    this.#timer = setTimeout(() => this.#restart(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, longestBackoffMs);
  }

  #restart(): void {
    this.start().then(
      () => this.#logger?.info("The embedder's worker is back"),
      (error: unknown) => this.#logger?.error("The embedder's worker did not start", { error }),
    );
  }

  #abandon(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    const reason = this.#refusal();
    for (const { reject } of this.#computations.splice(0)) reject(reason);
    this.onDown(reason);
  }

  #refusal(): Refusal {
    return this.#state === "closed"
      ? unavailable("The server is shutting down; repeat the call when it is back.")
      : unavailable("The embedding model is being restarted; repeat the call in a second.");
  }
}
