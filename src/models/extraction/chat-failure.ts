// Owns the failures of a language model and their messages to callers. A message to a caller must never contain what the model's server
// sent, nor the key, nor the text; what the server sent is logged.

import { Refusal } from "../../platform/errors.ts";
import { shorten } from "../../platform/text/characters.ts";
import { llmDetailsMaxCharacters, llmRetryAfterMaxSeconds } from "./limits.ts";

type FailureKind =
  /** No connection, or a lost connection. */
  | "unreachable"
  | "timeout"
  /** An HTTP status that is not 2xx. */
  | "status"
  | "redirect"
  | "too large"
  /** Status 200, but not a response of a Chat Completions API. */
  | "no completion"
  /** The answer of the model is incomplete. */
  | "cut off"
  | "declined"
  /** The answer of the model does not have the requested form. */
  | "wrong form";

export class ChatFailure extends Error {
  readonly kind: FailureKind;
  /** HTTP status of the language model's server; null without a response. */
  readonly status: number | null;
  /** The wait that the server asks for. */
  readonly retryAfterMs: number | null;
  /** Text of the server or of the network: untrusted, of any length. */
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

/** Whether a retry may succeed. A timeout is not retried, because the call would take three times as long. */
export function isTransient({ kind, status }: ChatFailure): boolean {
  if (kind === "status")
    return status !== null && ([408, 409, 429].includes(status) || (status >= 500 && status !== 501));
  return ["unreachable", "no completion", "cut off", "wrong form"].includes(kind);
}

/** Refusal 2103 with the `status` of the language model's server, or null. */
export function toRefusal(failure: ChatFailure): Refusal {
  const { status, retryAfterMs } = failure;
  const seconds =
    retryAfterMs === null ? undefined : Math.min(Math.ceil(retryAfterMs / 1_000), llmRetryAfterMaxSeconds);
  return new Refusal(2103, `${explain(failure)} Nothing was stored.`, { status }, seconds);
}

function explain({ kind, status }: ChatFailure): string {
  switch (kind) {
    case "unreachable":
      return "The language model's server cannot be reached, or closed the connection. Start it, or correct --llm-base-url of the memledger server.";
    case "timeout":
      return "The language model did not answer in time. Increase --llm-timeout-seconds of the memledger server, or use a smaller model.";
    case "redirect":
      return `The language model's server answered with a redirect (status ${status}), which is not followed. Set --llm-base-url of the memledger server to the final address.`;
    case "too large":
      return "The response of the language model's server is too large. Check that --llm-base-url of the memledger server is the address of a Chat Completions API.";
    case "no completion":
      return "The endpoint is not a Chat Completions API. Check --llm-base-url of the memledger server; it usually ends in /v1.";
    case "cut off":
      return "The answers of the language model were incomplete three times. Configure a larger context (at least 8,192 tokens), or use another model.";
    case "declined":
      return "The language model refused to process the text. Use another model, or change the text.";
    case "wrong form":
      return "The answers of the language model do not have the requested form. Use a larger model, or a server that supports JSON schemas.";
    case "status":
      return explainStatus(status ?? 0);
  }
}

function explainStatus(status: number): string {
  const said = `status ${status}`;
  if (status === 401 || status === 403) {
    return `The language model's server rejected the API key (${said}). Check --llm-api-key of the memledger server.`;
  }
  if (status === 404) {
    return `The language model's server did not find the model or the address (${said}). Check --llm-model and --llm-base-url of the memledger server; the address usually ends in /v1.`;
  }
  if (status === 429) {
    return `The language model's server is overloaded, or its quota is exhausted (${said}). Try again later.`;
  }
  if (status >= 500 || status === 408 || status === 409) {
    return `The language model's server reported an error (${said}). Check its log, then try again.`;
  }
  return `The language model's server rejected the request (${said}). Check its log. A frequent cause is a context of less than 8,192 tokens.`;
}

/** The details of a failure for the log: limited in length, without the key, and omitted if the server repeats the text. */
export function detailsForLog({ details }: ChatFailure, text: string, apiKey: string | null): string {
  const flat = (value: string) => value.replace(/\\[nrt]|\s+/g, " ").replaceAll("\\", "");
  const whole = flat(apiKey === null ? details : details.replaceAll(apiKey, "(key)"));
  const said = shorten(whole, llmDetailsMaxCharacters);
  const sent = flat(text);
  for (let start = 0; start + echoCharacters <= said.length; start += 1) {
    if (sent.includes(said.slice(start, start + echoCharacters))) return "(withheld: it repeats the text)";
  }
  return said;
}

/** If so many consecutive characters are in both, the server repeats the text. */
const echoCharacters = 16;
