// Owns extraction with a language model: it sends the text in chunks and merges the items of the answers. Must never return an item whose
// evidence is not in the text, and must never fall back to the built-in extractor.

import { contentMaxCharacters } from "../limits.ts";
import type { Logger } from "../log/logger.ts";
import type { ExtractedItem, ExtractionSource, Extractor, TokenUsage } from "../memory/extractor.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { createFairGate } from "../scheduling/fair-gate.ts";
import type { QueueCounts } from "../scheduling/fair-queue.ts";
import { fromTimestamp } from "../timestamp.ts";
import { type ChatClientOptions, createChatClient } from "./chat-client.ts";
import { ChatFailure, detailsForLog, toRefusal } from "./chat-failure.ts";
import { createQuotationFinder, type TextRange } from "./evidence.ts";
import { llmRequestLimits, llmRequestsAtOnce, llmRequestsPerCall } from "./limits.ts";
import type { LlmAnswerItem } from "./llm-answer.ts";
import {
  createLlmPrompt,
  type LlmDetail,
  type PromptPart,
  speakerLineBytes,
  withoutJoiners,
} from "./llm-prompt.ts";
import { type AskLlm, createLlmAsk, delay, type Wait } from "./llm-question.ts";
import { mergeItems, type PlacedItem } from "./merge-items.ts";
import { toOrigin } from "./origin.ts";
import { splitSentences } from "./sentences.ts";
import { splitIntoChunks, type TextChunk } from "./text-chunks.ts";

export interface LlmExtractorOptions extends ChatClientOptions {
  readonly logger: Logger;
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
    counts: gate.counts,
    async extract(source, now, { project, signal }, onRead = () => {}) {
      const tally = createTally();
      const chunks = chunksOf(source);
      let read = 0;
      const work = async (chunk: TextChunk, stop: AbortSignal) => {
        const asking = { ask, now, signal: stop, tally };
        const items = await gate({ project, signal: stop }, () => askAbout(source, chunk, asking));
        read += 1;
        onRead(read / chunks.length);
        return items;
      };
      try {
        const found = await runConcurrently(chunks, llmRequestsPerCall, signal, work);
        const items = mergeItems(chunks, found);
        const counts = { chunks: chunks.length, offered: tally.offered(), items: items.length };
        logger.debug("the language model has answered", counts);
        return { items, model: tally.model() ?? options.model, usage: tally.usage() };
      } catch (error) {
        if (signal.aborted) throw cancelled();
        if (!(error instanceof ChatFailure)) throw error;
        const { kind, status } = error;
        const details = detailsForLog(error, source.text, options.apiKey);
        logger.warn("the language model has failed", { kind, status, details, chunks: chunks.length });
        throw toRefusal(error).withDetails({ model_id: tally.model() ?? options.model });
      }
    },
  };
}

interface Asking {
  readonly ask: AskLlm;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly tally: Tally;
}

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

/** The model is never asked for the words themselves (chooseExtractor). */
function detailOf({ detail }: ExtractionSource): LlmDetail {
  return detail === "verbatim" ? "full" : detail;
}

/** The parts of the chunk by their speakers. */
function partsOf({ text, utterances }: ExtractionSource, chunk: TextChunk): PromptPart[] {
  if (utterances === null) return [{ speaker: null, text: text.slice(chunk.start, chunk.end) }];
  return utterances
    .filter(({ start, end }) => start < chunk.end && end > chunk.start)
    .map(({ speaker, start, end }) => ({
      speaker,
      text: text.slice(Math.max(start, chunk.start), Math.min(end, chunk.end)),
    }));
}

async function askAbout(
  source: ExtractionSource,
  chunk: TextChunk,
  { ask, now, signal, tally }: Asking,
): Promise<PlacedItem[]> {
  const part = source.text.slice(chunk.start, chunk.end);
  const nonce = crypto.randomUUID().replaceAll("-", "");
  const prompt = createLlmPrompt(partsOf(source, chunk), now, nonce, detailOf(source));
  const answer = await ask({ prompt, signal, onReply: tally.add });
  tally.offer(answer.length);
  const find = createQuotationFinder(part);
  return answer.flatMap((item) => {
    const passage = find(item.evidence);
    const extracted = passage === null ? null : toExtracted(item, part, passage, now);
    if (passage === null || extracted === null) return [];
    const start = chunk.start + passage.start;
    return [{ ...extracted, ...originAt(source, start), start, end: chunk.start + passage.end }];
  });
}

/** Of what is said at this place. */
function originAt(source: ExtractionSource, start: number): Pick<ExtractedItem, "origin"> {
  const message = source.utterances?.find((each) => each.start <= start && start < each.end) ?? null;
  const { speaker: role = null, name = null, saidAt = null } = message ?? {};
  return { origin: toOrigin({ role, name, saidAt }, message, source) };
}

/**
 * Null for an item that cannot be a memory. An item that expired before `now` is dropped too: without its expiry it would be valid forever,
 * and a model that confuses the year is not reliable about the rest of the item.
 */
function toExtracted(
  item: LlmAnswerItem,
  text: string,
  { start, end }: TextRange,
  now: number,
): ExtractedItem | null {
  const content = withoutJoiners(item.content).trim();
  const expiresAt = item.expires_at === null ? null : fromTimestamp(item.expires_at);
  const isStorable = !isBlank(content) && content.isWellFormed() && !content.includes("\0");
  if (!isStorable || [...content].length > contentMaxCharacters) return null;
  if (expiresAt !== null && expiresAt <= now) return null;
  const { memory_type: type, importance } = item;
  return { content, type, importance, expiresAt, evidence: text.slice(start, end) };
}

function isBlank(text: string): boolean {
  return /^[\s\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
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

interface Tally {
  add(reply: { readonly model: string | null; readonly usage: TokenUsage | null }): void;
  model(): string | null;
  usage(): TokenUsage | null;
  /** Number of items in the answers, before any was dropped. */
  offer(count: number): void;
  offered(): number;
}

/** Sums the token usage of all replies; the model name is that of the first reply. */
function createTally(): Tally {
  let model: string | null = null;
  let usage: TokenUsage | null = null;
  let offered = 0;
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
    offer: (count) => {
      offered += count;
    },
    offered: () => offered,
  };
}

function toTextRange({ start, text }: { readonly start: number; readonly text: string }): TextRange {
  return { start, end: start + text.length };
}
