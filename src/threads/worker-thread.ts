// Owns one worker thread as the thread that started it sees it: its start, requests and their answers, restart after a crash, replacement
// when it hangs, and its end. Must never know what is asked. A request never waits for ever: when its thread ends it is refused with 1503.

import type { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import type { ClockTimer } from "../clock-timers.ts";
import { Refusal, unavailable } from "../errors.ts";
import { createLogRepeats } from "../log/log-repeats.ts";
import type { Logger } from "../log/logger.ts";
import { createPendingRequests } from "./pending-requests.ts";
import {
  restartDelayMaxMs,
  restartDelayMinMs,
  type SupervisedName,
  type ThreadPolicy,
  terminateMaxMs,
  threadStartMaxMs,
} from "./policies.ts";
import type { Complaint, FromThread, ToThread } from "./protocol.ts";
import { createSilenceWatch, type SilenceWatch } from "./silence-watch.ts";

/** What the owner of a thread is told. */
export interface ThreadEvents {
  /** A failure that is no defect, such as a disk that cannot be read. */
  readonly onComplaint?: (complaint: Complaint) => void;
  /** The thread has not answered for this long; called every second until it does or is replaced. */
  readonly onSilence?: (silentMs: number) => void;
  /** The thread ended or is replaced. `reason`: the answer for what waits in front of it. */
  readonly onDown?: (reason: Refusal) => void;
}

export interface ThreadOptions {
  readonly name: SupervisedName;
  readonly policy: ThreadPolicy;
  /** Starts a worker; called again for each restart. */
  readonly spawn: () => Worker;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: ThreadEvents;
  /** Called when the thread is closed. */
  readonly onClose?: () => void;
}

/** The thread was asked and ended before it answered. Whether it did what it was asked to do is unknown. */
export class ThreadEnded extends Refusal {
  constructor() {
    super(1503, "A worker thread of the server ended before it answered. Send the call again.", {}, 1);
  }
}

type State = "starting" | "running" | "restarting" | "failed" | "closed";

/** `Ready`: what the thread's entry file says when it is ready. */
export class WorkerThread<Ready = unknown> {
  readonly name: SupervisedName;
  /** What the thread said when it was ready for the first time. Rejects with the reason when its first start fails. */
  readonly ready: Promise<Ready>;
  readonly #options: ThreadOptions;
  readonly #first = Promise.withResolvers<Ready>();
  readonly #pending = createPendingRequests((complaint) => this.#complain(complaint));
  readonly #isToBeLogged = createLogRepeats();
  /** Workers that have not ended yet, the replaced ones too, with the promise of their end. */
  readonly #running = new Map<Worker, Promise<void>>();
  /** The one that is asked; null between its end and the next start. */
  #worker: Worker | null = null;
  #state: State = "starting";
  readonly #silence: SilenceWatch;
  #restart: ClockTimer | null = null;
  #restartDelayMs = restartDelayMinMs;
  #onClosed: () => void = () => undefined;

  constructor(options: ThreadOptions) {
    this.name = options.name;
    this.#options = options;
    this.ready = this.#first.promise;
    // Not everyone waits for it.
    this.ready.catch(() => undefined);
    this.#silence = createSilenceWatch({
      clock: options.clock,
      isAwaited: () => this.#pending.size > 0 || this.#isStarting,
      onSilence: (silentMs) => this.#silent(silentMs),
    });
    this.#start();
  }

  /** Whether the thread takes requests. During its first start they wait for it. */
  get isUp(): boolean {
    return this.#state === "starting" || this.#state === "running";
  }

  /** @throws Refusal 1503 unless the thread takes requests. */
  requireUp(): void {
    if (!this.isUp) throw this.#unavailable();
  }

  /** From the end of a thread until the next one is ready. */
  get isRestarting(): boolean {
    return this.#state === "restarting";
  }

  /** How long the thread has not answered; 0 while nothing is asked of it. A busy main thread does not add to it. */
  get silentMs(): number {
    return this.#pending.size > 0 ? this.#silence.silentMs : 0;
  }

  /**
   * The thread's entry file says what it answers; nobody checks it.
   * @throws ThreadEnded when the thread ended before it answered, Refusal 1503 when it was not asked because it is being restarted,
   * what the thread refused, and Error when it failed.
   */
  request<Answer>(request: unknown): Promise<Answer> {
    const worker = this.#worker;
    if (worker === null || !this.isUp) return Promise.reject(this.#unavailable());
    if (this.#pending.size === 0) this.#silence.begin();
    return this.#pending.add((number) => worker.postMessage({ number, request } satisfies ToThread));
  }

  /**
   * Ends the thread: it finishes what it is doing and releases what it holds, for as long as its policy allows. Requests that wait are
   * refused with 1503. Returns after the end of a thread that may write, however long its system call takes.
   */
  async close(): Promise<void> {
    const { policy, clock, events, onClose } = this.#options;
    const isReachable = this.isUp && this.#worker !== null;
    this.#state = "closed";
    this.#silence.stop();
    this.#restart?.cancel();
    const reason = this.#unavailable();
    this.#first.reject(reason);
    this.#pending.refuse(reason);
    events.onDown?.(reason);
    onClose?.();
    if (isReachable && policy.closeMaxMs > 0) await this.#finish();
    if (this.#worker !== null) this.#end(this.#worker);
    const ends = Promise.all(this.#running.values());
    await (policy.mayOverlap ? clock.within(terminateMaxMs, ends) : ends);
  }

  #start(): void {
    const worker = this.#options.spawn();
    this.#worker = worker;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(worker, promise);
    let cause: string | null = null;
    worker.on("message", (message: FromThread) => {
      // Messages from a replaced worker are ignored: its requests have been refused.
      if (worker === this.#worker) this.#receive(message);
    });
    // Without this listener an exception in the worker would end the process.
    worker.on("error", (error: unknown) => {
      cause = error instanceof Error ? error.message : String(error);
      if (worker !== this.#worker) return;
      if (this.#state === "starting" && this.#options.policy.restarts !== "always") return;
      this.#options.logger.error(`the ${this.name} thread failed`, { error });
    });
    worker.on("exit", (code: number) => {
      this.#running.delete(worker);
      resolve();
      if (worker === this.#worker) this.#ended(cause ?? `exit ${code}`);
    });
    this.#silence.begin();
  }

  /** A worker was started and has not said yet that it is ready. */
  get #isStarting(): boolean {
    return this.#worker !== null && this.#state !== "running";
  }

  #receive(message: FromThread): void {
    this.#silence.heard();
    if ("ready" in message) this.#isReady(message.ready);
    else if ("closed" in message) this.#onClosed();
    else {
      this.#restartDelayMs = restartDelayMinMs;
      this.#pending.settle(message);
    }
  }

  #isReady(ready: unknown): void {
    if (this.#state === "restarting") {
      this.#options.logger.info(`the ${this.name} thread is running again`);
    }
    if (this.#state !== "closed") this.#state = "running";
    // The entry file says what it is; nobody checks it.
    this.#first.resolve(ready as Ready);
  }

  #complain(complaint: Complaint): void {
    if (this.#isToBeLogged(complaint.message)) {
      this.#options.logger.error(`the ${this.name} thread ${complaint.message}`, { error: complaint.error });
    }
    this.#options.events.onComplaint?.(complaint);
  }

  #silent(silentMs: number): void {
    const { policy, events } = this.#options;
    const worker = this.#worker;
    if (worker !== null && silentMs >= (this.#isStarting ? threadStartMaxMs : policy.silenceMaxMs)) {
      this.#end(worker);
      this.#down(`no answer for ${silentMs / 1_000} s`);
    } else events.onSilence?.(silentMs);
  }

  /** Ends a worker from outside. One that is inside a system call ends when the call returns. */
  #end(worker: Worker): void {
    this.#worker = null;
    void worker.terminate();
  }

  #ended(cause: string): void {
    this.#worker = null;
    this.#onClosed();
    if (this.#state !== "closed") this.#down(cause);
  }

  /** The worker is gone or given up. */
  #down(cause: string): void {
    const { policy, clock, logger, events } = this.#options;
    const wasReady = this.#state !== "starting";
    this.#silence.stop();
    const willRestart = policy.restarts === "always" || (policy.restarts === "onceReady" && wasReady);
    this.#state = willRestart ? "restarting" : "failed";
    this.#first.reject(new Error(cause));
    this.#pending.refuse(new ThreadEnded());
    events.onDown?.(this.#unavailable());
    if (!willRestart) return;
    const delayMs = this.#restartDelayMs;
    this.#restartDelayMs = Math.min(delayMs * 2, restartDelayMaxMs);
    logger.error(`the ${this.name} thread ended and is restarted`, { cause, after_ms: delayMs });
    this.#restart = clock.after(delayMs, () => void this.#startNext());
  }

  async #startNext(): Promise<void> {
    if (!this.#options.policy.mayOverlap) await Promise.all(this.#running.values());
    // A thread that never ends must not be followed by any number of others.
    else if (this.#running.size > 1) await Promise.race(this.#running.values());
    if (this.#state === "restarting") this.#start();
  }

  /** Asks the worker to finish, and waits until it has, or has ended, or its time is over. */
  async #finish(): Promise<void> {
    const { policy, clock, logger } = this.#options;
    const { promise, resolve } = Promise.withResolvers<true>();
    this.#onClosed = () => resolve(true);
    this.#worker?.postMessage({ close: true } satisfies ToThread);
    const isFinished = await clock.within(policy.closeMaxMs, promise);
    if (!isFinished) logger.error(`the ${this.name} thread did not finish in time and is ended`);
  }

  #unavailable(): Refusal {
    if (this.#state === "closed") {
      return unavailable("The server is shutting down. Send the call again when it is back.");
    }
    return unavailable("A worker thread of the server is restarting. Send the call again.");
  }
}
