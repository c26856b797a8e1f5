// Owns one question to a language model until it is answered in the form that was asked for: which format the server accepts,
// and when to ask again. Must never ask more than three times for reasons other than the format.

import { llmRetryAfterMaxMs, llmRetryDelaysMs } from "../limits.ts";
import type { ChatClient, ChatReply } from "./chat-client.ts";
import { ChatFailure, isTransient } from "./chat-failure.ts";
import { type LlmAnswerItem, parseLlmAnswer } from "./llm-answer.ts";
import type { LlmPrompt } from "./llm-prompt.ts";
import { refusesFormat, responseFormats } from "./response-format.ts";

export interface LlmQuestion {
  readonly prompt: LlmPrompt;
  readonly signal: AbortSignal;
  /** Told of every reply, also of those that are of no use: they cost tokens. */
  onReply(reply: ChatReply): void;
}

/** Rejects with the reason of `signal` when that is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** @throws ChatFailure of the last attempt; the reason of the question's signal when that is aborted. */
export type AskLlm = (question: LlmQuestion) => Promise<readonly LlmAnswerItem[]>;

/** What the server has been found to accept is remembered as long as the function that is returned. */
export function createLlmAsk(client: ChatClient, wait: Wait): AskLlm {
  let accepted = 0;
  return async ({ prompt, signal, onReply }) => {
    let retries = 0;
    for (let format = accepted; ; ) {
      try {
        const reply = await client.ask(prompt, responseFormats[format] ?? {}, signal);
        accepted = Math.max(accepted, format);
        onReply(reply);
        if (reply.fault !== null) throw new ChatFailure(reply.fault);
        return parseLlmAnswer(reply.content);
      } catch (error) {
        if (!(error instanceof ChatFailure)) throw error;
        if (format < responseFormats.length - 1 && refusesFormat(error)) {
          format += 1;
          continue;
        }
        const delayMs = retryDelay(error, retries);
        if (delayMs === null) throw error;
        retries += 1;
        await wait(delayMs, signal);
      }
    }
  };
}

/** Null: give up. */
function retryDelay(failure: ChatFailure, retries: number): number | null {
  const delayMs = llmRetryDelaysMs[retries];
  const { retryAfterMs } = failure;
  if (delayMs === undefined || !isTransient(failure)) return null;
  if (retryAfterMs === null) return delayMs;
  return retryAfterMs <= llmRetryAfterMaxMs ? retryAfterMs : null;
}

export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const giveUp = () => reject(signal.reason);
  signal.addEventListener("abort", giveUp);
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  });
}
