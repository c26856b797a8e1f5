// Owns one question to a language model until it has an answer in the requested form: it finds the response format that the server accepts,
// and retries transient failures. Must never make more than three attempts for reasons other than the format.

import type { ChatClient, ChatReply } from "./chat-client.ts";
import { ChatFailure, isTransient } from "./chat-failure.ts";
import { llmRetryAfterMaxMs, llmRetryDelaysMs } from "./limits.ts";
import { type LlmAnswer, parseLlmAnswer } from "./llm-answer.ts";
import type { LlmPrompt } from "./llm-prompt.ts";
import { refusesFormat, responseFormats } from "./response-format.ts";

interface LlmQuestion {
  readonly prompt: LlmPrompt;
  readonly signal: AbortSignal;
  /** Called for every reply, even if it is not usable, because it costs tokens. */
  onReply(reply: ChatReply): void;
}

/** Rejects with the reason of `signal` when that is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * If no answer is complete, the one with the most items counts.
 * @throws ChatFailure of the last attempt; the reason of the question's signal when that is aborted.
 */
export type AskLlm = (question: LlmQuestion) => Promise<LlmAnswer>;

/** The returned function remembers the response format that the server accepts. */
export function createLlmAsk(client: ChatClient, wait: Wait): AskLlm {
  let accepted = 0;
  return async ({ prompt, signal, onReply }) => {
    let retries = 0;
    let best: LlmAnswer | null = null;
    for (let format = accepted; ; ) {
      try {
        const reply = await client.ask(prompt, responseFormats[format] ?? {}, signal);
        accepted = Math.max(accepted, format);
        onReply(reply);
        if (reply.fault === "declined") throw new ChatFailure(reply.fault);
        const answer = readAnswer(reply);
        if (answer.isComplete) return answer;
        if (best === null || answer.items.length > best.items.length) best = answer;
        throw new ChatFailure("cut off");
      } catch (error) {
        if (!(error instanceof ChatFailure)) throw error;
        if (format < responseFormats.length - 1 && refusesFormat(error)) {
          format += 1;
          continue;
        }
        const delayMs = retryDelay(error, retries);
        if (delayMs === null && best !== null && isAboutForm(error)) return best;
        if (delayMs === null) throw error;
        retries += 1;
        await wait(delayMs, signal);
      }
    }
  };
}

/** @throws ChatFailure "cut off" or "wrong form" if nothing of it is of use */
function readAnswer({ content, fault }: ChatReply): LlmAnswer {
  try {
    const answer = parseLlmAnswer(content);
    const isComplete = answer.isComplete && fault === null;
    return isComplete ? answer : { ...answer, leftOut: [...answer.leftOut, "cut-off"], isComplete };
  } catch (error) {
    throw fault === "cut off" && error instanceof ChatFailure ? new ChatFailure(fault) : error;
  }
}

function isAboutForm({ kind }: ChatFailure): boolean {
  return kind === "cut off" || kind === "wrong form";
}

/** The delay before the next attempt; null: no further attempt. */
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
  const stopWaiting = () => reject(signal.reason);
  signal.addEventListener("abort", stopWaiting);
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopWaiting);
  });
}
