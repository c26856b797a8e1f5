// Owns the worker's side of the protocol: reports that the thread is ready, answers requests, and stops when it is told to.
// Must never depend on the content of requests.

import { parentPort } from "node:worker_threads";
import { Refusal } from "../errors.ts";
import type {
  Complaint,
  FromThread,
  RefusedRequest,
  ThreadError,
  ThreadReply,
  ToThread,
} from "./protocol.ts";

/** A failure that is not a defect: the answer to the caller, and the text that the log has after the name of the thread. */
interface KnownFailure {
  readonly refusal: Refusal;
  readonly complaint: string;
}

export interface AnswerOptions<Answer> {
  /** Sent to the main thread when this thread is ready. */
  readonly ready?: unknown;
  /** Requests are handled when they arrive, several at once, and may be answered together; otherwise one after another. */
  readonly atOnce?: boolean;
  /** Buffers of an answer that are transferred instead of copied. */
  readonly moved?: (answer: Answer) => readonly ArrayBuffer[];
  /** Null for an unexpected error. */
  readonly recognise?: (error: unknown) => KnownFailure | null;
  /** Runs once, after the current request, or at once if several are handled. Other requests are not answered any more. */
  readonly close?: () => void | Promise<void>;
}

/**
 * Called once, when everything that requests need is loaded. An error that the entry file throws before this call is reported to the
 * main thread as the reason why the thread does not start.
 */
export function answerRequests<Answer>(
  handle: (request: unknown) => Answer | Promise<Answer>,
  {
    ready = null,
    atOnce = false,
    moved,
    recognise = () => null,
    close = () => undefined,
  }: AnswerOptions<Answer> = {},
): void {
  const port = parentPort;
  if (port === null) throw new Error("this file runs as a worker thread only");
  const post = (message: FromThread) => port.postMessage(message);
  let last: Promise<void> = Promise.resolve();
  let isClosing = false;
  /** Answers of several requests that end in the same turn are one message, because each message wakes the main thread. */
  let replies: ThreadReply[] = [];
  let moving: ArrayBuffer[] = [];

  const postReplies = (): void => {
    const [together, buffers] = [replies, moving];
    [replies, moving] = [[], []];
    try {
      port.postMessage({ replies: together } satisfies FromThread, buffers);
    } catch (error) {
      for (const { number } of together) post(failureOf(number, error, recognise));
    }
  };
  const collect = (reply: ThreadReply, buffers: readonly ArrayBuffer[]): void => {
    if (replies.length === 0) queueMicrotask(postReplies);
    replies.push(reply);
    moving.push(...buffers);
  };

  const answer = async (number: number, request: unknown): Promise<void> => {
    if (isClosing) return;
    try {
      const value = await handle(request);
      if (atOnce) collect({ number, answer: value }, moved?.(value) ?? []);
      else if (moved === undefined) post({ number, answer: value });
      else port.postMessage({ number, answer: value } satisfies FromThread, [...moved(value)]);
    } catch (error) {
      post(failureOf(number, error, recognise));
    }
  };
  const finish = async (): Promise<void> => {
    await close();
    post({ closed: true });
    port.close();
  };

  port.on("message", (message: ToThread) => {
    if ("close" in message) {
      if (isClosing) return;
      isClosing = true;
      last = last.then(finish);
    } else if (atOnce) void answer(message.number, message.request);
    else last = last.then(() => answer(message.number, message.request));
  });
  post({ ready });
}

function failureOf(
  number: number,
  error: unknown,
  recognise: (error: unknown) => KnownFailure | null,
): ThreadReply {
  if (error instanceof Refusal) return { number, refused: toRefused(error, null) };
  const { message, stack } = toThreadError(error);
  const known = recognise(error);
  if (known === null) return { number, failed: { message, stack } };
  return {
    number,
    refused: toRefused(known.refusal, { message: known.complaint, error: stack ?? message }),
  };
}

function toThreadError(error: unknown): ThreadError {
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error), stack: undefined };
}

export function toRefused(refusal: Refusal, complaint: Complaint | null): RefusedRequest {
  const { code, message, retryAfterSeconds } = refusal;
  return { code, message, retryAfterSeconds, complaint };
}
