// Owns what can go wrong with a language model and how callers are told. What its server said is for the log: a message to a
// caller must never hold it, nor the key, nor the text.

import { Refusal } from "../errors.ts";
import { llmDetailsMaxCharacters, llmRetryAfterMaxSeconds } from "../limits.ts";

export type FailureKind =
  /** No connection, or one that broke off. */
  | "unreachable"
  | "timeout"
  /** An HTTP status that is no success. */
  | "status"
  | "redirect"
  | "too large"
  /** Status 200, and no answer of Chat Completions. */
  | "no completion"
  /** The model's answer ended in the middle. */
  | "cut off"
  | "declined"
  /** The model's answer is not what it was asked for. */
  | "wrong form";

export class ChatFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status of the language model's server; null where there was none. */
  readonly status: number | null;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | null;
  /** In the words of the server or the network, unbounded and not to be trusted. */
  readonly details: string;

  constructor(
    kind: FailureKind,
    {
      status = null,
      retryAfterMs = null,
      details = "",
    }: { status?: number | null; retryAfterMs?: number | null; details?: string } = {},
  ) {
    super(kind);
    this.name = "ChatFailure";
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.details = details;
  }
}

/** Whether the same question may well be answered a moment later. A timeout is no such case: it would only take three times as long. */
export function isTransient({ kind, status }: ChatFailure): boolean {
  if (kind === "status")
    return status !== null && ([408, 409, 429].includes(status) || (status >= 500 && status !== 501));
  return ["unreachable", "no completion", "cut off", "wrong form"].includes(kind);
}

/** 2103 with `{ status }` of the language model's server, null where it gave none. */
export function toRefusal(failure: ChatFailure): Refusal {
  const { status, retryAfterMs } = failure;
  const seconds =
    retryAfterMs === null ? undefined : Math.min(Math.ceil(retryAfterMs / 1_000), llmRetryAfterMaxSeconds);
  return new Refusal(2103, `${explain(failure)} Nothing was stored.`, { status }, seconds);
}

function explain({ kind, status }: ChatFailure): string {
  switch (kind) {
    case "unreachable":
      return "The language model's server cannot be reached, or broke the connection off. Start it, or correct --llm-base-url of this server.";
    case "timeout":
      return "The language model did not answer in time. Raise --llm-timeout-seconds of this server, or use a smaller model.";
    case "redirect":
      return `The language model's server sends requests elsewhere (status ${status}), and texts go to the configured address only. Set --llm-base-url of this server to the final address.`;
    case "too large":
      return "The language model's server sent an answer without end. Check that --llm-base-url of this server leads to a Chat Completions API.";
    case "no completion":
      return "What answered is no Chat Completions API. Check --llm-base-url of this server: it ends where the API begins, usually in /v1.";
    case "cut off":
      return "The language model's answer was cut off, three times. Give the model a larger context (8,192 tokens at least), or use another one.";
    case "declined":
      return "The language model declined to work on the text. Use another model, or change the text.";
    case "wrong form":
      return "The language model's answers are not in the form it was asked for. Use a larger model, or a server that supports JSON schemas.";
    case "status":
      return explainStatus(status ?? 0);
  }
}

function explainStatus(status: number): string {
  const said = `status ${status}`;
  if (status === 401 || status === 403) {
    return `The language model's server refused the key (${said}). Check --llm-api-key of this server.`;
  }
  if (status === 404) {
    return `The language model's server knows no such model or address (${said}). Check --llm-model and --llm-base-url of this server; the address usually ends in /v1.`;
  }
  if (status === 429) {
    return `The language model's server is busy, or its quota is used up (${said}). Try again later.`;
  }
  if (status >= 500 || status === 408 || status === 409) {
    return `The language model's server has failed (${said}). Look into its log, and try again.`;
  }
  return `The language model's server did not accept the request (${said}). Look into its log; often the context of the model is too small, 8,192 tokens are needed.`;
}

/** What the log may tell of a failure: bounded, without the key, and nothing where the server repeats the text. */
export function detailsForLog({ details }: ChatFailure, text: string, apiKey: string | null): string {
  const flat = (value: string) => value.replace(/\\[nrt]|\s+/g, " ").replaceAll("\\", "");
  const whole = flat(apiKey === null ? details : details.replaceAll(apiKey, "(key)"));
  const said = whole.slice(0, llmDetailsMaxCharacters).toWellFormed();
  const sent = flat(text);
  for (let start = 0; start + echoCharacters <= said.length; start += 1) {
    if (sent.includes(said.slice(start, start + echoCharacters))) return "(withheld: it repeats the text)";
  }
  return said;
}

/** As many characters in a row are in both only when one repeats the other. */
const echoCharacters = 16;
