// Owns the messages between threads. They are plain data that structured clone supports, and do not depend on the content of requests.

import type { Refusal } from "../errors.ts";

/** To a worker thread. It handles requests in the order of their numbers, one after another or several at once. */
export type ToThread =
  | { readonly number: number; readonly request: unknown }
  /** Finish and release all resources; no request follows. */
  | { readonly close: true };

/** From a worker thread. */
export type FromThread =
  /** The first message: the thread has started and reads requests. */
  | { readonly ready: unknown }
  | ThreadReply
  /** Of a thread that handles several requests at once: those that it answers at the same time. */
  | { readonly replies: readonly ThreadReply[] }
  /** The last message. */
  | { readonly closed: true };

export type ThreadReply =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly refused: RefusedRequest }
  /** An unexpected error. */
  | { readonly number: number; readonly failed: ThreadError };

/** A refusal as plain data. */
export interface RefusedRequest {
  readonly code: Refusal["code"];
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  readonly complaint: Complaint | null;
}

/** The log line about a failure; the caller receives only the refusal. */
export interface Complaint {
  /** Follows the name of the thread, such as `cannot read the database`. */
  readonly message: string;
  readonly error: string;
}

export interface ThreadError {
  readonly message: string;
  readonly stack: string | undefined;
}
