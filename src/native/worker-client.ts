// Owns the conversation with a worker thread: numbered requests, answers, restart after a crash. Must never know what is asked.
// A request never hangs: when its worker dies it is refused with 1503.

import { parentPort, type Worker } from "node:worker_threads";
import { Refusal, unavailable } from "../errors.ts";
import { createLogRepeats } from "../log/log-repeats.ts";
import type { Logger } from "../log/logger.ts";
import type { WorkerName } from "./worker.ts";

interface Question {
  readonly ticket: number;
  readonly request: unknown;
}

type Reply =
  | { readonly ticket: number; readonly value: unknown }
  | { readonly ticket: number; readonly refused: Refused }
  | { readonly ticket: number; readonly failed: string };

/** A refusal on its way between threads. */
interface Refused {
  readonly code: Refusal["code"];
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  readonly complaint: Complaint | null;
}

/** What the log has to say about a failure that the caller is only refused for. */
export interface Complaint {
  readonly message: string;
  readonly error: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const restartDelayMs = 500;

export class WorkerClient {
  readonly name: WorkerName;
  /** Told of each failure that is no defect, such as a disk that cannot be read. */
  onComplaint: (complaint: Complaint) => void = () => {};
  readonly #start: () => Worker;
  readonly #logger: Logger;
  readonly #pending = new Map<number, Pending>();
  /** Null between a crash and the restart. */
  #worker: Worker | null;
  readonly #isToBeLogged = createLogRepeats();
  #ticket = 0;
  #closed = false;

  constructor(name: WorkerName, start: () => Worker, logger: Logger) {
    this.name = name;
    this.#start = start;
    this.#logger = logger;
    this.#worker = this.#spawn();
  }

  /** False between a crash and the restart. */
  get isUp(): boolean {
    return this.#worker !== null;
  }

  /** @throws Refusal 1503 when the worker died before it answered. */
  request(request: unknown): Promise<unknown> {
    const worker = this.#worker;
    if (worker === null) return Promise.reject(restarting());
    const ticket = ++this.#ticket;
    return new Promise((resolve, reject) => {
      this.#pending.set(ticket, { resolve, reject });
      worker.postMessage({ ticket, request } satisfies Question);
    });
  }

  /** Ends the worker at once; ask it to finish first. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
    this.#refusePending();
  }

  #spawn(): Worker {
    const worker = this.#start();
    worker.on("message", (reply: Reply) => this.#settle(reply));
    worker.on("error", (error: unknown) => this.#logger.error(`the ${this.name} failed`, { error }));
    worker.on("exit", () => this.#restart());
    return worker;
  }

  #settle(reply: Reply): void {
    const pending = this.#pending.get(reply.ticket);
    if (pending === undefined) return;
    this.#pending.delete(reply.ticket);
    if ("value" in reply) pending.resolve(reply.value);
    else if ("refused" in reply) {
      const { code, message, retryAfterSeconds, complaint } = reply.refused;
      if (complaint !== null) {
        if (this.#isToBeLogged(complaint.message)) {
          this.#logger.error(`the ${this.name} ${complaint.message}`, { error: complaint.error });
        }
        this.onComplaint(complaint);
      }
      pending.reject(new Refusal(code, message, {}, retryAfterSeconds));
    } else pending.reject(new Error(reply.failed));
  }

  #restart(): void {
    this.#worker = null;
    this.#refusePending();
    if (this.#closed) return;
    this.#logger.error(`the ${this.name} stopped and is started again`);
    setTimeout(() => {
      if (!this.#closed) this.#worker = this.#spawn();
    }, restartDelayMs);
  }

  #refusePending(): void {
    for (const { reject } of this.#pending.values()) reject(restarting());
    this.#pending.clear();
  }
}

function restarting(): Refusal {
  return unavailable("The service is restarting a part of itself. Send the call again.");
}

/** A failure that is no defect: what the caller is told, and what the log says after the worker's name. */
export interface KnownFailure {
  readonly refusal: Refusal;
  readonly complaint: string;
}

export interface AnswerOptions<Answer> {
  /** What of an answer goes over to the other side instead of being copied. */
  readonly moved?: (answer: Answer) => readonly ArrayBuffer[];
  /** Null for an error that nobody expected. */
  readonly recognise?: (error: unknown) => KnownFailure | null;
}

/** The worker's side: answers requests one after another, in the order of their arrival. */
export function answerRequests<Answer>(
  handle: (request: unknown) => Promise<Answer>,
  { moved = () => [], recognise = () => null }: AnswerOptions<Answer> = {},
): void {
  const port = parentPort;
  if (port === null) throw new Error("this file runs as a worker thread only");
  let last: Promise<void> = Promise.resolve();
  port.on("message", ({ ticket, request }: Question) => {
    last = last.then(async () => {
      let parts: readonly ArrayBuffer[] = [];
      const reply = await handle(request).then(
        (value): Reply => {
          parts = moved(value);
          return { ticket, value };
        },
        (error: unknown): Reply => {
          if (error instanceof Refusal) return { ticket, refused: toRefused(error, null) };
          const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
          const known = recognise(error);
          if (known === null) return { ticket, failed: text };
          return { ticket, refused: toRefused(known.refusal, { message: known.complaint, error: text }) };
        },
      );
      port.postMessage(reply, [...parts]);
    });
  });
}

function toRefused({ code, message, retryAfterSeconds }: Refusal, complaint: Complaint | null): Refused {
  return { code, message, retryAfterSeconds, complaint };
}
