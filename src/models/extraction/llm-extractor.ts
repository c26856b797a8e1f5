// Owns extraction with a language model: it sends the text in chunks and merges the items of the answers. Must never fall back to the built-in
// extractor.

import type {
  ExtractionSource,
  Extractor,
  FindNear,
  LeftOutReason,
  NearMemory,
  TokenUsage,
} from "../../memory/extraction/extractor.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { cancelled } from "../../platform/scheduling/cancellation.ts";
import { createFairGate } from "../../platform/scheduling/fair-gate.ts";
import type { QueueCounts } from "../../platform/scheduling/fair-queue.ts";
import type { TextRange } from "../../platform/text/passages.ts";
import { type ChatClientOptions, createChatClient } from "./chat-client.ts";
import { ChatFailure, detailsForLog, toRefusal } from "./chat-failure.ts";
import {
  llmNearTextMinCharacters,
  llmRequestLimits,
  llmRequestsAtOnce,
  llmRequestsPerCall,
} from "./limits.ts";
import { createLlmPrompt, type PromptPart, speakerLineBytes } from "./llm-prompt.ts";
import { type AskLlm, createLlmAsk, delay, type Wait } from "./llm-question.ts";
import { mergeItems, type PlacedItem } from "./merge-items.ts";
import { quotedItems } from "./quoted-items.ts";
import { splitSentences } from "./sentences.ts";
import { splitIntoChunks, type TextChunk } from "./text-chunks.ts";

export interface LlmExtractorOptions extends ChatClientOptions {
  readonly logger: Logger;
  /** As of Extractor. */
  readonly replacesAtOnce?: boolean;
  /** Waits between attempts; tests pass a function that does not wait. */
  readonly wait?: Wait;
}

export interface LlmExtractor extends Extractor {
  /** Of the questions that wait. */
  counts(): QueueCounts;
}

/** Loads the client library. Sends no request. */
export async function createLlmExtractor(options: LlmExtractorOptions): Promise<LlmExtractor> {
  const { logger, wait = delay } = options;
  const ask = createLlmAsk(await createChatClient(options), wait);
  const gate = createFairGate({ concurrency: llmRequestsAtOnce, limits: llmRequestLimits });
  return {
    name: "llm",
    replacesAtOnce: options.replacesAtOnce ?? false,
    counts: gate.counts,
    async extract(source, now, { project, signal }, { onRead = () => {}, findNear = nothingNear } = {}) {
      const totals = createTotals();
      const chunks = chunksOf(source);
      let read = 0;
      const work = async (chunk: TextChunk, stop: AbortSignal) => {
        const memories = await findNear(textsOf(source, chunk), stop);
        const asking = { ask, now, signal: stop, totals, memories };
        const items = await gate({ project, signal: stop }, () => askAbout(source, chunk, asking));
        read += 1;
        onRead(read / chunks.length);
        return items;
      };
      try {
        const found = await runConcurrently(chunks, llmRequestsPerCall, signal, work);
        const items = mergeItems(chunks, found);
        const leftOut = totals.leftOut();
        const offered = totals.offered();
        const counts = {
          chunks: chunks.length,
          offered,
          items: items.length,
          leftOut: leftOut.length,
        };
        logger.debug("the language model has answered", counts);
        return { items, model: totals.model() ?? options.model, usage: totals.usage(), leftOut };
      } catch (error) {
        if (signal.aborted) throw cancelled();
        if (!(error instanceof ChatFailure)) throw error;
        const { kind, status } = error;
        const details = detailsForLog(error, source.text, options.apiKey);
        logger.warn("the language model has failed", { kind, status, details, chunks: chunks.length });
        throw toRefusal(error).withDetails({ model_id: totals.model() ?? options.model });
      }
    },
  };
}

interface Asking {
  readonly ask: AskLlm;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly totals: Totals;
  readonly memories: readonly NearMemory[];
}

const nothingNear: FindNear = async () => [];

