// Owns one worker thread in the thread that started it: its start, requests and answers, restart after a crash, replacement when it
// hangs, and its shutdown. Must never depend on the content of requests. When a thread stops, its requests are refused with 1503.

import type { Worker } from "node:worker_threads";
import { type Refusal, shuttingDown, unavailable } from "../errors.ts";
import { createLogRepeats } from "../log/log-repeats.ts";
import type { Logger } from "../log/logger.ts";
import type { Clock } from "../time/clock.ts";
import type { ClockTimer } from "../time/clock-timers.ts";
import { createLoading } from "./loading.ts";
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
import { ThreadEnded } from "./thread-ended.ts";

/** Callbacks of the owner of a thread. */
export interface ThreadEvents {
  /** A failure that is not a defect, such as a disk that cannot be read. */
  readonly onComplaint?: (complaint: Complaint) => void;
  /** The thread has not answered for this time. Called every second until it answers or is replaced. */
  readonly onSilence?: (silentMs: number) => void;
  /** The thread has started, for the first time or again, and reads requests. */
  readonly onReady?: () => void;
  /** The thread stopped or is replaced. `reason`: the answer for calls that wait for it. */
  readonly onDown?: (reason: Refusal) => void;
}

interface ThreadOptions {
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

type State = "starting" | "running" | "restarting" | "failed" | "closed";

/** `Ready`: the type of the message that the entry file sends when it is ready. */
export class WorkerThread<Ready = unknown> {
  readonly name: SupervisedName;
  /** The first ready message of the thread. Rejects with the reason when the first start fails. */
  readonly ready: Promise<Ready>;
  readonly #options: ThreadOptions;
  readonly #first = Promise.withResolvers<Ready>();
  readonly #pending = createPendingRequests((complaint) => this.#complain(complaint));
  readonly #isToBeLogged = createLogRepeats();
  /** Workers that have not stopped yet, including replaced ones, with the promise of their exit. */
  readonly #running = new Map<Worker, Promise<void>>();
  /** The current worker; null between its exit and the next start. */
  #worker: Worker | null = null;
  readonly #loading = createLoading();
  #state: State = "starting";
  readonly #silence: SilenceWatch;
  #restart: ClockTimer | null = null;
  #restartDelayMs = restartDelayMinMs;
  #onClosed: () => void = () => undefined;

  constructor(options: ThreadOptions) {
    this.name = options.name;
    this.#options = options;
    this.ready = this.#first.promise;
    // Not every owner awaits it.
    this.ready.catch(() => undefined);
    this.#silence = createSilenceWatch({
      clock: options.clock,
      isAwaited: () => this.#pending.size > 0 || this.#isStarting,
      onSilence: (silentMs) => this.#silent(silentMs),
    });
    this.#start();
  }

  /** Whether the thread accepts requests. During its first start, requests wait for it. */
  get isUp(): boolean {
    return this.#state === "starting" || this.#state === "running";
  }

  /** @throws Refusal 1503 unless the thread accepts requests */
  requireUp(): void {
    if (!this.isUp) throw this.#unavailable();
  }

  /** True from the exit of a thread until the next one is ready. */
  get isRestarting(): boolean {
    return this.#state === "restarting";
  }

  /** How long the thread has not answered; 0 while it has no request. Time in which the main thread was busy does not count. */
  get silentMs(): number {
    return this.#pending.size > 0 ? this.#silence.silentMs : 0;
  }

  /**
   * The type of the answer is determined by the entry file of the thread; it is not checked.
   * @throws ThreadEnded when the thread stopped before it answered; Refusal 1503 when the request was not sent because the thread is
   * restarting; the Refusal of the thread; Error when the thread failed
   */
  request<Answer>(request: unknown): Promise<Answer> {
    const worker = this.#worker;
    if (worker === null || !this.isUp) return Promise.reject(this.#unavailable());
    if (this.#pending.size === 0) this.#silence.begin();
    return this.#pending.add((number) => worker.postMessage({ number, request } satisfies ToThread));
  }

  /**
   * Stops the thread: it finishes its current request and releases its resources, within the time of its policy. Waiting requests are
   * refused with 1503. For a thread that may write, it returns after the exit of the thread, however long its system call takes.
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
    const isFinished = isReachable && policy.closeMaxMs > 0 && (await this.#finish());
    await this.#loading.end(clock);
    if (this.#worker !== null) this.#end(this.#worker, isFinished);
    const ends = Promise.all(this.#running.values());
    await (policy.mayOverlap ? clock.within(terminateMaxMs, ends) : ends);
  }

  #start(): void {
    const worker = this.#options.spawn();
    this.#worker = worker;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(worker, promise);
    this.#loading.begin(worker);
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

  /** A worker was started, but is not ready yet. */
  get #isStarting(): boolean {
    return this.#worker !== null && this.#state !== "running";
  }

  #receive(message: FromThread): void {
    this.#silence.heard();
    if ("ready" in message) this.#isReady(message.ready);
    else if ("closed" in message) this.#onClosed();
    else {
      this.#restartDelayMs = restartDelayMinMs;
      for (const reply of "replies" in message ? message.replies : [message]) this.#pending.settle(reply);
    }
  }

  #isReady(ready: unknown): void {
    if (this.#state === "closed") return;
    if (this.#state === "restarting") this.#options.logger.info(`the ${this.name} thread is running again`);
    this.#state = "running";
    // The type is determined by the entry file; it is not checked.
    this.#first.resolve(ready as Ready);
    this.#options.events.onReady?.();
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

  /** Ends a worker. A worker inside a system call, or one that must not be terminated, stops when its call returns. */
  #end(worker: Worker, isFinished = false): void {
    this.#worker = null;
    if (isFinished || this.#options.policy.mayTerminate) return void worker.terminate();
    worker.unref();
    worker.postMessage({ close: true } satisfies ToThread);
  }

  #ended(cause: string): void {
    this.#worker = null;
    this.#onClosed();
    if (this.#state !== "closed") this.#down(cause);
  }

  /** The worker has stopped or is replaced. */
  #down(cause: string): void {
    const { policy, clock, logger, events } = this.#options;
    this.#silence.stop();
    const willRestart = policy.restarts === "always";
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
    // If a thread never stops, the number of replacements must be limited.
    else if (this.#running.size > 1) await Promise.race(this.#running.values());
    if (this.#state === "restarting") this.#start();
  }

  /** Tells the worker to finish, and waits until it has finished or stopped, or until the time limit. @returns false: the time limit */
  async #finish(): Promise<boolean> {
    const { policy, clock, logger } = this.#options;
    const { promise, resolve } = Promise.withResolvers<true>();
    this.#onClosed = () => resolve(true);
    this.#worker?.postMessage({ close: true } satisfies ToThread);
    if (await clock.within(policy.closeMaxMs, promise)) return true;
    logger.error(`the ${this.name} thread did not finish in time and is ended`);
    return false;
  }

  #unavailable(): Refusal {
    if (this.#state === "closed") return shuttingDown();
    return unavailable("A worker thread of the server is restarting. Send the call again.");
  }
}
