// Owns requests to a Chat Completions API. Must never retry, log, or read the environment: only the configuration decides where texts are
// sent.

import type { OpenAI } from "openai/client";
import type { TokenUsage } from "../../memory/extraction/extractor.ts";
import { isObject } from "../../platform/json/json.ts";
import { shorten } from "../../platform/text/characters.ts";
import { ChatFailure } from "./chat-failure.ts";
import { llmNameMaxCharacters } from "./limits.ts";
import type { LlmPrompt } from "./llm-prompt.ts";
import type { ResponseFormat } from "./response-format.ts";
import { createRestrictedFetch } from "./restricted-fetch.ts";

export interface ChatClientOptions {
  /** http or https, without credentials. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
  /** Timeout of one request, from its first byte to the last byte of the response. */
  readonly timeoutMs: number;
}

export interface ChatReply {
  readonly content: string;
  /** Null if the server does not report it. */
  readonly model: string | null;
  readonly usage: TokenUsage | null;
  /** Why the model stopped before its answer was complete; null: the answer is complete. */
  readonly fault: "cut off" | "declined" | null;
}

export interface ChatClient {
  /** @throws ChatFailure; the reason of `signal` when that is aborted. */
  ask(prompt: LlmPrompt, format: ResponseFormat, signal: AbortSignal): Promise<ChatReply>;
}

/** Loads the client library only here, so that a server without a language model does not load it. */
export async function createChatClient(options: ChatClientOptions): Promise<ChatClient> {
  const { OpenAI } = await import("openai/client");
  const { baseUrl, model, apiKey, timeoutMs } = options;
  const silent = () => {};
  // Every option with a default from the environment is set.
  const client = new OpenAI({
    baseURL: baseUrl,
    // The restricted fetch sets the header; the library requires any key.
    apiKey: "unused",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: "off",
    logger: { error: silent, warn: silent, info: silent, debug: silent },
    fetch: createRestrictedFetch(apiKey),
  });
  return {
    async ask({ system, user }, format, signal) {
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        { role: "system", content: system },
        { role: "user", content: user },
      ];
      const question = { model, messages, stream: false, ...format } as const;
      try {
        return readCompletion(await client.chat.completions.create(question, { signal }));
      } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error, OpenAI);
      }
    },
  };
}

function toFailure(error: unknown, library: typeof OpenAI): unknown {
  if (error instanceof ChatFailure) return error;
  if (error instanceof SyntaxError) return new ChatFailure("no completion");
  if (error instanceof library.APIConnectionError) {
    const { cause } = error;
    if (cause instanceof ChatFailure) return cause;
    // The library also reports timeouts of the network as its own timeout.
    const code =
      cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
    const isOwnTimeout = error instanceof library.APIConnectionTimeoutError && code === "";
    return isOwnTimeout ? new ChatFailure("timeout") : new ChatFailure("unreachable", { details: code });
  }
  if (error instanceof library.APIError && error.status !== undefined) {
    const { status, headers } = error;
    return new ChatFailure("status", {
      status,
      retryAfterMs: retryAfter(headers),
      details: errorMessageOf(error),
    });
  }
  if (error instanceof library.OpenAIError) return new ChatFailure("no completion", { details: error.name });
  return error;
}

/** Only the error message of the server: some servers repeat the request in other fields. */
function errorMessageOf({ error, message }: Readonly<{ error: unknown; message: string }>): string {
  if (typeof error === "string") return error;
  if (!isObject(error)) return message;
  const { message: said, detail, param } = error;
  const details = Array.isArray(detail)
    ? detail.filter(isObject).flatMap(({ loc, msg }) => [loc, msg])
    : [detail];
  const words = [said, param, ...details].flat().filter((word) => typeof word === "string");
  return words.length === 0 ? "" : words.join(" ");
}

/** RFC 9110, section 10.2.3; a date is compared with the Date header of the server. */
function retryAfter(headers: Headers | undefined): number | null {
  const ms = headers?.get("retry-after-ms") ?? "";
  if (/^\d+$/.test(ms)) return Number(ms);
  const value = headers?.get("retry-after") ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const wait = Date.parse(value) - Date.parse(headers?.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Checks every field, because servers that are called compatible differ. */
function readCompletion(completion: unknown): ChatReply {
  const choices = isObject(completion) ? completion.choices : null;
  const choice = Array.isArray(choices) ? choices[0] : null;
  if (!isObject(completion) || !isObject(choice) || !isObject(choice.message)) {
    throw new ChatFailure("no completion");
  }
  const { content, refusal } = choice.message;
  const isDeclined =
    choice.finish_reason === "content_filter" || (typeof refusal === "string" && refusal !== "");
  return {
    content: typeof content === "string" ? content : "",
    model: readName(completion.model),
    usage: readUsage(completion.usage),
    fault: isDeclined ? "declined" : choice.finish_reason === "length" ? "cut off" : null,
  };
}

function readName(value: unknown): string | null {
  const name = typeof value === "string" ? value.replace(/\p{Cc}/gu, "").trim() : "";
  return name === "" ? null : shorten(name, llmNameMaxCharacters);
}

function readUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const count = (tokens: unknown) =>
    typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null;
  const prompt = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  if (prompt === null || completion === null) return null;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count(value.total_tokens) ?? prompt + completion,
  };
}