/** No sentence belongs to two speakers. */
function chunksOf({ text, utterances }: ExtractionSource): TextChunk[] {
  if (utterances === null) return splitIntoChunks(text, splitSentences(text).map(toTextRange));
  const sentences = utterances.flatMap(({ start, end }) =>
    splitSentences(text.slice(start, end)).map((sentence) => {
      const range = toTextRange(sentence);
      return { start: start + range.start, end: start + range.end };
    }),
  );
  const labels = { starts: utterances.map(({ start }) => start), bytes: speakerLineBytes };
  return splitIntoChunks(text, sentences, { labels });
}

/** What the nearest memories are searched for: consecutive sentences, because a short one says too little alone. */
function textsOf(source: ExtractionSource, chunk: TextChunk): string[] {
  const texts: string[] = [];
  for (const { text } of partsOf(source, chunk).flatMap((part) => splitSentences(part.text))) {
    const last = texts.at(-1);
    if (last === undefined || last.length >= llmNearTextMinCharacters) texts.push(text);
    else texts[texts.length - 1] = `${last} ${text}`;
  }
  return texts;
}

/** The parts of the chunk by their speakers. */
function partsOf({ text, utterances }: ExtractionSource, chunk: TextChunk): PromptPart[] {
  if (utterances === null) return [{ speaker: null, saidAt: null, text: text.slice(chunk.start, chunk.end) }];
  return utterances
    .filter(({ start, end }) => start < chunk.end && end > chunk.start)
    .map(({ speaker, saidAt, start, end }) => ({
      speaker,
      saidAt,
      text: text.slice(Math.max(start, chunk.start), Math.min(end, chunk.end)),
    }));
}

async function askAbout(
  source: ExtractionSource,
  chunk: TextChunk,
  { ask, now, signal, totals, memories }: Asking,
): Promise<readonly PlacedItem[]> {
  const nonce = crypto.randomUUID().replaceAll("-", "");
  const parts = partsOf(source, chunk);
  const prompt = createLlmPrompt({ parts, memories, detail: source.detail }, now, nonce);
  const answer = await ask({ prompt, signal, onReply: totals.add });
  totals.offer(answer.items.length);
  const { items, leftOut } = quotedItems(answer.items, { source, chunk, memories, now });
  totals.leaveOut([...answer.leftOut, ...leftOut]);
  return items;
}

/** Processes the chunks in order, `count` at a time. When one fails, the others are stopped before its error is thrown. */
async function runConcurrently<Result>(
  chunks: readonly TextChunk[],
  count: number,
  signal: AbortSignal,
  work: (chunk: TextChunk, stop: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const results: Result[] = [];
  const failures: unknown[] = [];
  const rest = chunks.entries();
  const worker = async () => {
    for (const [index, chunk] of rest) {
      if (either.aborted) return;
      results[index] = await work(chunk, either);
    }
  };
  const guarded = () =>
    worker().catch((error: unknown) => {
      failures.push(error);
      stop.abort();
    });
  await Promise.all(Array.from({ length: count }, guarded));
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
  return results;
}

interface Totals {
  add(reply: { readonly model: string | null; readonly usage: TokenUsage | null }): void;
  model(): string | null;
  usage(): TokenUsage | null;
  leaveOut(reasons: readonly LeftOutReason[]): void;
  leftOut(): readonly LeftOutReason[];
  /** Number of items in the answers, before any was dropped. */
  offer(count: number): void;
  offered(): number;
}

/** Sums the token usage of all replies; the model name is that of the first reply. */
function createTotals(): Totals {
  let model: string | null = null;
  let usage: TokenUsage | null = null;
  let offered = 0;
  const leftOut: LeftOutReason[] = [];
  return {
    add(reply) {
      model ??= reply.model;
      if (reply.usage === null) return;
      usage = {
        prompt_tokens: (usage?.prompt_tokens ?? 0) + reply.usage.prompt_tokens,
        completion_tokens: (usage?.completion_tokens ?? 0) + reply.usage.completion_tokens,
        total_tokens: (usage?.total_tokens ?? 0) + reply.usage.total_tokens,
      };
    },
    model: () => model,
    usage: () => usage,
    leaveOut: (reasons) => void leftOut.push(...reasons),
    leftOut: () => leftOut,
    offer: (count) => {
      offered += count;
    },
    offered: () => offered,
  };
}

function toTextRange({ start, text }: { readonly start: number; readonly text: string }): TextRange {
  return { start, end: start + text.length };
}
